//! The overlay for going to a task by parts of its name. The overlay also finds tasks that the filter hides.

use super::input::Input;
use super::list::Cursor;
use crate::workspace::TaskRef;

/// The typed text, and the tasks that match it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GoToTask {
    /// The typed text.
    pub input: Input,
    /// The best matches, best first. If there are too many to show, only the first ones.
    pub found: Vec<TaskRef>,
    /// The number of tasks that match.
    pub matched: usize,
    /// The chosen row of `found`.
    pub cursor: Cursor,
}
