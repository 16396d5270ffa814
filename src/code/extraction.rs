//! Takes the body from a model's answer, in one of two ways.

use serde::{Deserialize, Serialize};

use super::answer::{
    body_by_name, continuation_body, extraction_difference, fenced_code, official_body,
};
use crate::benchmark::{LanguageFeature, RawAnswer, Task, vocabulary};

vocabulary! {
    /// How the completion is taken from an answer to a Python task.
    Extraction: "a way to extract a body" {
        /// As the official `process_completion.py` does.
        Official = "official",
        /// The body of the function with the target's name, in any fenced block. If there is none, as the official
        /// script does.
        ByName = "name",
    }
}

/// A completion, and how it was taken from its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// The completion.
    pub completion: String,
    /// How it was taken. `None` for languages without extraction, where it is the first fenced block.
    pub extraction: Option<Extraction>,
    /// The body that the other way takes, if it differs.
    pub other: Option<OtherBody>,
}

/// The body that the other way of extraction takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherBody {
    /// The other way.
    pub extraction: Extraction,
    /// The body.
    pub completion: String,
    /// Why the two differ.
    pub why: &'static str,
}

impl Extracted {
    /// Takes the completion of a task from an answer of the given kind.
    pub fn of(answer: &str, kind: RawAnswer, task: &Task, how: Extraction) -> Self {
        if !task.language.has(LanguageFeature::OfficialExtraction) {
            return Self {
                completion: fenced_code(answer),
                extraction: None,
                other: None,
            };
        }
        let name = task.namespace.name();
        let official = match kind {
            RawAnswer::Chat => official_body(answer, name),
            RawAnswer::Continuation => continuation_body(answer),
        };
        let Some(named) = body_by_name(answer, name).filter(|named| *named != official) else {
            return Self {
                completion: official,
                extraction: Some(how),
                other: None,
            };
        };
        let (completion, extraction, other) = match how {
            Extraction::ByName => (named, Extraction::Official, official),
            Extraction::Official => (official, Extraction::ByName, named),
        };
        Self {
            completion,
            extraction: Some(how),
            other: Some(OtherBody {
                extraction,
                completion: other,
                why: extraction_difference(answer, name, kind == RawAnswer::Chat),
            }),
        }
    }
}
