//! Searches for a text in the sources of all projects.

use std::sync::Arc;

use super::WorkerState;
use crate::error::{Cancel, Result};
use crate::tui::message::Answer;

impl WorkerState {
    /// Searches for a text in the latest version of every project.
    pub(super) fn search(&self, text: &str, cancel: &Cancel) -> Result<Answer> {
        let workspace = self.workspace()?;
        let found = workspace.search_sources(self.contexts(), text, cancel)?;
        Ok(Answer::Searched(Arc::new(found)))
    }
}
