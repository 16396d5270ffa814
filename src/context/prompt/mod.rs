//! Prompts as the official scripts of EvoCodeBench and DevEval build them.
//!
//! For instruction-tuned models, a template states the task and puts fences around the context above the function, the
//! context below it, and the code to be completed. For plain language models, the texts follow each other: further
//! context, the text above, and last the code to be completed. The text below is marked with the model's own tokens.
//! For models without such tokens it comes first; the official scripts have no infilling for them.
//!
//! Further context (imported files, similar functions, snippets) counts as text above. Each snippet follows a comment
//! with its path. No official script builds such prompts; the papers show the path or the name of each snippet.

mod budget;
mod elements;
mod shown;
mod template;
#[cfg(test)]
mod tests;
mod window;

use serde::{Deserialize, Serialize};

use super::ContextItem;
use super::settings::{GatheredContext, LocalPart};
use crate::benchmark::{Language, vocabulary};
use budget::{Budget, count, first_tokens, last_tokens};
pub use elements::{prompt_elements, prompt_of_elements};
pub use shown::{PromptBudget, shown};
pub use window::Window;

vocabulary! {
    /// Which models a prompt is for.
    PromptStyle: "a style of prompt" {
        /// Instruction-tuned models: the official templates.
        Instruction = "instruction",
        /// Plain language models: only the texts, with the code to be completed last.
        Completion = "completion",
        /// `DeepSeek` Coder, with its tokens for filling in the middle.
        DeepSeek = "deepseek",
        /// Code Llama, with its tokens for filling in the middle.
        CodeLlama = "codellama",
        /// `StarCoder2`, with its tokens for filling in the middle.
        StarCoder = "starcoder2",
    }
}

impl PromptStyle {
    /// The model's tokens before the text above, between the texts, and after the text below, in the order of
    /// `LM_inference.py`. They are spelled as in the models' tokenizers.
    fn infilling_tokens(self) -> Option<[&'static str; 3]> {
        match self {
            Self::Instruction | Self::Completion => None,
            Self::DeepSeek => Some(["<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"]),
            Self::CodeLlama => Some(["<PRE> ", " <SUF>", " <MID>"]),
            Self::StarCoder => Some(["<fim_prefix>", "<fim_suffix>", "<fim_middle>"]),
        }
    }
}

/// The part of a prompt that no budget cuts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptTask {
    /// The function's own name.
    pub function: String,
    /// Its signature with the requirement as a docstring: see [`input_code`].
    pub input_code: String,
    /// The class of a Python method. A prompt without the local file names it.
    pub class: Option<String>,
    /// Its language.
    pub language: Language,
    /// Whether the code alone is the prompt where no context is shown (CoderEval).
    pub is_prompt: bool,
}

impl PromptTask {
    /// The code to be completed. It follows a line with its class where the prompt does not show the local file.
    fn code_in(&self, form: LocalPart) -> String {
        match &self.class {
            Some(class) if form == LocalPart::Alone => {
                format!("class {class}:\n{}", self.input_code)
            }
            _ => self.input_code.clone(),
        }
    }
}

/// How long a prompt may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Limit {
    /// No limit.
    #[default]
    Endless,
    /// At most this many tokens of `cl100k_base`: see [`prompt`].
    Budget(usize),
    /// Fit into a model's context window, as the official `make_prompt.py` does: see [`Window`].
    Window(Window),
}

/// A prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Its text.
    pub text: String,
    /// Its length in tokens of `cl100k_base`.
    pub tokens: usize,
    /// Whether context was cut to fit the limit.
    pub cut: bool,
}

/// The lines of the signature, a blank line, and a docstring that is indented by `indent` columns. The docstring has
/// the requirement, and the arguments where the benchmark gives them separately. The texts are not changed, and keep
/// their blank lines, as in DevEval's released prompts.
pub fn input_code(
    signature: &str,
    requirement: &str,
    arguments: Option<&str>,
    indent: usize,
) -> String {
    let margin = " ".repeat(indent);
    let mut lines = vec![signature.to_owned(), String::new()];
    let mut say = |text: &str| {
        lines.extend(text.split('\n').map(|line| match line.trim() {
            "" => line.to_owned(),
            _ => format!("{margin}{line}"),
        }));
    };
    say("\"\"\"");
    say(requirement);
    if let Some(arguments) = arguments {
        say("Input-Output Arguments");
        say(arguments);
    }
    say("\"\"\"");
    lines.join("\n")
}

/// Builds a prompt. The texts above and below the function end with a line feed, as in their file.
///
/// Further snippets are imported, sibling and similar files, similar functions, retrieved windows, and definitions of
/// the reference dependencies. A blank line separates them, and each follows a comment with its path.
///
/// Under [`Limit::Budget`] the prompt has at most that many tokens of `cl100k_base`. The code to be completed and the
/// template's words are never cut. 8 tokens of the rest are reserved for separators. What is left goes to the local
/// file first. The text above and the text below get half each, and what the other does not need of its half. The text
/// above loses its beginning, and the text below loses its end.
///
/// The further snippets follow in their order. Each takes its path, its text, and one token for its separator. The last
/// one may lose its end. A path is shown only with at least part of its snippet. If a cut splits a character, the token
/// with a part of it is dropped too.
pub fn prompt(
    style: PromptStyle,
    gathered: &GatheredContext,
    asked: &PromptTask,
    limit: Limit,
) -> Prompt {
    let budget = match limit {
        Limit::Budget(budget) => Some(budget),
        Limit::Endless | Limit::Window(_) => None,
    };
    let cut = Cut::new(style, gathered, asked, budget);
    let (above, below) = cut.local(gathered.unended);
    let joined = [cut.further.join("\n\n"), above]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n");
    let texts = (joined.as_str(), below.as_str());
    filled((style, gathered.form), asked, texts, limit, cut.short)
}

/// Fills the template with the texts above and below the function.
fn filled(
    (style, form): (PromptStyle, LocalPart),
    asked: &PromptTask,
    (above, below): (&str, &str),
    limit: Limit,
    is_short: bool,
) -> Prompt {
    let fill = |above: &str, below: &str| template::text(style, asked, above, below, form);
    let whole = fill(above, below);
    let (text, cut) = match limit {
        Limit::Window(window) => window.fit(whole, (above, below), asked, (style, form), fill),
        Limit::Endless | Limit::Budget(_) => (whole, is_short),
    };
    Prompt {
        tokens: count(&text),
        cut,
        text,
    }
}

/// The length of a text in tokens of `cl100k_base`.
pub fn tokens_of(text: &str) -> usize {
    count(text)
}

/// The texts of a context, cut to fit a budget.
struct Cut {
    above: String,
    below: String,
    /// The further snippets that fit. The last one may be shortened.
    further: Vec<String>,
    /// Whether anything was cut.
    short: bool,
}

impl Cut {
    fn new(
        style: PromptStyle,
        gathered: &GatheredContext,
        asked: &PromptTask,
        budget: Option<usize>,
    ) -> Self {
        let items = gathered.listing.items.as_slice();
        let (above, rest) = items.split_at(gathered.above.min(items.len()));
        let (below, further) = rest.split_at(gathered.below.min(rest.len()));
        let (above, below) = (joined(above), joined(below));
        let frame = template::text(style, asked, "", "", gathered.form);
        let mut left = Budget::new(budget, count(&frame));
        let (limit_above, limit_below) = left.share(count(&above), count(&below));
        Self {
            above: last_tokens(&above, limit_above),
            below: first_tokens(&below, limit_below),
            further: fitting(further, asked.language, &mut left),
            short: left.was_short(),
        }
    }
}

impl Cut {
    /// The texts above and below the function, with their final line feeds.
    fn local(&self, unended: bool) -> (String, String) {
        let (mut above, mut below) = (self.above.clone(), self.below.clone());
        if !above.is_empty() {
            above.push('\n');
        }
        if !below.is_empty() && !unended && !self.short {
            below.push('\n');
        }
        (above, below)
    }
}

fn joined(items: &[ContextItem]) -> String {
    let texts: Vec<String> = items.iter().map(ContextItem::text).collect();
    texts.join("\n")
}

/// The line above a snippet from another place than the local file: a comment in its language with its path.
fn heading(snippet: &ContextItem, language: Language) -> String {
    let comment = language.comment();
    format!("{comment} {}\n", snippet.path)
}

/// The snippets that fit, each below its heading, in their order. A heading alone is not shown.
fn fitting(snippets: &[ContextItem], language: Language, left: &mut Budget) -> Vec<String> {
    let mut shown = Vec::new();
    for snippet in snippets {
        let heading = heading(snippet, language);
        let text = format!("{heading}{}", snippet.text());
        let wanted = count(&text) + 1;
        let available = left.take(wanted);
        if available < wanted {
            let part = first_tokens(&text, available.saturating_sub(1));
            shown.extend((part.len() > heading.len()).then_some(part));
            break;
        }
        shown.push(text);
    }
    shown
}
