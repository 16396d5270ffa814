//! A task's completions and the difference of one from the reference.

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
    /// The verdict that came with it or that a run here gave.
    pub verdict: Option<Verdict>,
    /// Whether the verdict is this machine's own.
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

/// A line of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The 1-based line of its side.
    pub number: u32,
    /// Its text in runs.
    pub pieces: Vec<Piece>,
}

/// A row of a difference: both sides where they are equal or correspond, one where only one has the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffRow {
    /// The reference's line.
    pub reference: Option<Side>,
    /// The completion's line.
    pub completion: Option<Side>,
    /// Whether the two are equal.
    pub equal: bool,
}

/// A line of the unified form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// On both sides.
    Equal,
    /// In the reference only.
    Removed,
    /// In the completion only.
    Added,
}

/// A completion next to the reference.
#[derive(Debug, Clone, Default)]
pub struct Diff {
    /// The completion: task and index of the completion.
    pub of: Option<(TaskRef, usize)>,
    /// Side by side.
    pub rows: Vec<DiffRow>,
    /// The unified form: index into `rows`, with what the line is.
    pub unified: Vec<(usize, Mark)>,
    /// The completion's text as it is in the file.
    pub text: String,
    /// Whether there is a reference to compare with.
    pub has_reference: bool,
}

impl Diff {
    /// The difference from rows: in the unified form each run of changes has its removed lines first.
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
    /// The chosen one.
    pub cursor: Cursor,
    /// The one to go to once its task is there.
    pub goal: Option<(TaskRef, usize)>,
    /// Its difference from the reference.
    pub diff: Arc<Diff>,
    /// First line of the difference in sight.
    pub top: usize,
    /// Columns scrolled off at the left.
    pub left: usize,
    /// Whether the difference has the keys, and not the list.
    pub reading: bool,
    /// Whether the two sides are in one column.
    pub unified: bool,
}

impl Completions {
    /// The chosen completion.
    pub fn chosen(&self) -> Option<&CompletionRow> {
        self.rows.get(self.cursor.at)
    }

    /// How many lines the difference has in the form that is shown.
    pub fn diff_lines(&self) -> usize {
        if self.unified {
            self.diff.unified.len()
        } else {
            self.diff.rows.len()
        }
    }
}

impl Completions {
    /// Rows of the list in a pane that shows `height` rows; a rule and the difference are below.
    pub fn list_height(&self, height: u16) -> u16 {
        if height < 6 {
            return if self.reading { 0 } else { height };
        }
        let wanted = u16::try_from(self.rows.len()).unwrap_or(height).max(1);
        wanted.min(height / 3)
    }

    /// Rows of the difference in a pane that shows `height` rows.
    pub fn diff_height(&self, height: u16) -> u16 {
        height.saturating_sub(self.list_height(height) + 1)
    }
}
