//! The log's entries: who said what of which task, and when.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::benchmark::{DraftOrigin, RequirementStyle, TaskId, vocabulary};

vocabulary! {
    /// What a requirement is asked for.
    Question: "a question" {
        /// Does it say everything that is needed?
        Complete = "complete",
        /// Is it understood without guessing?
        Clear = "clear",
        /// Does it read as a developer would write it?
        Natural = "natural",
    }
}

vocabulary! {
    /// An answer to a question.
    Answer: "an answer" {
        /// Yes.
        Yes = "yes",
        /// No.
        No = "no",
        /// The annotator is not sure.
        Unsure = "unsure",
    }
}

vocabulary! {
    /// What becomes of a requirement.
    Decision: "a decision" {
        /// It stays in the benchmark.
        Accept = "accept",
        /// It does not.
        Reject = "reject",
        /// Passed over for now; it comes again at the end.
        Skip = "skip",
        /// It stays, and someone should look at it.
        Flag = "flag",
    }
}

vocabulary! {
    /// How the first of two texts fares against the second.
    Outcome: "an outcome" {
        /// The first is better.
        Win = "win",
        /// Neither is.
        Tie = "tie",
        /// The second is better.
        Lose = "lose",
    }
}

/// An event's name, unique over all files: what makes merging and importing twice the same as once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Uid(pub(super) String);

impl Uid {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What of a task is reviewed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReviewSubject {
    /// Its requirement.
    Requirement,
    /// Two wordings of its requirement, side by side and blind.
    Pair {
        /// The name of the first text: `human`.
        first: String,
        /// The name of the second text: `generated`.
        second: String,
    },
    /// Why a completion failed.
    Failure {
        /// The model.
        model: String,
        /// The setting.
        setting: String,
        /// The 0-based place among the model's samples for the task.
        sample: u32,
    },
    /// Another's judgement of the requirement: one's own first, then whether the other's is confirmed.
    Check {
        /// The annotator who made that judgement.
        annotator: String,
    },
}

/// One thing that an annotator did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Answered a question about the requirement; `None` takes the answer back.
    Answer {
        /// The question.
        question: Question,
        /// The answer.
        answer: Option<Answer>,
    },
    /// Decided about the requirement.
    Decide(Decision),
    /// Rewrote the requirement's text.
    Edit {
        /// Which of the benchmark's texts.
        style: RequirementStyle,
        /// The text as it was in the benchmark; empty where it had none.
        original: String,
        /// The text as it should be.
        text: String,
        /// The draft that the text was taken from, where there was one; the annotator may have changed it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<DraftOrigin>,
        /// Whether this accepts the requirement too: a draft taken as it is.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        accepts: bool,
    },
    /// Wrote a note; an empty one takes it back.
    Note(String),
    /// Preferred one of two texts; the outcome is that of the subject's first text, whether it was shown left or right.
    Prefer(Outcome),
    /// Gave or took back a cause of a failure.
    Cause {
        /// The cause's id in the codebook.
        cause: String,
        /// The codebook's name and version.
        codebook: String,
        /// Whether it is given (or taken back).
        given: bool,
    },
    /// Confirmed or contested another's finished judgement, as a second person who sees it.
    Check {
        /// The annotator who made that judgement.
        annotator: String,
        /// Whether it is confirmed.
        agrees: bool,
    },
    /// Settled a conflict: the label's final value, whatever the annotators chose.
    Adjudicate {
        /// The label's name: `complete`, `decision`, `preference`, `cause`.
        label: String,
        /// What holds; for causes, their ids joined by `+`.
        value: String,
    },
    /// Took an earlier event back.
    Undo(Uid),
}

impl Change {
    /// Whether the change ends the item, so that the next one comes: a decision, a preference, a finished check. Causes, of
    /// which there may be several, do not; nor does the decision before a check.
    pub fn ends(&self, subject: &ReviewSubject) -> bool {
        match (self, subject) {
            (Self::Decide(decision), ReviewSubject::Check { .. }) => *decision == Decision::Skip,
            (
                Self::Decide(_)
                | Self::Prefer(_)
                | Self::Check { .. }
                | Self::Edit { accepts: true, .. },
                _,
            ) => true,
            _ => false,
        }
    }

    /// The change in a few words, for a message about it.
    pub fn summary(&self) -> String {
        match self {
            Self::Answer {
                question,
                answer: Some(answer),
            } => format!("the answer {answer} to '{question}'"),
            Self::Answer {
                question,
                answer: None,
            } => format!("the removal of the answer to '{question}'"),
            Self::Decide(decision) => format!("the decision {decision}"),
            Self::Edit { origin: None, .. } => "the rewritten requirement".to_owned(),
            Self::Edit { accepts: true, .. } => "the accepted draft".to_owned(),
            Self::Edit { .. } => "the rewritten draft".to_owned(),
            Self::Note(_) => "the note".to_owned(),
            Self::Prefer(_) => "the preference".to_owned(),
            Self::Cause {
                cause, given: true, ..
            } => format!("the cause {cause}"),
            Self::Cause {
                cause,
                given: false,
                ..
            } => format!("the removal of the cause {cause}"),
            Self::Check { agrees: true, .. } => "the confirmation".to_owned(),
            Self::Check { agrees: false, .. } => "the objection".to_owned(),
            Self::Adjudicate { label, .. } => format!("the settled value of '{label}'"),
            Self::Undo(_) => "an undo".to_owned(),
        }
    }
}

/// One entry of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReviewEvent {
    /// Its name.
    pub uid: Uid,
    /// Who.
    pub annotator: String,
    /// Of which task.
    pub task: TaskId,
    /// Of what of it.
    pub subject: ReviewSubject,
    /// When, in milliseconds since 1970; never before the same annotator's event before it.
    pub at: i64,
    /// Seconds spent on the task since the event before it.
    pub seconds: f64,
    /// What was done.
    pub change: Change,
}
