//! The context pane: the context of a setting, taken from a tree.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::document::Colours;
use super::list::Cursor;
pub use crate::context::Revision as Tree;
pub use crate::context::Setting;
use crate::context::{ContextItem, ContextListing, PromptSetting};
use crate::workspace::TaskRef;

/// A line of the pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// An item's heading: index into the items.
    Heading(usize),
    /// A line of an item's text: the item's index, and the 0-based line.
    Code(usize, usize),
}

/// A context as lines.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// The items in order.
    pub listing: ContextListing,
    /// Headings and texts, line by line.
    pub lines: Vec<Line>,
}

impl Shown {
    /// Arranges a listing as lines.
    pub fn new(listing: ContextListing) -> Self {
        let mut lines = Vec::new();
        for (index, item) in listing.items.iter().enumerate() {
            lines.push(Line::Heading(index));
            lines.extend((0..item.lines.len()).map(|line| Line::Code(index, line)));
        }
        Self { listing, lines }
    }
}

/// The context pane.
#[derive(Debug)]
pub struct ContextPane {
    /// The chosen setting.
    pub setting: Setting,
    /// The chosen tree.
    pub tree: Tree,
    /// Whether the reader chose the tree. Until then it is the base commit's where it is known, otherwise the newest.
    pub tree_is_chosen: bool,
    /// The shown context. It stays that of the previous task until the next one arrives.
    pub shown: Arc<Shown>,
    /// The colours of its items that were already requested.
    pub colours: FxHashMap<usize, Colours>,
    /// The task and setting of `shown`.
    pub shown_for: Option<(TaskRef, PromptSetting)>,
    /// For each dependency of the task, whether an item contains its definition; `None` if that is not known.
    pub covered: Vec<Option<bool>>,
    /// Why nothing can be shown: the reason, and a hint at the fix.
    pub trouble: Option<(String, Option<String>)>,
    /// The line under the cursor.
    pub cursor: Cursor,
    /// Columns scrolled off at the left.
    pub left: usize,
}

impl ContextPane {
    /// The first item and block of visible lines without colours, in a pane of `height` rows.
    pub fn uncoloured(&self, height: usize) -> Option<(usize, usize)> {
        let seen = self.shown.lines.iter().skip(self.cursor.top).take(height);
        seen.filter_map(|line| match *line {
            Line::Heading(_) => None,
            Line::Code(item, line) => Some((item, line)),
        })
        .find_map(|(item, line)| {
            let block = match self.colours.get(&item) {
                Some(colours) => colours.first_missing(line..line + 1)?,
                None => Colours::default().first_missing(line..line + 1)?,
            };
            Some((item, block))
        })
    }

    /// The item under the cursor, and the 1-based line of its file under the cursor.
    pub fn chosen(&self) -> Option<(&ContextItem, u32)> {
        let (index, offset) = match *self.shown.lines.get(self.cursor.at)? {
            Line::Heading(index) => (index, 0),
            Line::Code(index, line) => (index, u32::try_from(line).unwrap_or(0)),
        };
        let item = self.shown.listing.items.get(index)?;
        Some((item, item.start + offset))
    }
}

impl Default for ContextPane {
    fn default() -> Self {
        Self {
            setting: Setting::Retrieved,
            tree: Tree::default(),
            tree_is_chosen: false,
            shown: Arc::default(),
            colours: FxHashMap::default(),
            shown_for: None,
            covered: Vec::new(),
            trouble: None,
            cursor: Cursor::default(),
            left: 0,
        }
    }
}
