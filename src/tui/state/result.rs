//! One completion's result in full: the verdict next to the official one, the tests, where they failed, the log;
//! and the difference from the reference.

mod text;

use std::sync::Arc;

use ratatui::layout::Rect;

use super::completions::Diff;
use super::run::CompletionRef;
use crate::benchmark::{LineSpan, RepoPath, Verdict};
use crate::tui::layout::{cut_left, cut_top, frame, inside};
use crate::workspace::{CompletionVerdict, UnlikelyToken};
pub use text::{Part, Row, lines};

/// A judgement, and whether it is from an earlier run.
pub type Evaluated = (Arc<CompletionVerdict>, bool);

/// What is read for a result.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// The judgement that the ledger holds, where none was at hand.
    pub evaluated: Option<Evaluated>,
    /// The completion next to the reference.
    pub diff: Diff,
    /// The file and the lines that the completion had in it; `None` without the source.
    pub own: Option<(RepoPath, LineSpan)>,
    /// Its least likely tokens, where their probabilities are stored.
    pub unlikely: Vec<UnlikelyToken>,
}

/// The completion that the result is for.
#[derive(Debug, Clone, Default)]
pub struct Owner {
    /// The completion.
    pub of: Option<CompletionRef>,
    /// Its task's name.
    pub name: String,
    /// Its model and setting.
    pub set: String,
    /// Its place among its neighbours: `3 of 233`.
    pub place: String,
}

/// The screen.
#[derive(Debug, Default)]
pub struct ResultScreen {
    /// The completion that the result is for.
    pub owner: Owner,
    /// The verdict and what led to it, once it is at hand.
    pub evaluated: Option<Evaluated>,
    /// What it counts as, and why, where it was not run at all.
    pub left_out: Option<(Verdict, String)>,
    /// What was read for it; `None` until it is there.
    pub sheet: Option<Arc<Sheet>>,
    /// Why it could not be read.
    pub trouble: Option<String>,
    /// Whether the run screen is behind it, and not the workbench.
    pub from_run: bool,
    /// The lines of the result, as wide as its pane.
    pub lines: Vec<Row>,
    /// The first of them in sight.
    pub top: usize,
    /// Whether the difference has the keys.
    pub in_diff: bool,
    /// Whether the two sides of the difference are in one column.
    pub unified: bool,
    /// The first line of the difference in sight.
    pub diff_top: usize,
    /// Columns of the difference scrolled off at the left.
    pub diff_left: usize,
}

/// Where things are.
#[derive(Debug, Clone, Copy)]
pub struct ResultAreas {
    /// Where am I.
    pub head: Rect,
    /// The result; nothing where the difference alone is in sight.
    pub sheet: Rect,
    /// The difference; nothing where the result alone is in sight.
    pub diff: Rect,
}

/// The narrowest and lowest terminals on which the difference is next to the result, or below it.
const WIDE: u16 = 160;
const BELOW: (u16, u16) = (100, 30);

impl ResultScreen {
    /// The rectangles on a terminal of `size`: side by side, one above the other, or only what has the keys.
    pub fn areas(&self, size: (u16, u16)) -> ResultAreas {
        let (head, panes, _) = frame(size);
        let (sheet, diff) = if size.0 >= WIDE {
            cut_left(panes, panes.width * 11 / 20)
        } else if size.0 >= BELOW.0 && size.1 >= BELOW.1 {
            let lines = self.sheet.as_ref().map_or(0, |sheet| sheet.diff.rows.len());
            let wanted = u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(3);
            let height = wanted.clamp(8, panes.height * 2 / 5);
            cut_top(panes, panes.height - height)
        } else if self.in_diff {
            (Rect::ZERO, panes)
        } else {
            (panes, Rect::ZERO)
        };
        ResultAreas { head, sheet, diff }
    }

    /// Columns of the lines.
    pub fn columns(&self, size: (u16, u16)) -> usize {
        let sheet = self.areas(size).sheet;
        let wide = if sheet.width == 0 {
            size.0
        } else {
            sheet.width
        };
        usize::from(wide).saturating_sub(6)
    }

    /// Rows in sight of what has the keys; the difference has a row of labels.
    pub fn height(&self, size: (u16, u16)) -> usize {
        let areas = self.areas(size);
        if self.in_diff {
            usize::from(inside(areas.diff).height).saturating_sub(1)
        } else {
            usize::from(inside(areas.sheet).height)
        }
    }

    /// Lines of the difference in the form that is shown.
    pub fn diff_lines(&self) -> usize {
        let Some(sheet) = &self.sheet else { return 0 };
        if self.unified {
            sheet.diff.unified.len()
        } else {
            sheet.diff.rows.len()
        }
    }

    /// The verdict, where it has one.
    pub fn verdict(&self) -> Option<Verdict> {
        let own = self
            .evaluated
            .as_ref()
            .map(|(judgement, _)| judgement.verdict);
        own.or(self.left_out.as_ref().map(|(verdict, _)| *verdict))
    }
}
