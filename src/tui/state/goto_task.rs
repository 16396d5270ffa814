//! The overlay that goes to a task by parts of its name. It also finds tasks that the filter hides.

use super::input::Input;
use super::list::Cursor;
use crate::workspace::TaskRef;

/// The typed text, and the tasks that match it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GoToTask {
    /// The typed text.
    pub input: Input,
    /// The best matches, best first.
    pub found: Vec<TaskRef>,
    /// How many match.
    pub matched: usize,
    /// The chosen row.
    pub cursor: Cursor,
}
