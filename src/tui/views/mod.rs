//! What the state looks like: `draw` changes nothing and arranges only what is in sight.

mod analysis;
mod caption;
mod completions;
mod context;
mod dependencies;
mod diff;
mod failure;
mod foot;
mod found;
mod generation;
mod head;
mod jump;
mod leakage;
mod legend;
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

use std::ops::Range;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::highlight::LineRoles;
use super::layout::{Form, SMALLEST, cut_top};
use super::state::{Overlay, Pane, Screen, State};
use super::theme::{Glyphs, Role, Theme};

/// How things look: styles and signs.
#[derive(Debug, Clone)]
pub struct Look {
    /// The styles.
    pub theme: Theme,
    /// The signs.
    pub glyphs: Glyphs,
}

impl Look {
    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// Text in a role. The text must be clean.
    pub fn span(&self, role: Role, text: impl Into<String>) -> Span<'static> {
        Span::styled(text.into(), self.style(role))
    }
}

/// Draws the screen. A frame of another size than the state knows of stays empty: the terminal has just been resized,
/// and the message of it is on its way.
pub fn draw(state: &State, look: &Look, frame: &mut Frame) {
    let whole = frame.area();
    let buffer = frame.buffer_mut();
    buffer.set_style(whole, look.style(Role::Text));
    if (whole.width, whole.height) != state.terminal() {
        return;
    }
    let (area, below) = cut_top(whole, state.size.1);
    draw_screen(state, look, area, buffer);
    if state.demo.is_some() {
        let over = Rect {
            y: whole.height / 2,
            height: whole.height - whole.height / 2,
            ..whole
        };
        let place = if below.height == 0 { over } else { below };
        caption::draw(state, look, place, buffer);
    }
}

fn draw_screen(state: &State, look: &Look, area: Rect, buffer: &mut Buffer) {
    let arrangement = state.arrangement();
    if arrangement.form == Form::TooSmall {
        too_small(look, area, buffer);
        return;
    }
    match state.screen {
        Screen::Workbench => {
            head::draw(state, look, &arrangement, buffer);
            for (pane, rect) in &arrangement.panes {
                draw_pane(state, look, *pane, *rect, buffer);
            }
        }
        Screen::Leakage => leakage::draw(state, look, buffer),
        Screen::Analysis => analysis::draw(state, look, buffer),
        Screen::Run => run::draw(state, look, buffer),
        Screen::Result => result::draw(state, look, buffer),
        Screen::Review => review::draw(state, look, buffer),
        Screen::Overview => overview::draw(state, look, buffer),
        Screen::Generation => generation::draw(state, look, area, buffer),
    }
    foot::draw(state, look, arrangement.foot, buffer);
    match &state.overlay {
        Some(Overlay::Help { top }) => popup::help(state, look, *top, area, buffer),
        Some(Overlay::Palette { input, cursor }) => {
            popup::palette(state, look, (input, *cursor), area, buffer);
        }
        Some(Overlay::Text { title, text, top }) => {
            popup::text(look, (title, text), *top, area, buffer);
        }
        Some(Overlay::Reviewed { cursor }) => reviewed::draw(state, look, *cursor, area, buffer),
        Some(Overlay::Found { cursor }) => found::draw(state, look, *cursor, area, buffer),
        Some(Overlay::Jump(found)) => jump::draw(state, look, found, area, buffer),
        Some(Overlay::Prompt { .. }) | None => {}
    }
}

fn draw_pane(state: &State, look: &Look, pane: Pane, rect: Rect, buffer: &mut Buffer) {
    match pane {
        Pane::Tasks => tasks::draw(state, look, rect, buffer),
        Pane::Requirement => requirement::draw(state, look, rect, buffer),
        Pane::Reference => reference::draw(state, look, rect, buffer),
        Pane::Dependencies => dependencies::draw(state, look, rect, buffer),
        Pane::Context => context::draw(state, look, rect, buffer),
        Pane::Completions => completions::draw(state, look, rect, buffer),
        Pane::Log => log::draw(state, look, rect, buffer),
    }
}

fn too_small(look: &Look, area: Rect, buffer: &mut Buffer) {
    let (columns, rows) = SMALLEST;
    let lines = [
        format!("{} × {} is too small", area.width, area.height),
        format!("{columns} × {rows} is enough"),
    ];
    for (row, text) in (0..area.height).zip(lines) {
        let line = Line::from(look.span(Role::Text, text));
        buffer.set_line(area.x, area.y + row, &line, area.width);
    }
}

/// The styles of a line's colours.
fn coloured(look: &Look, roles: &LineRoles) -> Vec<(Range<usize>, Style)> {
    roles
        .iter()
        .map(|(range, role)| (range.clone(), look.style(*role)))
        .collect()
}

/// Sets a line into one row of a rectangle; `row` counts from its top.
fn put(buffer: &mut Buffer, rect: Rect, row: usize, line: &Line) {
    if let Ok(row) = u16::try_from(row)
        && row < rect.height
    {
        buffer.set_line(rect.x, rect.y + row, line, rect.width);
    }
}

/// Applies a style to one row of a rectangle.
fn cover(buffer: &mut Buffer, rect: Rect, row: usize, style: Style) {
    if let Ok(row) = u16::try_from(row)
        && row < rect.height
    {
        let line = Rect::new(rect.x, rect.y + row, rect.width, 1);
        buffer.set_style(line, style);
    }
}

/// The row under a list's cursor: bright in the focused pane, quiet elsewhere.
fn select(buffer: &mut Buffer, rect: Rect, row: usize, look: &Look, focused: bool) {
    let role = if focused {
        Role::Selection
    } else {
        Role::SelectionQuiet
    };
    cover(buffer, rect, row, look.style(role));
}
