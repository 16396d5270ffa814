//! The overlay in which the user goes to a task by typing parts of the task's name. The overlay also finds tasks that
//! the filter hides.

use super::input::Input;
use super::list::Cursor;
use crate::workspace::TaskRef;

/// The typed text, and the tasks that match it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GoToTask {
    /// The typed text.
    pub input: Input,
    /// The matching tasks, the best match first. If too many tasks match, the list has only the best matches.
    pub found: Vec<TaskRef>,
    /// The number of all matching tasks.
    pub matched: usize,
    /// The position of the cursor in `found`.
    pub cursor: Cursor,
}
