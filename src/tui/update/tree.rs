//! Updates the rows of the dependency tree when the data changes, and expands and collapses rows.

use super::motion;
use crate::benchmark::Verdict;
use crate::tui::state::tree::{Trail, TreeInput};
use crate::tui::state::{Pane, State};

/// Rebuilds the rows. If the cursor is below the first row, it stays on its dependency.
pub(super) fn rebuild(state: &mut State) {
    let Some((task, workspace)) = state.workbench.task.task.zip(state.workspace.as_ref()) else {
        return;
    };
    let bench = &mut state.workbench;
    let panes = &mut bench.task;
    let chosen = bench.completions.rows.get(bench.completions.cursor.at);
    let against = panes
        .against
        .as_ref()
        .filter(|against| chosen.is_some_and(|row| row.index == against.completion));
    let verdict = chosen.and_then(|row| row.verdict);
    let context = &bench.context;
    let before = panes.tree.rows.get(panes.cursor.at);
    let before = before.map(|row| row.trail.clone());
    panes.tree.rebuild(TreeInput {
        task: &workspace.task(task).namespace,
        needs: &panes.dependencies,
        items: context
            .shown_for
            .is_some()
            .then_some(&context.shown.listing.items[..]),
        against,
        failed: against.is_some() && verdict.is_some_and(|verdict| verdict != Verdict::Pass),
    });
    if let Some(trail) = before.filter(|_| panes.cursor.at > 0) {
        choose(state, &trail);
    }
}

/// Moves the cursor to the row with this path in the tree. Does nothing if there is no such row.
fn choose(state: &mut State, trail: &Trail) {
    let height = motion::rows_of(state, Pane::Dependencies);
    let panes = &mut state.workbench.task;
    let rows = &panes.tree.rows;
    if let Some(at) = rows.iter().position(|row| row.trail == *trail) {
        panes.cursor.to(at, rows.len(), height);
    }
}

/// Expands the row under the cursor. If the row is already expanded, goes to the next row.
pub(crate) fn expand(state: &mut State) {
    let panes = &mut state.workbench.task;
    let Some(row) = panes.tree.rows.get(panes.cursor.at) else {
        return;
    };
    if row.open {
        return motion::go_in(state, Pane::Dependencies, super::motion::Motion::Rows(1));
    }
    let trail = row.trail.clone();
    panes.tree.set_open(trail, true);
    rebuild(state);
}

/// Collapses the row under the cursor. If the row is already collapsed, goes to the parent row.
pub(crate) fn collapse(state: &mut State) {
    let panes = &mut state.workbench.task;
    let Some(row) = panes.tree.rows.get(panes.cursor.at) else {
        return;
    };
    let mut trail = row.trail.clone();
    if row.open {
        panes.tree.set_open(trail, false);
        return rebuild(state);
    }
    trail.pop();
    choose(state, &trail);
}
