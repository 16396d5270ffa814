//! The task list: the tasks that match the filter, in order and groups.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::list::Cursor;
use crate::workspace::TaskRef;

/// The order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Order {
    /// The order of the benchmark's file. With a filter that has search words, the best match comes first.
    #[default]
    File,
    /// By name.
    Name,
    /// Most dependencies first.
    Dependencies,
    /// Fewest passing completions first.
    Passes,
}

impl Order {
    /// The next order, in a cycle.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::File => Self::Name,
            Self::Name => Self::Dependencies,
            Self::Dependencies => Self::Passes,
            Self::Passes => Self::File,
        }
    }

    /// The text on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::File => "file order",
            Self::Name => "by name",
            Self::Dependencies => "by dependencies",
            Self::Passes => "hardest first",
        }
    }

    /// The order with this text.
    pub fn named(word: &str) -> Option<Self> {
        [Self::File, Self::Name, Self::Dependencies, Self::Passes]
            .into_iter()
            .find(|order| order.word() == word)
    }
}

/// A request for a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The filter as typed.
    pub filter: String,
    /// The order.
    pub order: Order,
    /// Whether tasks are grouped by project.
    pub grouped: bool,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            filter: String::new(),
            order: Order::default(),
            grouped: true,
        }
    }
}

/// A row of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// A project's heading: index into [`Listing::groups`].
    Group(u32),
    /// A task.
    Task(TaskRef),
}

/// A project's heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The project.
    pub name: Arc<str>,
    /// The number of its tasks that are listed.
    pub tasks: u32,
}

/// The rows for one query.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// The query of these rows.
    pub query: Query,
    /// Headings and tasks.
    pub rows: Vec<Row>,
    /// The headings.
    pub groups: Vec<Group>,
    /// The number of listed tasks.
    pub matched: usize,
    /// The number of open tasks.
    pub total: usize,
}

impl Listing {
    /// The row of a task; `None` if it is not listed.
    pub fn row_of(&self, task: TaskRef) -> Option<usize> {
        self.rows.iter().position(|row| *row == Row::Task(task))
    }

    /// The task on a row; `None` for a heading.
    pub fn task_at(&self, row: usize) -> Option<TaskRef> {
        match self.rows.get(row)? {
            Row::Task(task) => Some(*task),
            Row::Group(_) => None,
        }
    }

    /// The 1-based position of the task on a row among the listed tasks.
    pub fn place(&self, row: usize) -> Option<usize> {
        self.task_at(row)?;
        if self.groups.is_empty() {
            return Some(row + 1);
        }
        let is_heading = |row: &&Row| matches!(row, Row::Group(_));
        Some(row + 1 - self.rows[..row].iter().filter(is_heading).count())
    }

    /// The nearest row with a task from `row` on; searches forward first if `forward` is set.
    pub fn task_row_near(&self, row: usize, forward: bool) -> Option<usize> {
        let is_task = |row: &usize| self.task_at(*row).is_some();
        let row = row.min(self.rows.len());
        let after = || (row..self.rows.len()).find(is_task);
        let before = || {
            (0..row.saturating_add(1).min(self.rows.len()))
                .rev()
                .find(is_task)
        };
        if forward {
            after().or_else(before)
        } else {
            before().or_else(after)
        }
    }
}

/// The task list on screen.
#[derive(Debug, Default)]
pub struct TaskList {
    /// The latest query. The listing may still be that of an earlier query.
    pub query: Query,
    /// The shown listing.
    pub listing: Arc<Listing>,
    /// The row under the cursor.
    pub cursor: Cursor,
    /// The filter before the reader typed, to which Esc returns.
    pub before_typing: Option<String>,
    /// Why the filter is not valid, in one line.
    pub complaint: Option<String>,
    /// The task to go to once it is listed.
    pub goal: Option<TaskRef>,
    /// The tasks that are selected for a run or a review.
    pub marked: BTreeSet<TaskRef>,
    /// Earlier filters, the latest last.
    pub history: Vec<String>,
    /// The index of the earlier filter in the filter line, if one was recalled.
    pub recalled: Option<usize>,
}

/// The maximum number of earlier filters that are stored.
const REMEMBERED: usize = 50;

impl TaskList {
    /// The tasks for a run or a review: the listed ones that are selected or, if none is selected, all listed ones.
    pub fn subjects(&self) -> Vec<TaskRef> {
        let rows = self.listing.rows.len();
        let listed = (0..rows).filter_map(|row| self.listing.task_at(row));
        let marked = listed.clone().filter(|task| self.marked.contains(task));
        let marked: Vec<_> = marked.collect();
        if marked.is_empty() {
            listed.collect()
        } else {
            marked
        }
    }

    /// Stores a typed filter.
    pub fn remember(&mut self, filter: &str) {
        let filter = filter.trim();
        if filter.is_empty() {
            return;
        }
        self.history.retain(|earlier| earlier != filter);
        self.history.push(filter.to_owned());
        let surplus = self.history.len().saturating_sub(REMEMBERED);
        self.history.drain(..surplus);
    }

    /// Recalls the filter before (or after) the one that was recalled last; empty after the latest.
    pub fn recall(&mut self, back: bool) -> &str {
        let end = self.history.len();
        let at = self.recalled.unwrap_or(end);
        let at = if back { at.saturating_sub(1) } else { at + 1 };
        self.recalled = (at < end).then_some(at);
        self.history.get(at).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_remembered_once_and_recalled_from_the_latest() {
        let mut tasks = TaskList::default();
        for filter in ["a", "b", " ", "a"] {
            tasks.remember(filter);
        }
        assert_eq!(tasks.history, ["b", "a"]);
        assert_eq!(tasks.recall(true), "a");
        assert_eq!(tasks.recall(true), "b");
        assert_eq!(tasks.recall(true), "b");
        assert_eq!(tasks.recall(false), "a");
        assert_eq!(tasks.recall(false), "");
    }
}
