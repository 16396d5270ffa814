//! Draws the state. [`draw`] does not change the state, and computes only what is visible.

mod analysis;
mod caption;
mod completions;
mod context;
mod dependencies;
mod diff;
mod drawing;
mod failure;
mod foot;
mod found;
mod generation;
mod goto_task;
mod head;
mod leakage;
mod legend;
mod links;
mod log;
mod overview;
mod pane;
mod popup;
mod reference;
mod requirement;
mod result;
mod review;
mod review_choices;
mod reviewed;
mod run;
mod tasks;
mod trouble;

pub use links::{Link, links};

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::layout::{Form, SMALLEST, cut_top};
use super::state::{Overlay, Pane, Screen, State};
use super::theme::Role;

pub use drawing::Styles;
use drawing::{coloured, cover, put, select};

/// Draws the screen and, during the guided tour, the caption. If the terminal has a new size that the state does not
/// have yet, the frame stays empty.
pub fn draw(state: &State, styles: &Styles, frame: &mut Frame) {
    let whole = frame.area();
    let buffer = frame.buffer_mut();
    buffer.set_style(whole, styles.style(Role::Text));
    if (whole.width, whole.height) != state.terminal() {
        return;
    }
    let (area, below) = cut_top(whole, state.size.1);
    draw_screen(state, styles, area, buffer);
    if state.demo.is_some() {
        let over = Rect {
            y: whole.height / 2,
            height: whole.height - whole.height / 2,
            ..whole
        };
        let place = if below.height == 0 { over } else { below };
        caption::draw(state, styles, place, buffer);
    }
}

/// Limits the scroll position of the help and of texts in an overlay, so that scrolling ends at the last page.
pub fn limit_scroll(state: &mut State, styles: &Styles) {
    let (width, height) = state.size;
    let limited = popup::limited(state, styles, Rect::new(0, 0, width, height));
    if let (Some(Overlay::Help { top } | Overlay::Text { top, .. }), Some(limited)) =
        (&mut state.overlay, limited)
    {
        *top = limited;
    }
}

fn draw_screen(state: &State, styles: &Styles, area: Rect, buffer: &mut Buffer) {
    let arrangement = state.arrangement();
    if arrangement.form == Form::TooSmall {
        too_small(styles, area, buffer);
        return;
    }
    match state.screen {
        Screen::Workbench => {
            head::draw(state, styles, &arrangement, buffer);
            for (pane, rect) in &arrangement.panes {
                draw_pane(state, styles, *pane, *rect, buffer);
            }
        }
        Screen::Leakage => leakage::draw(state, styles, buffer),
        Screen::Analysis => analysis::draw(state, styles, buffer),
        Screen::Run => run::draw(state, styles, buffer),
        Screen::Result => result::draw(state, styles, buffer),
        Screen::Review => review::draw(state, styles, buffer),
        Screen::Overview => overview::draw(state, styles, buffer),
        Screen::Generation => generation::draw(state, styles, area, buffer),
    }
    foot::draw(state, styles, arrangement.foot, buffer);
    match &state.overlay {
        Some(Overlay::Help { top }) => popup::help(state, styles, *top, area, buffer),
        Some(Overlay::Palette { input, cursor }) => {
            popup::palette(state, styles, (input, *cursor), area, buffer);
        }
        Some(Overlay::Text { title, text, top }) => {
            popup::text(styles, (title, text), *top, area, buffer);
        }
        Some(Overlay::Reviewed { cursor }) => reviewed::draw(state, styles, *cursor, area, buffer),
        Some(Overlay::Found { cursor }) => found::draw(state, styles, *cursor, area, buffer),
        Some(Overlay::GoToTask(found)) => goto_task::draw(state, styles, found, area, buffer),
        Some(Overlay::Prompt { .. }) | None => {}
    }
}

fn draw_pane(state: &State, styles: &Styles, pane: Pane, rect: Rect, buffer: &mut Buffer) {
    match pane {
        Pane::Tasks => tasks::draw(state, styles, rect, buffer),
        Pane::Requirement => requirement::draw(state, styles, rect, buffer),
        Pane::Reference => reference::draw(state, styles, rect, buffer),
        Pane::Dependencies => dependencies::draw(state, styles, rect, buffer),
        Pane::Context => context::draw(state, styles, rect, buffer),
        Pane::Completions => completions::draw(state, styles, rect, buffer),
        Pane::Log => log::draw(state, styles, rect, buffer),
    }
}

fn too_small(styles: &Styles, area: Rect, buffer: &mut Buffer) {
    let (columns, rows) = SMALLEST;
    let lines = [
        format!("{} × {} is too small", area.width, area.height),
        format!("{columns} × {rows} is enough"),
    ];
    for (row, text) in (0..area.height).zip(lines) {
        let line = Line::from(styles.span(Role::Text, text));
        buffer.set_line(area.x, area.y + row, &line, area.width);
    }
}
