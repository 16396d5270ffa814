//! Source files that are read: the one in sight, and the way back.

use std::sync::Arc;

use super::document::{Colours, Document};
use super::list::Cursor;

/// A source file and the place in it.
#[derive(Debug, Clone)]
pub struct View {
    /// The file.
    pub document: Arc<Document>,
    /// The line under the cursor.
    pub cursor: Cursor,
    /// Columns that are scrolled off at the left.
    pub left: usize,
    /// Its colours, as far as they are there.
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
}

/// The file in sight and those that were jumped from.
#[derive(Debug, Clone, Default)]
pub struct Viewer {
    current: Option<View>,
    past: Vec<View>,
}

impl Viewer {
    /// The file in sight.
    pub fn current(&self) -> Option<&View> {
        self.current.as_ref()
    }

    /// The file in sight.
    pub fn current_mut(&mut self) -> Option<&mut View> {
        self.current.as_mut()
    }

    /// How many jumps lead back to the target.
    pub fn depth(&self) -> usize {
        self.past.len()
    }

    /// Shows a task's own file; the way back starts empty.
    pub fn begin(&mut self, view: Option<View>) {
        self.past.clear();
        self.current = view;
    }

    /// Jumps: what was in sight can be returned to.
    pub fn jump(&mut self, view: View) {
        self.past.extend(self.current.replace(view));
    }

    /// Goes back one jump; says whether there was one.
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
