//! The order in which a worker takes the pieces of a run. A piece is a group of completions of one project. A worker
//! stays in a project as long as it can, because each node must build the environment of each project that it works on.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::PlannedPiece;

/// Pieces of one project, in the order in which a worker tries to take them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectPieces {
    /// The project.
    pub project: String,
    /// Indices of the pieces in the plan.
    pub pieces: Vec<usize>,
    /// Whether no worker has taken a piece of the project yet.
    pub is_untouched: bool,
}

/// Chooses the project that a worker works on next, and removes the project's pieces from `left`. `left` has the pieces
/// that this worker has not tried yet. `taken` has the pieces that any worker has taken. `None` if `left` is empty.
///
/// If `left` has pieces of `current`, the project is `current`. Otherwise it is the largest project without a taken
/// piece. If each project has a taken piece, it is the project with the most pieces that are not taken.
///
/// In the result, taken pieces come last. If a piece of the project is taken, the other pieces are rotated by an amount
/// that depends on the worker's `number`. Workers in the same project therefore try different pieces first.
pub fn next_project(
    plan: &[PlannedPiece],
    left: &mut Vec<usize>,
    taken: &BTreeSet<usize>,
    current: Option<&str>,
    number: usize,
) -> Option<ProjectPieces> {
    let mut projects: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for piece in left.iter() {
        let (free, held) = projects.entry(&plan[*piece].project).or_default();
        *(if taken.contains(piece) { held } else { free }) += 1;
    }
    let touched: BTreeSet<&str> = taken
        .iter()
        .filter_map(|piece| Some(plan.get(*piece)?.project.as_str()))
        .collect();
    let (project, _) = projects.into_iter().max_by_key(|(project, (free, _))| {
        let untouched = !touched.contains(project);
        (current == Some(*project), untouched, *free)
    })?;
    let is_untouched = !touched.contains(project);
    let project = project.to_owned();
    let (own, others) = std::mem::take(left)
        .into_iter()
        .partition(|piece| plan[*piece].project == project);
    *left = others;
    let (held, mut pieces): (Vec<usize>, Vec<usize>) =
        Vec::into_iter(own).partition(|piece| taken.contains(piece));
    if !is_untouched && !pieces.is_empty() {
        let begin = number.wrapping_mul(pieces.len() / 7 + 1) % pieces.len();
        pieces.rotate_left(begin);
    }
    pieces.extend(held);
    Some(ProjectPieces {
        project,
        pieces,
        is_untouched,
    })
}

/// How many pieces of a project a worker takes together, if `taken` of the run's `all` pieces are taken: three quarters
/// of the worker's share of the remaining pieces, and at least 1. Most completions therefore share a session of the
/// sandbox, and the last pieces are taken one by one.
pub fn pieces_at_once(all: usize, taken: usize, workers: usize) -> usize {
    (all.saturating_sub(taken) * 3 / (4 * workers.max(1))).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_takes_many_pieces_at_first_and_single_pieces_at_the_end() {
        let sizes = [0, 20, 40, 47, 48].map(|taken| pieces_at_once(48, taken, 4));
        assert_eq!(sizes, [9, 5, 1, 1, 1]);
        assert_eq!(pieces_at_once(3, 0, 0), 2);
    }

    fn plan(projects: &[&str]) -> Vec<PlannedPiece> {
        let piece = |project: &&str| PlannedPiece {
            at: 0,
            length: 0,
            project: (*project).to_owned(),
            keys: Vec::new(),
        };
        projects.iter().map(piece).collect()
    }

    #[test]
    fn a_worker_stays_in_its_project_and_then_goes_to_an_untouched_project() {
        let plan = plan(&["a", "a", "a", "b", "b", "c"]);
        let mut left: Vec<usize> = (0..6).collect();
        let first = next_project(&plan, &mut left, &BTreeSet::new(), None, 3).unwrap();
        assert_eq!(
            (first.project.as_str(), &first.pieces[..]),
            ("a", &[0, 1, 2][..])
        );
        assert!(first.is_untouched);
        assert_eq!(left, [3, 4, 5]);

        let taken = BTreeSet::from([0, 3]);
        let next = next_project(&plan, &mut left.clone(), &taken, None, 0).unwrap();
        assert_eq!((next.project.as_str(), next.is_untouched), ("c", true));
        let own = next_project(&plan, &mut left, &taken, Some("b"), 0).unwrap();
        assert_eq!(own.pieces, [4, 3], "taken pieces come last");
    }

    #[test]
    fn workers_in_one_project_begin_at_different_pieces() {
        let plan = plan(&["a"; 14]);
        let begin = |number| {
            let mut left: Vec<usize> = (0..14).collect();
            let taken = BTreeSet::from([0]);
            let next = next_project(&plan, &mut left, &taken, None, number).unwrap();
            assert_eq!((next.pieces.len(), next.pieces[13]), (14, 0));
            next.pieces[0]
        };
        assert_eq!([0, 1, 2, 3].map(begin), [1, 3, 5, 7]);
    }
}
