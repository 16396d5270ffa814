//! A pane that has nothing to show says why, and what to do.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{Look, put};
use crate::error::Error;
use crate::tui::text::{sanitize, wrap};
use crate::tui::theme::Role;

/// Says something dim in place of content.
pub fn say(look: &Look, rect: Rect, words: &str, buffer: &mut Buffer) {
    paragraph(look, rect, 0, Role::Dim, words, buffer);
}

/// Says why there is no content, and what to do about it.
pub fn show(look: &Look, rect: Rect, error: &Error, buffer: &mut Buffer) {
    explain(look, rect, &error.to_string(), error.advice(), buffer);
}

/// Says why there is no content, and what to do about it.
pub fn explain(look: &Look, rect: Rect, why: &str, advice: Option<&str>, buffer: &mut Buffer) {
    let row = paragraph(look, rect, 0, Role::Dim, why, buffer);
    if let Some(advice) = advice {
        paragraph(look, rect, row + 1, Role::Dim, advice, buffer);
    }
}

fn paragraph(
    look: &Look,
    rect: Rect,
    row: usize,
    role: Role,
    text: &str,
    buffer: &mut Buffer,
) -> usize {
    let columns = usize::from(rect.width.saturating_sub(2));
    let space = Rect {
        x: rect.x + 1,
        width: rect.width.saturating_sub(2),
        ..rect
    };
    let mut row = row;
    for line in text.lines() {
        let clean = sanitize(line);
        for piece in wrap(&clean, columns) {
            put(
                buffer,
                space,
                row,
                &Line::from(look.span(role, &clean[piece])),
            );
            row += 1;
        }
    }
    row
}
