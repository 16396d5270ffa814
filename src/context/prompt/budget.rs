//! Counts tokens, and cuts texts to a number of tokens.

use bpe_openai::cl100k_base;

/// How many tokens the fences and separators around a context may add.
const JOINTS: usize = 8;

/// The length of a text in tokens of `cl100k_base`.
pub(super) fn count(text: &str) -> usize {
    cl100k_base().count(text)
}

/// How many tokens are left for context.
pub(super) struct Budget {
    left: usize,
    short: bool,
}

impl Budget {
    /// What is left of `whole` after a frame of `frame` tokens. Unlimited if `whole` is `None`.
    pub(super) fn new(whole: Option<usize>, frame: usize) -> Self {
        Self {
            left: whole.map_or(usize::MAX, |whole| whole.saturating_sub(frame + JOINTS)),
            short: false,
        }
    }

    /// Takes `wanted` tokens, or all that are left. Returns how many.
    pub(super) fn take(&mut self, wanted: usize) -> usize {
        let given = wanted.min(self.left);
        self.short |= given < wanted;
        if self.left != usize::MAX {
            self.left -= given;
        }
        given
    }

    /// Divides the tokens that are left. Each part gets half, and what the other part does not need of its half.
    pub(super) fn share(&mut self, first: usize, second: usize) -> (usize, usize) {
        let half = self.left / 2;
        let first_limit = half.max(self.left.saturating_sub(second));
        let first_given = first.min(first_limit);
        let second_given = second.min(self.left - first_given);
        self.short |= first_given < first || second_given < second;
        (self.take(first_given), self.take(second_given))
    }

    /// Whether a part got less than it wanted.
    pub(super) fn was_short(&self) -> bool {
        self.short
    }
}

/// The text's last `tokens` tokens.
pub(super) fn last_tokens(text: &str, tokens: usize) -> String {
    let all = cl100k_base().encode(text);
    (all.len().saturating_sub(tokens)..all.len())
        .find_map(|from| cl100k_base().decode(&all[from..]))
        .unwrap_or_default()
}

/// The text's first `tokens` tokens.
pub(super) fn first_tokens(text: &str, tokens: usize) -> String {
    let all = cl100k_base().encode(text);
    (1..=all.len().min(tokens))
        .rev()
        .find_map(|to| cl100k_base().decode(&all[..to]))
        .unwrap_or_default()
}
