//! Token counts, and texts cut to them.

use bpe_openai::cl100k_base;

/// Tokens that fences and joints around a context may add.
const JOINTS: usize = 8;

/// The length of a text in tokens of `cl100k_base`.
pub(super) fn count(text: &str) -> usize {
    cl100k_base().count(text)
}

/// Space for context, in tokens.
pub(super) struct Budget {
    left: usize,
    short: bool,
}

impl Budget {
    /// What `whole` leaves next to a frame of `frame` tokens; endless without a `whole`.
    pub(super) fn new(whole: Option<usize>, frame: usize) -> Self {
        Self {
            left: whole.map_or(usize::MAX, |whole| whole.saturating_sub(frame + JOINTS)),
            short: false,
        }
    }

    /// As much of `wanted` as there is.
    pub(super) fn take(&mut self, wanted: usize) -> usize {
        let given = wanted.min(self.left);
        self.short |= given < wanted;
        if self.left != usize::MAX {
            self.left -= given;
        }
        given
    }

    /// Shares what there is: half each, and what one does not need for the other.
    pub(super) fn share(&mut self, first: usize, second: usize) -> (usize, usize) {
        let half = self.left / 2;
        let first_limit = half.max(self.left.saturating_sub(second));
        let first_given = first.min(first_limit);
        let second_given = second.min(self.left - first_given);
        self.short |= first_given < first || second_given < second;
        (self.take(first_given), self.take(second_given))
    }

    /// Whether something got less than it wanted.
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
