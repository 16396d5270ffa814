//! The review modes, and which events of the log belong to each.

use super::event::{Change, ReviewEvent, ReviewSubject};

/// The kind of items that are reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Requirements: three questions and a decision. The annotator does not see other judgements.
    #[default]
    Requirements,
    /// Two wordings of a requirement, side by side. The annotator does not see the names of the wordings.
    Pairs,
    /// The causes of failed completions. The annotator does not see other judgements.
    Failures,
    /// Finished judgements of other annotators. The annotator judges first, then sees the other judgement and confirms
    /// or contests it.
    Checks,
    /// Labels with different values from different annotators. An annotator settles them one by one.
    Conflicts,
}

impl Mode {
    /// The next mode, in a cycle.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Requirements => Self::Pairs,
            Self::Pairs => Self::Failures,
            Self::Failures => Self::Checks,
            Self::Checks => Self::Conflicts,
            Self::Conflicts => Self::Requirements,
        }
    }

    /// The name of the mode on the screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Requirements => "requirements",
            Self::Pairs => "pairs",
            Self::Failures => "failures",
            Self::Checks => "double check",
            Self::Conflicts => "conflicts",
        }
    }

    /// Whether an event belongs to the mode. A settlement belongs only to [`Mode::Conflicts`]. Every other event,
    /// including an undo, belongs to the mode of its subject.
    pub fn covers(self, event: &ReviewEvent) -> bool {
        let settles = matches!(event.change, Change::Adjudicate { .. });
        match (self, &event.subject) {
            (Self::Conflicts, _) => settles,
            (Self::Requirements, ReviewSubject::Requirement)
            | (Self::Pairs, ReviewSubject::Pair { .. })
            | (Self::Failures, ReviewSubject::Failure { .. })
            | (Self::Checks, ReviewSubject::Check { .. }) => !settles,
            _ => false,
        }
    }

    /// Whether the mode needs the events of other annotators. If not, it gets only the annotator's own events.
    pub fn reads_others(self) -> bool {
        matches!(self, Self::Checks | Self::Conflicts)
    }
}
