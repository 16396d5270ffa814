//! Overlays, which take the keys until Esc.

use super::generation_form::Row;
use super::goto_task::GoToTask;
use super::input::Input;
use super::list::Cursor;

/// The overlay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overlay {
    /// The keys that work here, and what they do.
    Help {
        /// First line in sight.
        top: usize,
    },
    /// Every command by name.
    Palette {
        /// What is typed.
        input: Input,
        /// The chosen row.
        cursor: Cursor,
    },
    /// What the annotator has reviewed, latest first.
    Reviewed {
        /// The chosen row.
        cursor: Cursor,
    },
    /// Tasks by parts of their names.
    GoToTask(GoToTask),
    /// Lines of the sources that hold a text.
    Found {
        /// The chosen row.
        cursor: Cursor,
    },
    /// A line of text that a pane asked for.
    Prompt {
        /// What it is for.
        prompt: Prompt,
        /// What is typed.
        input: Input,
    },
    /// A text to read: an error in full, the loaded data.
    Text {
        /// The heading.
        title: String,
        /// The lines.
        text: String,
        /// First line in sight.
        top: usize,
    },
}

/// What a typed line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompt {
    /// The filter of the task list; applied while typing.
    Filter,
    /// A text to find in the focused pane; found while typing.
    Find,
    /// A text to look for in all sources.
    Sources,
    /// A revision for the context.
    Revision,
    /// What rows of a run must hold; applied while typing.
    Run,
    /// A note on the requirement under review.
    Note,
    /// A field of the generation's form.
    Generation(Row),
}

/// The severity of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Something was done.
    Done,
    /// Something cannot be done, or is in doubt.
    Warning,
    /// Something failed.
    Error,
}

/// A message of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The severity.
    pub severity: Severity,
    /// What it says.
    pub text: String,
}
