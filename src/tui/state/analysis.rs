//! The analysis: models and settings against each other over the listed tasks, in sheets.

use std::sync::Arc;

use ratatui::layout::Rect;

use super::list::Cursor;
use crate::metrics::Dimension;
use crate::report::AnalysisSheet;
use crate::tui::layout::frame;

/// What the sheets belong to: the tasks that the filter lets through, what they are grouped by, and how many verdicts
/// were made here.
pub type Subject = (String, Dimension, usize);

/// The screen.
#[derive(Debug)]
pub struct AnalysisScreen {
    /// The sheets; empty until they are made, or without a verdict.
    pub sheets: Arc<[AnalysisSheet]>,
    /// What they belong to; `None` until they are made.
    pub of: Option<Subject>,
    /// The sheet in sight.
    pub at: usize,
    /// The row under the cursor.
    pub cursor: Cursor,
    /// Columns of the table that are scrolled away.
    pub left: usize,
    /// What the second sheet groups by.
    pub by: Dimension,
    /// Whether the verdict matrix begins with the tasks that the fewest solve.
    pub hardest_first: bool,
    /// For each sheet the widths of the widest cells of its columns.
    pub widths: Vec<Vec<usize>>,
}

impl Default for AnalysisScreen {
    fn default() -> Self {
        Self {
            sheets: Arc::default(),
            of: None,
            at: 0,
            cursor: Cursor::default(),
            left: 0,
            by: Dimension::Dependency,
            hardest_first: false,
            widths: Vec::new(),
        }
    }
}

/// Rows of the footer under a sheet.
const FOOTER: u16 = 5;

impl AnalysisScreen {
    /// The sheet in sight.
    pub fn sheet(&self) -> Option<&AnalysisSheet> {
        self.sheets.get(self.at)
    }

    /// Head, table and foot on a terminal of `size`.
    pub fn places(size: (u16, u16)) -> (Rect, Rect, Rect) {
        frame(size)
    }

    /// Rows of the sheet in sight: without border, heads and footer.
    pub fn height(&self, size: (u16, u16)) -> usize {
        let (_, body, _) = Self::places(size);
        let heads = self.sheet().map_or(1, AnalysisSheet::head_lines);
        usize::from(body.height.saturating_sub(2 + FOOTER)).saturating_sub(heads)
    }

    /// The row of the sheet at a place on the screen.
    pub fn row_at(&self, place: usize) -> usize {
        let sheet = self.sheet().filter(|_| self.hardest_first);
        let row = sheet.and_then(|sheet| sheet.hardest.get(place));
        row.copied().unwrap_or(place)
    }

    /// Rows that the sheet in sight has.
    pub fn rows(&self) -> usize {
        self.sheet().map_or(0, |sheet| sheet.table.rows().len())
    }
}
