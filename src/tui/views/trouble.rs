//! Draws the reason why a pane has no content, and a hint at the fix.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{Styles, put};
use crate::error::Error;
use crate::tui::text::{sanitize, wrap};
use crate::tui::theme::Role;

/// Draws a dimmed text instead of content.
pub fn say(styles: &Styles, rect: Rect, words: &str, buffer: &mut Buffer) {
    paragraph(styles, rect, 0, Role::Dim, words, buffer);
}

/// Draws an error and its hint instead of content.
pub fn show(styles: &Styles, rect: Rect, error: &Error, buffer: &mut Buffer) {
    explain(styles, rect, &error.to_string(), error.advice(), buffer);
}

/// Draws the reason `why` there is no content, and below it the hint `advice`, if there is one.
pub fn explain(styles: &Styles, rect: Rect, why: &str, advice: Option<&str>, buffer: &mut Buffer) {
    let row = paragraph(styles, rect, 0, Role::Dim, why, buffer);
    if let Some(advice) = advice {
        paragraph(styles, rect, row + 1, Role::Dim, advice, buffer);
    }
}

/// Draws a text, wrapped to the width of `rect`, beginning at row `row`. Returns the row below the text.
fn paragraph(
    styles: &Styles,
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
                &Line::from(styles.span(role, &clean[piece])),
            );
            row += 1;
        }
    }
    row
}
