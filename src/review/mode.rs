//! What is reviewed, and which events of the log belong to it.

use super::event::{Change, ReviewEvent, ReviewSubject};

/// What is reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Requirements: complete, clear, natural; accept or reject. Blind.
    #[default]
    Requirements,
    /// Two wordings of a requirement, side by side. Blind.
    Pairs,
    /// Failed completions: their causes. Blind.
    Failures,
    /// Another's finished judgements, confirmed or contested after one's own. Blind until then.
    Checks,
    /// Labels under which others differ, settled one by one.
    Conflicts,
}

impl Mode {
    /// The next in turn.
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

    /// Its name on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Requirements => "requirements",
            Self::Pairs => "pairs",
            Self::Failures => "failures",
            Self::Checks => "double check",
            Self::Conflicts => "conflicts",
        }
    }

    /// Whether an event belongs to the mode. An undo belongs where the event that it names does, which has its subject,
    /// except that a settlement and its undo have the subject that was in conflict.
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

    /// Whether the mode needs what others said. The other modes are given the annotator's own events only.
    pub fn reads_others(self) -> bool {
        matches!(self, Self::Checks | Self::Conflicts)
    }
}
