//! The full result of one completion: the verdict and the official one, the tests and their failures, the log, and the
//! difference from the reference code.

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

/// The data that is read for a result.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// The stored judgement, if none was loaded yet.
    pub evaluated: Option<Evaluated>,
    /// The completion compared with the reference code.
    pub diff: Diff,
    /// The file, and the lines of the completion in it; `None` without the source.
    pub own: Option<(RepoPath, LineSpan)>,
    /// The least likely tokens, if token probabilities are stored.
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
    /// Its position in the list: `3 of 233`.
    pub place: String,
}

/// The screen.
#[derive(Debug, Default)]
pub struct ResultScreen {
    /// The completion that the result is for.
    pub owner: Owner,
    /// The verdict and what led to it; `None` until it is loaded.
    pub evaluated: Option<Evaluated>,
    /// If the completion was not run: its verdict, and why.
    pub left_out: Option<(Verdict, String)>,
    /// The data of the result; `None` until it is loaded.
    pub sheet: Option<Arc<Sheet>>,
    /// Why it could not be read.
    pub trouble: Option<String>,
    /// Whether the screen was opened from the run screen instead of the workbench.
    pub from_run: bool,
    /// The lines of the result, wrapped to the width of its pane.
    pub lines: Vec<Row>,
    /// The first visible line.
    pub top: usize,
    /// Whether keys apply to the difference.
    pub in_diff: bool,
    /// Whether the difference is shown in the unified form.
    pub unified: bool,
    /// The first visible line of the difference.
    pub diff_top: usize,
    /// Columns of the difference scrolled off at the left.
    pub diff_left: usize,
}

/// The areas of the screen.
#[derive(Debug, Clone, Copy)]
pub struct ResultAreas {
    /// The line at the top.
    pub head: Rect,
    /// The result; empty if only the difference is visible.
    pub sheet: Rect,
    /// The difference; empty if only the result is visible.
    pub diff: Rect,
}

/// The minimum size of a terminal on which the difference is to the right of the result, or below it.
const WIDE: u16 = 160;
const BELOW: (u16, u16) = (100, 30);

impl ResultScreen {
    /// The areas on a terminal of `size`: side by side, one above the other, or only the one that keys apply to.
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

    /// The number of columns of the lines.
    pub fn columns(&self, size: (u16, u16)) -> usize {
        let sheet = self.areas(size).sheet;
        let wide = if sheet.width == 0 {
            size.0
        } else {
            sheet.width
        };
        usize::from(wide).saturating_sub(6)
    }

    /// The number of visible rows of the part that keys apply to. The difference has a row of labels.
    pub fn height(&self, size: (u16, u16)) -> usize {
        let areas = self.areas(size);
        if self.in_diff {
            usize::from(inside(areas.diff).height).saturating_sub(1)
        } else {
            usize::from(inside(areas.sheet).height)
        }
    }

    /// The number of lines of the difference in the shown form.
    pub fn diff_lines(&self) -> usize {
        let Some(sheet) = &self.sheet else { return 0 };
        if self.unified {
            sheet.diff.unified.len()
        } else {
            sheet.diff.rows.len()
        }
    }

    /// The verdict, if there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        let own = self
            .evaluated
            .as_ref()
            .map(|(judgement, _)| judgement.verdict);
        own.or(self.left_out.as_ref().map(|(verdict, _)| *verdict))
    }
}
