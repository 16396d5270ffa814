//! What wakes the event loop.

use super::message::Msg;
use crate::error::Result;

/// What wakes the loop.
#[derive(Debug)]
pub enum Wake {
    /// A message for `update`.
    Msg(Msg),
    /// The terminal's size may have changed.
    Resized,
    /// The process received SIGINT.
    Interrupt,
    /// The process received [`MARK`](super::input::MARK), which it sends itself.
    Mark,
    /// What happened to the user's editor.
    Editor(EditorNews),
    /// The process was asked to stop (SIGTSTP).
    Stop,
    /// The process continues after it was stopped (SIGCONT).
    Continued,
}

/// What happened to the editor's process.
#[derive(Debug)]
pub enum EditorNews {
    /// It was stopped, for example by Ctrl-Z.
    Stopped,
    /// It ended. An error if it did not succeed.
    Ended(Result<()>),
}
