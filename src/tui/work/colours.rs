//! The colours of source lines.

use std::sync::{Arc, PoisonError};

use super::Desk;
use crate::error::{Cancel, Error, Result};
use crate::tui::highlight::{Highlighter, LineRoles, SourceLines};
use crate::tui::message::Answer;
use crate::tui::state::context::{Shown, Tree};
use crate::tui::state::document::{Colours, Document};
use crate::workspace::TaskRef;

/// The document that was coloured last, with what its parsing gave.
pub(super) struct Cached {
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

    /// Colours a block of an item's lines: as they are in their file, or alone where the file has other lines there.
    pub(super) fn colour_item(
        &self,
        (task, tree): (TaskRef, &Tree),
        shown: &Arc<Shown>,
        (item, block): (usize, usize),
        cancel: &Cancel,
    ) -> Result<Answer> {
        let found = shown
            .listing
            .items
            .get(item)
            .ok_or_else(|| Error::internal("no such item"))?;
        let workspace = self.workspace()?;
        let snapshot = self.snapshot(&workspace, task, tree, cancel)?;
        let first = found.start as usize - 1;
        let whole = snapshot.read_path(&found.path)?;
        let whole = whole.map(|bytes| Arc::new(SourceLines::of_bytes(&bytes)));
        let own = found.lines.iter().map(|line| &*line.text);
        let whole = whole.filter(|text| {
            let lines = first..(first + found.lines.len()).min(text.count());
            lines.len() == found.lines.len() && own.eq(lines.map(|line| text.line(line)))
        });
        let (text, first) = match whole {
            Some(text) => (text, first),
            None => (Arc::new(SourceLines::new(&found.text())), 0),
        };
        let wanted = Colours::lines(block);
        let end = wanted.end.min(found.lines.len());
        let highlighter = Highlighter::new(found.path.as_str(), text);
        let mut roles = highlighter.roles(first + wanted.start..first + end, cancel)?;
        roles.resize(wanted.len(), LineRoles::new());
        Ok(Answer::ItemColours(Arc::clone(shown), item, block, roles))
    }

    fn highlighter(&self, document: &Arc<Document>) -> Arc<Highlighter> {
        let mut cached = self.colours.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = &*cached
            && Arc::ptr_eq(&cached.document, document)
        {
            return Arc::clone(&cached.highlighter);
        }
        let lines = Arc::clone(&document.text);
        let highlighter = Arc::new(Highlighter::new(document.path.as_str(), lines));
        *cached = Some(Cached {
            document: Arc::clone(document),
            highlighter: Arc::clone(&highlighter),
        });
        highlighter
    }
}
