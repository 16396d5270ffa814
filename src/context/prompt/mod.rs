//! Prompts as the official scripts of EvoCodeBench and DevEval build them.
//!
//! For instruction-tuned models a template says what is asked and fences the contexts above and below the function and
//! the code to be completed. For plain language models the texts follow each other, the one to be continued last:
//! further context, what is above, the code. The text below is marked by the model's own tokens, or comes first for models
//! without such tokens, for which the official scripts have no infilling. Further context (imported files, similar
//! functions, snippets) counts as the text above, each snippet below a comment with its path. No official script builds
//! such prompts; the papers show the path or the name of each snippet.

mod budget;
mod elements;
mod shown;
mod template;
#[cfg(test)]
mod tests;
mod window;

use std::fmt;
use std::str::FromStr;

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
        /// Plain language models: the texts alone, the code to be completed last.
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
    /// `LM_inference.py`; as text they are those of the models' tokenizers.
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
    /// The class of a Python method, which a prompt without the local file names.
    pub class: Option<String>,
    /// Its language.
    pub language: Language,
    /// Whether the code is the whole prompt where no context is shown (CoderEval).
    pub is_prompt: bool,
}

impl PromptTask {
    /// The code to be completed; below its class's line where the prompt shows no local file.
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
    /// As long as it is.
    #[default]
    Endless,
    /// At most so many tokens of `cl100k_base`: see [`prompt`].
    Budget(usize),
    /// As the official `make_prompt.py` fits a model's context window: see [`Window`].
    Window(Window),
}

/// A prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Its text.
    pub text: String,
    /// Its length in tokens of `cl100k_base`.
    pub tokens: usize,
    /// Whether context was cut to fit the budget.
    pub cut: bool,
}

/// The signature's lines, a blank line, and the requirement and, where the benchmark has them apart, the arguments as
/// a docstring that is indented by `indent` columns. The texts stay as they are written, blank lines too, as in the
/// released prompts of `DevEval`.
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

/// Builds a prompt. The text above the function ends with a line end, as in its file, and so does the text below it.
///
/// Further snippets (imported, sibling and similar files, similar functions, retrieved windows, definitions of the
/// reference dependencies) follow each other with a blank line between them, each below a comment with its path.
///
/// Under [`Limit::Budget`] it has at most so many tokens of `cl100k_base`. What is asked and the template's words are
/// never cut. Of the rest, 8 tokens are reserved for joints. It goes to the local file first, half to what is above,
/// which loses its beginning, and half to what is below, which loses its end; what one half does not need the other may
/// use. Then come the further snippets in their order, each with its path and one token for its joint, the last one that
/// fits only in part losing its end; a path without a line of its snippet is not shown. A token at a cut that holds only
/// part of a character goes too.
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

/// Fits the template to the texts above and below the function.
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

/// The texts of a context, cut to a budget.
struct Cut {
    above: String,
    below: String,
    /// The further snippets that fit, the last one perhaps in part.
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
    /// The texts above and below the function, with their last line ends.
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

/// The line above a snippet of another place than the local file, which names its file: a comment of the language.
fn heading(snippet: &ContextItem, language: Language) -> String {
    let comment = match language {
        Language::Python => "#",
        Language::Java => "//",
    };
    format!("{comment} {}\n", snippet.path)
}

/// The snippets that fit below their headings, in their order. A heading alone is not shown.
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
