//! A task's completions, and the difference of one from the reference code.

use std::sync::Arc;

use super::list::Cursor;
use crate::benchmark::Verdict;
use crate::workspace::TaskRef;

/// A completion in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionRow {
    /// Index into the workspace's completions of the task.
    pub index: usize,
    /// The model.
    pub model: Arc<str>,
    /// The setting.
    pub setting: Arc<str>,
    /// 0-based number among the set's completions for the task.
    pub sample: u32,
    /// The verdict that came with the completion, or that a run in Evoscope gave.
    pub verdict: Option<Verdict>,
    /// Whether the verdict is from a run on this machine.
    pub own: bool,
}

/// A run of text in a line of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// Whether it differs from the other side.
    pub changed: bool,
}

/// A line on one side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The 1-based line number on its side.
    pub number: u32,
    /// Its text in pieces.
    pub pieces: Vec<Piece>,
}

/// A row of a difference: both lines if they are equal or correspond, otherwise one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffRow {
    /// The line of the reference code.
    pub reference: Option<Side>,
    /// The line of the completion.
    pub completion: Option<Side>,
    /// Whether the two lines are equal.
    pub equal: bool,
}

/// The kind of a line in the unified form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// On both sides.
    Equal,
    /// Only in the reference code.
    Removed,
    /// Only in the completion.
    Added,
}

/// A completion compared with the reference code.
#[derive(Debug, Clone, Default)]
pub struct Diff {
    /// The completion: the task, and the index among its completions.
    pub of: Option<(TaskRef, usize)>,
    /// The rows of the side-by-side form.
    pub rows: Vec<DiffRow>,
    /// The unified form: for each line, the index into `rows` and the kind of line.
    pub unified: Vec<(usize, Mark)>,
    /// The completion's text as it is in the file.
    pub text: String,
    /// Whether there is reference code to compare with.
    pub has_reference: bool,
}

impl Diff {
    /// The difference from rows. In the unified form, the removed lines of each run of changes come first.
    pub fn new(
        of: (TaskRef, usize),
        rows: Vec<DiffRow>,
        text: String,
        has_reference: bool,
    ) -> Self {
        let mut unified = Vec::new();
        let mut at = 0;
        while at < rows.len() {
            if rows[at].equal {
                unified.push((at, Mark::Equal));
                at += 1;
                continue;
            }
            let end = (at..rows.len())
                .find(|row| rows[*row].equal)
                .unwrap_or(rows.len());
            let removed = (at..end).filter(|row| rows[*row].reference.is_some());
            unified.extend(removed.map(|row| (row, Mark::Removed)));
            let added = (at..end).filter(|row| rows[*row].completion.is_some());
            unified.extend(added.map(|row| (row, Mark::Added)));
            at = end;
        }
        Self {
            of: Some(of),
            rows,
            unified,
            text,
            has_reference,
        }
    }
}

/// The completions pane.
#[derive(Debug, Default)]
pub struct Completions {
    /// The list, by setting and model.
    pub rows: Vec<CompletionRow>,
    /// The chosen completion.
    pub cursor: Cursor,
    /// The completion to go to once its task is loaded.
    pub goal: Option<(TaskRef, usize)>,
    /// The difference of the chosen completion from the reference code.
    pub diff: Arc<Diff>,
    /// The first visible line of the difference.
    pub top: usize,
    /// Columns scrolled off at the left.
    pub left: usize,
    /// Whether keys apply to the difference and not to the list.
    pub reading: bool,
    /// Whether the difference is shown in the unified form.
    pub unified: bool,
}

impl Completions {
    /// The chosen completion.
    pub fn chosen(&self) -> Option<&CompletionRow> {
        self.rows.get(self.cursor.at)
    }

    /// The number of lines of the difference in the shown form.
    pub fn diff_lines(&self) -> usize {
        if self.unified {
            self.diff.unified.len()
        } else {
            self.diff.rows.len()
        }
    }
}

impl Completions {
    /// The number of rows of the list in a pane that shows `height` rows. A rule and the difference are below.
    pub fn list_height(&self, height: u16) -> u16 {
        if height < 6 {
            return if self.reading { 0 } else { height };
        }
        let wanted = u16::try_from(self.rows.len()).unwrap_or(height).max(1);
        wanted.min(height / 3)
    }

    /// The number of rows of the difference in a pane that shows `height` rows.
    pub fn diff_height(&self, height: u16) -> u16 {
        height.saturating_sub(self.list_height(height) + 1)
    }
}
