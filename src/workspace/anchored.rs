//! Where targets were found.

use super::source::SourceText;
use crate::benchmark::{Diagnostic, Position, Task};
use crate::code::AnchorState;

/// Where a task's target was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Anchored {
    /// Exact, moved or missing; `None` where the project's sources are not available.
    pub state: Option<AnchorState>,
    /// Signature and body as found.
    pub position: Option<Position>,
}

/// Where the targets of a benchmark's tasks were found, and what was wrong with the sources.
#[derive(Debug, Clone, Default)]
pub(crate) struct Anchors {
    /// In the order of the tasks.
    pub(crate) found: Vec<Anchored>,
    /// Files that cannot be read, recorded positions outside their file.
    pub(crate) faults: Vec<Diagnostic>,
}

impl Anchored {
    /// As found in `source`.
    pub(crate) fn of(task: &Task, source: &SourceText) -> Self {
        let anchor = source.anchor(task);
        Self {
            state: Some(anchor.state),
            position: anchor.position(),
        }
    }
}
