//! Evaluating a completion.

use super::Desk;
use crate::error::{Cancel, Error, Result};
use crate::tui::message::{Answer, News};
use crate::workspace::TaskRef;

impl Desk {
    /// Evaluates a completion; its log is told as it comes.
    #[expect(clippy::unused_self, reason = "the sandboxes hang on the desk")]
    pub(super) fn evaluate(
        &self,
        _task: TaskRef,
        _completion: usize,
        cancel: &Cancel,
        _tell: &(dyn Fn(News) + Sync),
    ) -> Result<Answer> {
        cancel.check()?;
        Err(Error::sandbox("no sandbox is built into this version yet"))
    }
}
