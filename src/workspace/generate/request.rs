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

/// What the answers of a set are. The set's folder has the same name.
#[derive(Debug, Clone, PartialEq)]
pub enum SetKind {
    /// Completions, for prompts with this context.
    Completions(PromptSetting),
    /// Drafts of requirements.
    Requirements,
}

impl SetKind {
    /// The name of the file that is made from its answers.
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
    /// How retrieval works; `None` for the default.
    pub retrieval: Option<Retrieval>,
    /// The form of the prompts.
    pub prompt: PromptForm,
    /// The prompts by namespace, where they come from a file instead of the tasks' sources. There is then one setting,
    /// which says what context they show.
    pub prompts: Option<Arc<BTreeMap<Namespace, String>>>,
    /// The model, by the name that the server uses.
    pub model: String,
    /// The suffix of the names of its folders: `_greedy`, or nothing.
    pub suffix: &'static str,
    /// The parameters of the requests to the model.
    pub parameters: Parameters,
    /// How many samples each task has.
    pub samples: u32,
    /// How completions are taken from answers.
    pub extraction: Extraction,
    /// The folder that the sets are written under.
    pub out: PathBuf,
}

impl GenerationRequest {
    /// The settings of its completion sets, in the order of the sets.
    pub fn settings(&self) -> Vec<PromptSetting> {
        let settings = self.sets.iter().filter_map(|set| match set {
            SetKind::Completions(setting) => Some(setting.clone()),
            SetKind::Requirements => None,
        });
        settings.collect()
    }

    /// The folder of a set: `<setting>[@rev][+wording]/<model>`, or `requirements/<model>`, under `out`.
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

    /// The limit on the length of its prompts.
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

/// A prompt, with the samples that are missing for it.
#[derive(Debug, Clone)]
pub struct PlannedPrompt {
    /// The task.
    pub task: TaskRef,
    /// The index of its set in the request.
    pub set: usize,
    /// Its text.
    pub text: Arc<str>,
    /// Its length in tokens of `cl100k_base`.
    pub tokens: usize,
    /// Whether context was cut to fit.
    pub cut: bool,
    /// Its SHA-256.
    pub(super) sha256: Arc<str>,
    /// The numbers of the missing samples.
    pub samples: Vec<u32>,
}

/// What a generation would send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DryRun {
    /// How many requests.
    pub requests: u64,
    /// The length of their prompts, in tokens of `cl100k_base`.
    pub prompt_tokens: u64,
    /// How many answers are stored already.
    pub stored: u64,
    /// How many pairs of a task and a set have no prompt.
    pub without_prompt: u64,
}

/// What happens during a generation. Text from a server is untrusted.
pub enum GenerationEvent<'a> {
    /// How many requests there are at most, and how many answers are stored already.
    Began {
        /// How many answers are asked for in all.
        total: usize,
        /// How many of them are already stored.
        stored: usize,
    },
    /// An answer is stored.
    Stored(&'a GenerationRecord),
    /// A request has no answer.
    Failed {
        /// The task.
        task: TaskRef,
        /// Its set.
        set: &'a SetKind,
        /// The number of the sample.
        sample: u32,
        /// Why.
        why: Error,
    },
    /// A task has no prompt.
    WithoutPrompt {
        /// The task.
        task: TaskRef,
        /// Its set.
        set: &'a SetKind,
        /// Why.
        why: Error,
    },
    /// A request will be sent again.
    Retry {
        /// Why.
        why: String,
        /// After how long.
        after: Duration,
        /// How many requests are sent at once from now on.
        at_once: usize,
    },
}

/// Receives the events of a generation. An error from it ends the generation.
pub type GenerationReport<'a> = &'a mut dyn FnMut(GenerationEvent<'_>) -> Result<()>;

/// The summary of a generation.
#[derive(Debug, Clone, Default)]
pub struct GenerationSummary {
    /// Answers that were stored before.
    pub stored: usize,
    /// Answers that this run stored.
    pub answered: usize,
    /// Requests without an answer.
    pub failed: usize,
    /// Pairs of a task and a set without a prompt.
    pub without_prompt: usize,
    /// Stored answers, of this run and before, that the limit on tokens cut off.
    pub truncated: usize,
    /// The tokens that this run used.
    pub usage: Usage,
    /// The stored answers of each set, in the order of the sets.
    pub sets: Vec<GeneratedSet>,
}

/// The stored answers of a set.
#[derive(Debug, Clone, Default)]
pub struct GeneratedSet {
    /// The file that is made from them, with completions or drafts.
    pub file: PathBuf,
    /// How many of the answers that were asked for are stored.
    pub answers: usize,
    /// The tokens of all answers in the folder.
    pub usage: Usage,
}
