//! Going to a task by parts of its name.

use crossterm::event::KeyCode;

use crate::tui::effect::Effect;
use crate::tui::keys::Key;
use crate::tui::state::jump::Jump;
use crate::tui::state::list::Cursor;
use crate::tui::state::{Overlay, Screen, State};
use crate::workspace::filter::Filter;

/// Matches that are listed.
const LISTED: usize = 100;

/// Opens the overlay.
pub(crate) fn open(state: &mut State) {
    state.overlay = Some(Overlay::Jump(Jump::default()));
    styles(state);
}

/// Looks for what is typed.
pub(super) fn styles(state: &mut State) {
    let (Some(workspace), Some(Overlay::Jump(jump))) = (&state.workspace, &mut state.overlay)
    else {
        return;
    };
    let filter = Filter::of_words(jump.input.text());
    let mut found = workspace.select(&filter, &**workspace);
    jump.matched = found.len();
    found.truncate(LISTED);
    jump.found = found;
    jump.cursor = Cursor::default();
}

/// A key while the overlay is open.
pub(super) fn press(state: &mut State, mut jump: Jump, key: Key) -> Vec<Effect> {
    let (len, rows) = (jump.found.len(), usize::from(state.size.1));
    let mut typed = false;
    match key.code {
        KeyCode::Esc => return Vec::new(),
        KeyCode::Char('c') if key.ctrl => return Vec::new(),
        KeyCode::Enter => {
            go(state, &jump);
            return Vec::new();
        }
        KeyCode::Down | KeyCode::Tab => jump.cursor.by(1, len, rows),
        KeyCode::Up | KeyCode::BackTab => jump.cursor.by(-1, len, rows),
        KeyCode::Char('n') if key.ctrl => jump.cursor.by(1, len, rows),
        KeyCode::Char('p') if key.ctrl => jump.cursor.by(-1, len, rows),
        _ => typed = jump.input.take(key),
    }
    state.overlay = Some(Overlay::Jump(jump));
    if typed {
        styles(state);
    }
    Vec::new()
}

/// Chooses the task; a filter that hides it is cleared.
fn go(state: &mut State, jump: &Jump) {
    let Some(task) = jump.found.get(jump.cursor.at).copied() else {
        return;
    };
    state.screen = Screen::Workbench;
    if let Some(row) = state.workbench.tasks.listing.row_of(task) {
        return super::tasks::choose_row(state, row);
    }
    let tasks = &mut state.workbench.tasks;
    tasks.goal = Some(task);
    tasks.query.filter.clear();
}
