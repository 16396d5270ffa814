//! The colours of source lines.

use std::sync::{Arc, PoisonError};

use super::Desk;
use crate::error::{Cancel, Result};
use crate::tui::highlight::Highlighter;
use crate::tui::message::Answer;
use crate::tui::state::document::{Colours, Document};

/// The document that was coloured last, with what its parsing gave.
pub(super) struct Kept {
    document: Arc<Document>,
    highlighter: Arc<Highlighter>,
}

impl Desk {
    /// Colours a block of a document's lines; the next block of the same document is cheap.
    pub(super) fn colour(
        &self,
        document: &Arc<Document>,
        block: usize,
        cancel: &Cancel,
    ) -> Result<Answer> {
        let highlighter = self.highlighter(document);
        let roles = highlighter.roles(Colours::lines(block), cancel)?;
        Ok(Answer::Colours(Arc::clone(document), block, roles))
    }

    fn highlighter(&self, document: &Arc<Document>) -> Arc<Highlighter> {
        let mut kept = self.colours.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = &*kept
            && Arc::ptr_eq(&kept.document, document)
        {
            return Arc::clone(&kept.highlighter);
        }
        let lines = Arc::clone(&document.text);
        let highlighter = Arc::new(Highlighter::new(document.path.as_str(), lines));
        *kept = Some(Kept {
            document: Arc::clone(document),
            highlighter: Arc::clone(&highlighter),
        });
        highlighter
    }
}
