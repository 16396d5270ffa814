//! The analysis: turning the sheets, grouping, and what lies behind a row.

use std::sync::Arc;

use super::motion::Motion;
use crate::metrics::Dimension;
use crate::report::{AnalysisSheet, TableFormat};
use crate::tui::effect::Effect;
use crate::tui::state::analysis::AnalysisScreen;
use crate::tui::state::list::Cursor;
use crate::tui::state::{Overlay, Pane, Screen, State, Tone};

/// Columns of a step to the side.
const SIDE: isize = 8;

/// Opens the screen for the tasks that the filter lets through.
pub(crate) fn open(state: &mut State) {
    state.screen = Screen::Analysis;
}

/// Groups by the next dimension.
pub(crate) fn next_dimension(state: &mut State) {
    let screen = &mut state.analysis;
    let all = Dimension::ALL;
    let at = all.iter().position(|own| *own == screen.by).unwrap_or(0);
    screen.by = all[(at + 1) % all.len()];
    screen.at = 1;
    screen.cursor = Cursor::default();
}

/// The next sheet, or an earlier one.
pub(super) fn turn(state: &mut State, by: isize) {
    let screen = &mut state.analysis;
    let len = isize::try_from(screen.sheets.len()).unwrap_or(1).max(1);
    let next = (isize::try_from(screen.at).unwrap_or(0) + by).rem_euclid(len);
    screen.at = usize::try_from(next).unwrap_or(0);
    screen.cursor = Cursor::default();
    screen.left = 0;
}

/// Scrolls to the side.
pub(super) fn aside(state: &mut State, steps: isize) {
    state.analysis.left = state.analysis.left.saturating_add_signed(steps * SIDE);
}

/// The lists of tasks behind the chosen row.
pub(super) fn behind(state: &mut State) {
    let screen = &state.analysis;
    let lists = screen
        .sheet()
        .and_then(|sheet| sheet.lists.get(screen.cursor.at));
    let Some(lists) = lists.filter(|lists| !lists.is_empty()) else {
        return state.say(Tone::Warning, "no list of tasks lies behind this row");
    };
    let mut text = String::new();
    for (number, behind) in (1..).zip(lists) {
        text = format!("{text}{}: {}\n", behind.name, behind.tasks.len());
        if let Some(filter) = &behind.filter {
            text = format!("{text}  {number} shows them in the task list: {filter}\n");
        }
        for task in &behind.tasks {
            text = format!("{text}  {task}\n");
        }
        text.push('\n');
    }
    state.overlay = Some(Overlay::Text {
        title: "Tasks".to_owned(),
        text,
        top: 0,
    });
}

/// Shows the tasks of a list behind the row in the task list, among those that it shows already.
pub(crate) fn narrow(state: &mut State, place: usize) {
    let screen = &state.analysis;
    let lists = screen
        .sheet()
        .and_then(|sheet| sheet.lists.get(screen.cursor.at));
    let Some(behind) = lists.and_then(|lists| lists.get(place)) else {
        return state.say(Tone::Warning, "no such list of tasks lies behind this row");
    };
    let Some(filter) = behind.filter.clone() else {
        let words = "no filter says which tasks these are; Enter lists them";
        return state.say(Tone::Warning, words);
    };
    let typed = &mut state.workbench.tasks.query.filter;
    if !typed.is_empty() {
        typed.push(' ');
    }
    typed.push_str(&filter);
    state.screen = Screen::Workbench;
    super::layout::focus(state, Pane::Tasks);
}

/// Copies the table as Markdown.
pub(crate) fn copy(state: &mut State) -> Vec<Effect> {
    let Some(sheet) = state.analysis.sheet() else {
        return Vec::new();
    };
    let text = sheet.table.render(TableFormat::Markdown);
    state.say(Tone::Done, "the table is on the clipboard, as Markdown");
    vec![Effect::Copy(text)]
}

/// Moves in the sheet.
pub(super) fn go(state: &mut State, motion: Motion) {
    let height = AnalysisScreen::height(state.size);
    let screen = &mut state.analysis;
    let len = screen.rows();
    motion.apply(&mut screen.cursor, len, height);
}

/// The sheets are made.
pub(super) fn take(state: &mut State, sheets: Vec<AnalysisSheet>) {
    state.analysis.of = state.asked.analysis.clone();
    state.analysis.sheets = Arc::from(sheets);
    let last = state.analysis.sheets.len().saturating_sub(1);
    state.analysis.at = state.analysis.at.min(last);
    go(state, Motion::Rows(0));
}
