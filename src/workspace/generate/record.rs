//! A stored answer: one line of `records.jsonl`.

use serde::{Deserialize, Serialize};

use crate::benchmark::{DraftLine, DraftOrigin, DraftedRequirement};
use crate::code::Extraction;
use crate::context::PromptStyle;
use crate::error::{Error, Result};
use crate::generation::{Parameters, TokenProbability, Usage};

/// The form of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PromptForm {
    /// Which kind of model the prompts are for.
    pub style: PromptStyle,
    /// Their greatest length, in tokens of `cl100k_base`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
    /// The context window that contexts are cut to, as the official `make_prompt.py` does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<usize>,
}

/// A stored answer with everything that was sent in the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GenerationRecord {
    /// The target's dotted name.
    pub namespace: String,
    /// The task.
    pub task: String,
    /// The number of the sample.
    pub sample: u32,
    /// The set: the setting with its moment and wording, or `requirements`; the same text as in the folder's name.
    pub setting: String,
    /// The model that was asked for.
    pub model: String,
    /// The SHA-256 of the prompt.
    pub prompt_sha256: String,
    /// The prompt's length in tokens of `cl100k_base`.
    pub prompt_length: usize,
    /// Whether context was cut to fit.
    pub cut: bool,
    /// The form of the prompt.
    pub prompt: PromptForm,
    /// The parameters of the request.
    pub parameters: Parameters,
    /// The seed of this sample.
    pub seed: Option<u64>,
    /// The model as the server calls it.
    pub server_model: Option<String>,
    /// The server's configuration, where the server reports it.
    pub system_fingerprint: Option<String>,
    /// Why the answer ends, in the word of the server.
    pub finish_reason: Option<String>,
    /// Whether the limit on tokens cut it off.
    pub truncated: bool,
    /// The tokens that the request used, where the server reports them.
    pub usage: Option<Usage>,
    /// How long the server took, in seconds.
    pub seconds: f64,
    /// How often the request was sent.
    pub attempts: u32,
    /// The answer, unchanged.
    pub answer: String,
    /// The completion that was taken from the answer, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<String>,
    /// The drafted requirement that was taken from the answer, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirement: Option<DraftedRequirement>,
    /// How the completion was taken. Absent for languages without extraction, where it is the first fenced block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extraction: Option<Extraction>,
    /// The completion that the other way of extraction gives, where that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_extraction: Option<String>,
    /// The tokens of the answer with the logarithms of their probabilities, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logprobs: Vec<TokenProbability>,
}

impl GenerationRecord {
    /// The record's line in the file that is made from the records. In a completion file, it has the namespace, the
    /// completion, and the task's id where that is not the namespace. In a file of drafts, it has the draft with its
    /// origin.
    pub(super) fn line(&self) -> Result<String> {
        let task_id = (self.task != self.namespace).then(|| self.task.clone());
        if let Some(requirement) = &self.requirement {
            let line = DraftLine {
                task_id,
                namespace: self.namespace.clone(),
                requirement: requirement.clone(),
                origin: DraftOrigin {
                    model: self.model.clone(),
                    prompt_sha256: self.prompt_sha256.clone(),
                },
            };
            let line = serde_json::to_string(&line)
                .map_err(|why| Error::internal(format!("cannot write JSON: {why}")))?;
            return Ok(format!("{line}\n"));
        }
        let mut line = serde_json::Map::new();
        if let Some(id) = task_id {
            line.insert("task_id".to_owned(), id.into());
        }
        line.insert("namespace".to_owned(), self.namespace.clone().into());
        line.insert("completion".to_owned(), self.completion.clone().into());
        Ok(format!("{}\n", serde_json::Value::Object(line)))
    }
}
