//! Takes the body from a model's answer, either as the official script does or by the target's name.

use serde::{Deserialize, Serialize};

use super::answer::{
    body_by_name, continuation_body, extraction_difference, fenced_code, official_body,
};
use super::final_answer::final_answer;
use crate::benchmark::{LanguageFeature, RawAnswer, Task, vocabulary};

vocabulary! {
    /// How the completion is taken from an answer to a Python task.
    Extraction: "a way to extract a body" {
        /// Takes the body as the official `process_completion.py` does.
        Official = "official",
        /// Takes the body of the function with the target's name, from any fenced block. If the answer does not define
        /// this function, takes the body as the official script does.
        ByName = "name",
    }
}

/// A completion, and how it was taken from a model's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// The completion.
    pub completion: String,
    /// The requested way of extraction. `None` for languages without extraction: their completion is the answer's first
    /// fenced block, or the whole answer if it has no fenced block.
    pub extraction: Option<Extraction>,
    /// The body that the other way of extraction takes. `None` if both ways take the same body, and for languages
    /// without extraction.
    pub other: Option<OtherBody>,
}

/// The body that the other way of extraction takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherBody {
    /// The other way of extraction.
    pub extraction: Extraction,
    /// The body.
    pub completion: String,
    /// For users: why this body differs from the completion.
    pub why: &'static str,
}

impl Extracted {
    /// Takes the completion of `task` from an answer of the kind `kind`. Of a model that thinks, only the
    /// [`final_answer`] counts. `how` is ignored for languages without
    /// extraction.
    pub fn of(answer: &str, kind: RawAnswer, task: &Task, how: Extraction) -> Self {
        let answer = final_answer(answer);
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
