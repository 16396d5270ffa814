//! The request for a generation, its events, and its summary.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::record::{GenerationRecord, PromptForm};
use crate::benchmark::Namespace;
use crate::code::Extraction;
use crate::context::{Limit, PromptSetting, Retrieval, Window};
use crate::error::{Error, Result};
use crate::generation::{Parameters, Usage};
use crate::workspace::TaskRef;
use crate::workspace::drafts::DRAFTS_FILE;

/// What the answers of a set are: completions or drafts of requirements. As text, the value is the first part of the
/// path of the set's folder.
#[derive(Debug, Clone, PartialEq)]
pub enum SetKind {
    /// Completions, for prompts with this context.
    Completions(PromptSetting),
    /// Drafts of requirements.
    Requirements,
}

impl SetKind {
    /// The name of the file that is made from the answers of the set.
    pub(super) fn file(&self) -> &'static str {
        match self {
            Self::Completions(_) => "completion.jsonl",
            Self::Requirements => DRAFTS_FILE,
        }
    }
}

impl fmt::Display for SetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completions(setting) => setting.fmt(f),
            Self::Requirements => f.write_str("requirements"),
        }
    }
}

/// The request for a generation.
#[derive(Debug, Clone)]
pub struct GenerationRequest {
    /// The tasks.
    pub tasks: Vec<TaskRef>,
    /// The sets to generate.
    pub sets: Vec<SetKind>,
    /// How retrieval works; `None` for the default retrieval.
    pub retrieval: Option<Retrieval>,
    /// The style of the prompts, and the limits on their length.
    pub prompt: PromptForm,
    /// The prompts of a file of prompts, by namespace. `None` to make the prompts from the tasks' sources. With a file
    /// of prompts, `sets` has only one setting: the setting of the prompts in the file.
    pub prompts: Option<Arc<BTreeMap<Namespace, String>>>,
    /// The model, by the name that the server uses.
    pub model: String,
    /// The suffix that is added to the model's name in the names of folders: `_greedy`, or nothing.
    pub suffix: &'static str,
    /// The parameters of the requests to the model.
    pub parameters: Parameters,
    /// How many samples to generate for each task in each set.
    pub samples: u32,
    /// How completions are taken from answers.
    pub extraction: Extraction,
    /// The folder that the sets are written under.
    pub out: PathBuf,
}

impl GenerationRequest {
    /// The settings of the request's completion sets, in the order of the sets.
    pub fn settings(&self) -> Vec<PromptSetting> {
        let settings = self.sets.iter().filter_map(|set| match set {
            SetKind::Completions(setting) => Some(setting.clone()),
            SetKind::Requirements => None,
        });
        settings.collect()
    }

    /// The folder of a set under `out`: `<setting>[@rev][+wording]/<model>`, or `requirements/<model>`. In the model's
    /// name, characters other than letters, digits and `._-+@` are replaced by `_`.
    pub fn folder(&self, set: &SetKind) -> PathBuf {
        let plain = |c: char| {
            if c.is_alphanumeric() || "._-+@".contains(c) {
                c
            } else {
                '_'
            }
        };
        let model: String = self.model.chars().map(plain).collect();
        let model = format!("{}{}", model.trim_start_matches('.'), self.suffix);
        self.out.join(set.to_string()).join(model)
    }

    /// The limit on the length of the prompts.
    pub(super) fn limit(&self) -> Limit {
        let window = self.prompt.context_window.map(|tokens| {
            Limit::Window(Window {
                tokens,
                answer: self.parameters.max_tokens as usize,
            })
        });
        window
            .or(self.prompt.budget.map(Limit::Budget))
            .unwrap_or_default()
    }
}

/// A prompt, and the samples to request with the prompt.
#[derive(Debug, Clone)]
pub struct PlannedPrompt {
    /// The task.
    pub task: TaskRef,
    /// The index of the set in the request.
    pub set: usize,
    /// The text of the prompt.
    pub text: Arc<str>,
    /// The length of the prompt in tokens of `cl100k_base`.
    pub tokens: usize,
    /// Whether the context in the prompt was cut to fit.
    pub cut: bool,
    /// The SHA-256 of the text, in hexadecimal digits.
    pub(super) sha256: Arc<str>,
    /// The numbers of the missing samples.
    pub samples: Vec<u32>,
}

/// What a generation would send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DryRun {
    /// The number of requests that would be sent.
    pub requests: u64,
    /// The total length of the prompts of these requests, in tokens of `cl100k_base`.
    pub prompt_tokens: u64,
    /// The number of requested answers that are stored already.
    pub stored: u64,
    /// The number of pairs (task, set) that have no prompt.
    pub without_prompt: u64,
}

/// What happens during a generation. Text from a server is untrusted.
pub enum GenerationEvent<'a> {
    /// The generation has started.
    Began {
        /// The number of requested answers.
        total: usize,
        /// How many of the requested answers are stored already.
        stored: usize,
    },
    /// An answer is stored.
    Stored(&'a GenerationRecord),
    /// A request failed, so that a sample has no answer.
    Failed {
        /// The task.
        task: TaskRef,
        /// The set.
        set: &'a SetKind,
        /// The number of the sample, from 0.
        sample: u32,
        /// Why the request failed.
        why: Error,
    },
    /// A task has no prompt in a set.
    WithoutPrompt {
        /// The task.
        task: TaskRef,
        /// The set.
        set: &'a SetKind,
        /// Why there is no prompt.
        why: Error,
    },
    /// A request will be sent again.
    Retry {
        /// Why the request must be sent again.
        why: String,
        /// The time until the request is sent again.
        after: Duration,
        /// How many requests are sent in parallel from now on.
        at_once: usize,
    },
}

/// A function that receives the events of a generation. If it returns an error, the generation ends.
pub type GenerationReport<'a> = &'a mut dyn FnMut(GenerationEvent<'_>) -> Result<()>;

/// The summary of a generation.
#[derive(Debug, Clone, Default)]
pub struct GenerationSummary {
    /// The number of requested answers that were stored before this generation.
    pub stored: usize,
    /// The number of answers that this generation stored.
    pub answered: usize,
    /// The number of requests that failed.
    pub failed: usize,
    /// The number of pairs (task, set) that have no prompt.
    pub without_prompt: usize,
    /// The number of stored answers that the limit on tokens cut off, including answers of earlier generations.
    pub truncated: usize,
    /// The number of tokens that this generation used.
    pub usage: Usage,
    /// The stored answers of each set, in the order of the sets.
    pub sets: Vec<GeneratedSet>,
}

/// The stored answers of a set.
#[derive(Debug, Clone, Default)]
pub struct GeneratedSet {
    /// The file of completions or drafts that is made from the answers.
    pub file: PathBuf,
    /// How many of the requested answers are stored.
    pub answers: usize,
    /// The number of tokens of all stored answers in the set's folder, also of answers that were not requested.
    pub usage: Usage,
}
