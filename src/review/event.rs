//! The entries of the review log: an annotator, a task, a change and a time.

use serde::{Deserialize, Serialize};

use crate::benchmark::{DraftOrigin, RequirementStyle, TaskId, vocabulary};

vocabulary! {
    /// A question about a requirement.
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
    /// The decision about a requirement.
    Decision: "a decision" {
        /// The requirement stays in the benchmark.
        Accept = "accept",
        /// The requirement does not stay in the benchmark.
        Reject = "reject",
        /// Skipped for now; it comes again at the end of the queue.
        Skip = "skip",
        /// The requirement stays, but someone should look at it.
        Flag = "flag",
    }
}

vocabulary! {
    /// The result of comparing the first of two texts with the second.
    Outcome: "an outcome" {
        /// The first is better.
        Win = "win",
        /// Neither is better.
        Tie = "tie",
        /// The second is better.
        Lose = "lose",
    }
}

/// An event's id, unique over all files. It makes repeated merges and imports harmless.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Uid(pub(super) String);

impl Uid {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The subject of a review: the part of a task that is reviewed.
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
        /// The 0-based index among the model's samples for the task.
        sample: u32,
    },
    /// Another annotator's judgement of the requirement. The reviewer judges first, then confirms or contests the
    /// other's.
    Check {
        /// The annotator who made the other judgement.
        annotator: String,
    },
}

/// One thing that an annotator did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Answered a question about the requirement; `None` removes the answer.
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
        /// The text in the benchmark; empty where it had none.
        original: String,
        /// The new text.
        text: String,
        /// The draft that the text was taken from, if any. The annotator may have changed it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<DraftOrigin>,
        /// Whether this also accepts the requirement, as when a draft is taken unchanged.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        accepts: bool,
    },
    /// Wrote a note; an empty note removes it.
    Note(String),
    /// Preferred one of two texts. The outcome is that of the subject's first text, independent of its place on screen.
    Prefer(Outcome),
    /// Set or removed a cause of a failure.
    Cause {
        /// The cause's id in the codebook.
        cause: String,
        /// The codebook's name and version.
        codebook: String,
        /// Whether the cause is set (or removed).
        given: bool,
    },
    /// Confirmed or contested another annotator's finished judgement, after seeing it.
    Check {
        /// The annotator who made that judgement.
        annotator: String,
        /// Whether it is confirmed.
        agrees: bool,
    },
    /// Settled a conflict: gave a label its final value, whatever the annotators chose.
    Adjudicate {
        /// The label's name: `complete`, `decision`, `preference`, `cause`.
        label: String,
        /// The final value; for causes, their ids joined by `+`.
        value: String,
    },
    /// Undid an earlier event.
    Undo(Uid),
}

impl Change {
    /// Whether the change finishes the item, so that the next item follows: a decision, a preference, a finished check,
    /// or an edit that accepts. A cause does not, because there may be several. The decision that precedes a check does
    /// not either, unless it is a skip.
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

    /// The change in a few words, for a message.
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
    /// The id.
    pub uid: Uid,
    /// The annotator.
    pub annotator: String,
    /// The task.
    pub task: TaskId,
    /// The subject: the reviewed part of the task.
    pub subject: ReviewSubject,
    /// The time in milliseconds since 1970; never before that of the same annotator's previous event.
    pub at: i64,
    /// Seconds spent on the task since the previous event.
    pub seconds: f64,
    /// The change.
    pub change: Change,
}
