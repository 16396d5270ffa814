//! What is to be done, in pieces: completions of tasks of one project together, so that they share an environment, and all
//! completions of a task together where they fit, so that they share its baseline.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How the completions of a run are evaluated; the first line of its plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSettings {
    /// The paths that the workspace is opened from, absolute; the built-in sample where there is none.
    pub paths: Vec<PathBuf>,
    /// How often each completion is run with each variant of its tests.
    pub rounds: u32,
    /// Seconds for a task's tests, instead of the benchmark's own limit.
    pub seconds: Option<u64>,
    /// Bytes of memory, instead of the benchmark's own limit.
    pub memory: Option<u64>,
    /// Whether all test files of a project decide.
    pub whole_tests: bool,
}

/// A completion to evaluate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item<'a> {
    /// The key over what its verdict depends on.
    pub key: String,
    /// Its task.
    pub task: Cow<'a, str>,
    /// Its text. Borrowed where a plan is made: all texts of a run may be large.
    pub completion: Cow<'a, str>,
}

/// Completions that a worker takes together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece<'a> {
    /// Their project.
    pub project: String,
    /// The completions.
    pub items: Vec<Item<'a>>,
}

/// Where a piece is in a plan, and what decides who takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedPiece {
    /// Its first byte in the plan.
    pub at: u64,
    /// Its length in bytes.
    pub length: usize,
    /// Its project.
    pub project: String,
    /// The keys of its completions.
    pub keys: Vec<String>,
}

/// The largest piece.
const MOST: usize = 200;

/// How many pieces there should be for each worker, so that the last ones end at about the same time.
const FOR_EACH_WORKER: usize = 8;

/// Divides items into pieces for so many workers. Each item comes with its project; items of a task stay together unless
/// they alone are more than a piece holds.
pub fn pieces<'a>(
    items: impl IntoIterator<Item = (String, Item<'a>)>,
    workers: usize,
) -> Vec<Piece<'a>> {
    let mut items: Vec<(String, Item<'a>)> = items.into_iter().collect();
    items.sort_by(|(a, x), (b, y)| (a, &x.task, &x.key).cmp(&(b, &y.task, &y.key)));
    let size = items.len().div_ceil(workers.max(1) * FOR_EACH_WORKER);
    let size = size.clamp(1, MOST);
    let mut pieces: Vec<Piece<'a>> = Vec::new();
    for (project, item) in items {
        match pieces.last_mut() {
            Some(piece) if piece.project == project && piece.takes(&item, size) => {
                piece.items.push(item);
            }
            _ => pieces.push(Piece {
                project,
                items: vec![item],
            }),
        }
    }
    pieces
}

impl Piece<'_> {
    fn takes(&self, item: &Item<'_>, size: usize) -> bool {
        let same_task = self.items.last().is_some_and(|last| last.task == item.task);
        self.items.len() < if same_task { MOST } else { size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(project: &str, task: &str, number: usize) -> (String, Item<'static>) {
        let item = Item {
            key: format!("{task}{number}"),
            task: Cow::Owned(task.to_owned()),
            completion: Cow::Borrowed(""),
        };
        (project.to_owned(), item)
    }

    #[test]
    fn a_piece_holds_whole_tasks_of_one_project() {
        let mut items = Vec::new();
        for number in 0..10 {
            items.extend([
                item("p", "p.f", number),
                item("q", "q.g", number),
                item("p", "p.h", number),
            ]);
        }
        let pieces = pieces(items, 1);
        let held = |piece: &Piece<'_>| {
            (
                piece.project.clone(),
                piece.items[0].task.to_string(),
                piece.items.len(),
            )
        };
        let held: Vec<_> = pieces.iter().map(held).collect();
        let expected = [("p", "p.f"), ("p", "p.h"), ("q", "q.g")];
        assert_eq!(
            held,
            expected.map(|(project, task)| (project.to_owned(), task.to_owned(), 10))
        );
    }

    #[test]
    fn a_task_with_very_many_completions_is_divided() {
        let pieces = pieces((0..450).map(|number| item("p", "p.f", number)), 1);
        let sizes: Vec<_> = pieces.iter().map(|piece| piece.items.len()).collect();
        assert_eq!(sizes, [200, 200, 50]);
    }
}
