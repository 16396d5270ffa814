//! Computes the colours of source lines.

use std::ops::Range;
use std::sync::{Arc, PoisonError};

use super::WorkerState;
use crate::context::ContextItem;
use crate::error::{Cancel, Error, Result};
use crate::history::Snapshot;
use crate::tui::alignment::Side;
use crate::tui::highlight::{Highlighter, LineRoles, SourceLines};
use crate::tui::message::Answer;
use crate::tui::state::context::{Shown, Tree};
use crate::tui::state::document::{Colours, Document};
use crate::tui::state::leakage::{Compared, SideColours};
use crate::workspace::TaskRef;

/// The document that was coloured last, with its highlighter. The highlighter contains the parsed text.
pub(super) struct Cached {
    document: Arc<Document>,
    highlighter: Arc<Highlighter>,
}

impl WorkerState {
    /// Colours a block of lines of a document. Further blocks of the same document are fast, because the highlighter is
    /// cached.
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

    /// Colours a block of lines of a context item. See `item_roles`.
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
        let wanted = Colours::lines(block);
        let end = wanted.end.min(found.lines.len());
        let mut roles = item_roles(&snapshot, found, wanted.start..end, cancel)?;
        roles.resize(wanted.len(), LineRoles::new());
        Ok(Answer::ItemColours(Arc::clone(shown), item, block, roles))
    }

    /// Colours all lines of two compared contexts. `masked`: whether the target is masked. `revisions`: the revisions
    /// of the evolving-aware and the evolving-ignored context.
    pub(super) fn colour_leakage(
        &self,
        task: TaskRef,
        compared: &Arc<Compared>,
        (masked, revisions): (bool, &[String; 2]),
        cancel: &Cancel,
    ) -> Result<Answer> {
        let workspace = self.workspace()?;
        let mut colours = SideColours::default();
        for (side, revision) in [Side::Aware, Side::Ignored].into_iter().zip(revisions) {
            let tree = Tree::Named(revision.clone());
            let snapshot = self.snapshot(&workspace, task, &tree, cancel)?;
            let listing = compared.listing(side, masked);
            for (item, found) in listing.items.iter().enumerate() {
                let lines = 0..found.lines.len();
                let roles = item_roles(&snapshot, found, lines, cancel)?;
                colours.insert((side, item), roles);
            }
        }
        let compared = Arc::clone(compared);
        Ok(Answer::LeakageColours(compared, masked, colours))
    }

    /// The highlighter of a document, from the cache if it is the document that was coloured last.
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

/// The colours of the lines `wanted` (0-based) of an item. If the item's file in `snapshot` contains the item's lines
/// unchanged and at the same position, the whole file is parsed. Otherwise, for example if the target is masked, only
/// the item's text is parsed.
fn item_roles(
    snapshot: &Snapshot,
    item: &ContextItem,
    wanted: Range<usize>,
    cancel: &Cancel,
) -> Result<Vec<LineRoles>> {
    let first = item.start as usize - 1;
    let whole = snapshot.read_path(&item.path)?;
    let whole = whole.map(|bytes| Arc::new(SourceLines::of_bytes(&bytes)));
    let own = item.lines.iter().map(|line| &*line.text);
    let whole = whole.filter(|text| {
        let lines = first..(first + item.lines.len()).min(text.count());
        lines.len() == item.lines.len() && own.eq(lines.map(|line| text.line(line)))
    });
    let (text, first) = match whole {
        Some(text) => (text, first),
        None => (Arc::new(SourceLines::new(&item.text())), 0),
    };
    let highlighter = Highlighter::new(item.path.as_str(), text);
    highlighter.roles(first + wanted.start..first + wanted.end, cancel)
}
