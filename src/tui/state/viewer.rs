//! The source files that the reader has opened: the current one, and the earlier ones to go back to.

use std::sync::Arc;

use super::document::{Colours, Document};
use super::list::Cursor;

/// A source file and the position in it.
#[derive(Debug, Clone)]
pub struct View {
    /// The file.
    pub document: Arc<Document>,
    /// The line under the cursor.
    pub cursor: Cursor,
    /// Columns that are scrolled off at the left.
    pub left: usize,
    /// The colours that were loaded so far.
    pub colours: Colours,
}

impl View {
    /// The file at its start.
    pub fn new(document: Arc<Document>) -> Self {
        Self {
            document,
            cursor: Cursor::default(),
            left: 0,
            colours: Colours::default(),
        }
    }

    /// Moves the cursor to the target's signature, and scrolls so that the target begins `before` rows below the top of
    /// `height` rows. Without a target, nothing changes.
    pub fn show_target(&mut self, height: usize, before: usize) {
        let len = self.document.text.count();
        if let Some(target) = self.document.target {
            let first = target.whole.first() as usize - 1;
            let signature = target.signature.first() as usize - 1;
            self.cursor.at = signature.min(len.saturating_sub(1));
            let top = first.saturating_sub(before);
            self.cursor.top = top.min(len.saturating_sub(height));
        }
    }
}

/// The current file, and the files that the reader jumped from.
#[derive(Debug, Clone, Default)]
pub struct Viewer {
    current: Option<View>,
    past: Vec<View>,
}

impl Viewer {
    /// The current file.
    pub fn current(&self) -> Option<&View> {
        self.current.as_ref()
    }

    /// The current file.
    pub fn current_mut(&mut self) -> Option<&mut View> {
        self.current.as_mut()
    }

    /// The number of jumps back to the target.
    pub fn depth(&self) -> usize {
        self.past.len()
    }

    /// Shows a task's own file, and clears the earlier ones.
    pub fn begin(&mut self, view: Option<View>) {
        self.past.clear();
        self.current = view;
    }

    /// Jumps to a file. The current one can be returned to.
    pub fn jump(&mut self, view: View) {
        self.past.extend(self.current.replace(view));
    }

    /// Goes back one jump. Returns whether there was one.
    pub fn back(&mut self) -> bool {
        let Some(view) = self.past.pop() else {
            return false;
        };
        self.current = Some(view);
        true
    }

    /// Goes back to the target's own file.
    pub fn home(&mut self) {
        if !self.past.is_empty() {
            self.current = Some(self.past.swap_remove(0));
            self.past.clear();
        }
    }
}
