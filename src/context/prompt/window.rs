//! Cuts contexts to a model's context window, as the official `make_prompt.py` of EvoCodeBench does.

use bpe_openai::cl100k_base;

use super::{LocalPart, PromptStyle, PromptTask, count};

/// A model's context window, in tokens of `cl100k_base`.
///
/// The space for context is the window minus the code to be completed and the answer. The template's words are not
/// subtracted. If the text above the function is too long, it loses its beginning.
///
/// For infilling with instruction-tuned models, nothing is cut if the whole prompt fits the window. With other models,
/// nothing is cut if the texts above and below together fit the space. Otherwise the two texts get shares of the space
/// in proportion to their lengths, and the text below loses its end. The official script cuts the prompts for other
/// models with each model's own tokenizer. Here `cl100k_base` cuts them, so the cuts may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The length of the window, in tokens.
    pub tokens: usize,
    /// The number of tokens of the window that are reserved for the model's answer.
    pub answer: usize,
}

impl Window {
    /// Returns (text of the prompt, whether a context was cut). `whole` is the uncut prompt. `fill` makes a prompt from
    /// the text above and the text below.
    pub(super) fn fit(
        self,
        whole: String,
        (above, below): (&str, &str),
        asked: &PromptTask,
        (style, form): (PromptStyle, LocalPart),
        fill: impl Fn(&str, &str) -> String,
    ) -> (String, bool) {
        let available = self
            .tokens
            .saturating_sub(count(&asked.input_code) + self.answer);
        let above_ids = cl100k_base().encode(above);
        if form != LocalPart::Around {
            let cut = above_ids.len() > available;
            let text = if cut {
                fill(&last(&above_ids, available), below)
            } else {
                whole
            };
            return (text, cut);
        }
        let below_ids = cl100k_base().encode(below);
        let all = above_ids.len() + below_ids.len();
        let fits = match style {
            PromptStyle::Instruction => count(&whole) <= self.tokens,
            _ => all <= available,
        };
        if fits {
            return (whole, false);
        }
        let above = last(&above_ids, share(available, above_ids.len(), all));
        let below = first(&below_ids, share(available, below_ids.len(), all));
        (fill(&above, &below), true)
    }
}

/// `available * (part / all)` in floating point, rounded down, as Python's `int(available * ratio)`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "token counts are far below 2^52 and not negative"
)]
fn share(available: usize, part: usize, all: usize) -> usize {
    (available as f64 * (part as f64 / all.max(1) as f64)) as usize
}

fn last(ids: &[u32], available: usize) -> String {
    decode(&ids[ids.len().saturating_sub(available)..])
}

fn first(ids: &[u32], available: usize) -> String {
    decode(&ids[..available.min(ids.len())])
}

/// The text of the tokens, with U+FFFD for a character that a cut splits.
fn decode(ids: &[u32]) -> String {
    String::from_utf8_lossy(&cl100k_base().bpe.decode_tokens(ids)).into_owned()
}
