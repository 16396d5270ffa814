//! The overlay that goes to a task by parts of its name, whatever the filter lets through.

use super::input::Input;
use super::list::Cursor;
use crate::workspace::TaskRef;

/// What is typed, and the tasks that it finds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Jump {
    /// What is typed.
    pub input: Input,
    /// The best matches, best first.
    pub found: Vec<TaskRef>,
    /// How many match.
    pub matched: usize,
    /// The chosen row.
    pub cursor: Cursor,
}
