//! The analysis: a comparison of models and settings over the listed tasks, in sheets.

use std::sync::Arc;

use ratatui::layout::Rect;

use super::list::Cursor;
use crate::metrics::Dimension;
use crate::report::AnalysisSheet;
use crate::tui::layout::frame;

/// What the sheets depend on: the filter of the tasks, the dimension that they are grouped by, and the number of
/// verdicts made in this session.
pub type Subject = (String, Dimension, usize);

/// The screen.
#[derive(Debug)]
pub struct AnalysisScreen {
    /// The sheets; empty until they are made, or without a verdict.
    pub sheets: Arc<[AnalysisSheet]>,
    /// What the sheets depend on; `None` until they are made.
    pub of: Option<Subject>,
    /// The index of the visible sheet.
    pub at: usize,
    /// The row under the cursor.
    pub cursor: Cursor,
    /// Columns of the table that are scrolled away.
    pub left: usize,
    /// The dimension that the second sheet groups by.
    pub by: Dimension,
    /// Whether the verdict matrix begins with the tasks that the fewest models and settings solve.
    pub hardest_first: bool,
    /// For each sheet, the width of the widest cell of each column.
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
    /// The visible sheet.
    pub fn sheet(&self) -> Option<&AnalysisSheet> {
        self.sheets.get(self.at)
    }

    /// The areas of head, table and foot on a terminal of `size`.
    pub fn places(size: (u16, u16)) -> (Rect, Rect, Rect) {
        frame(size)
    }

    /// The number of visible rows of the sheet, without border, heads and footer.
    pub fn height(&self, size: (u16, u16)) -> usize {
        let (_, body, _) = Self::places(size);
        let heads = self.sheet().map_or(1, AnalysisSheet::head_lines);
        usize::from(body.height.saturating_sub(2 + FOOTER)).saturating_sub(heads)
    }

    /// The index in the sheet of the row that is shown at position `place`.
    pub fn row_at(&self, place: usize) -> usize {
        let sheet = self.sheet().filter(|_| self.hardest_first);
        let row = sheet.and_then(|sheet| sheet.hardest.get(place));
        row.copied().unwrap_or(place)
    }

    /// The number of rows of the visible sheet.
    pub fn rows(&self) -> usize {
        self.sheet().map_or(0, |sheet| sheet.table.rows().len())
    }
}
