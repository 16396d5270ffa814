//! Converts a screen to text with escape sequences, for commands that print the screen to a terminal.

use ratatui::backend::IntoCrossterm;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Style};
use unicode_width::UnicodeWidthStr;

/// The rows of the buffer, joined by line feeds. Spaces without a style at the end of a row are omitted. If `styles` is
/// false, the text has no escape sequences.
pub fn ansi(buffer: &Buffer, styles: bool) -> String {
    let area = buffer.area;
    let rows = (0..area.height).map(|y| {
        let mut cells = Vec::new();
        let mut x = 0;
        while let Some(cell) = (x < area.width).then(|| &buffer[(area.x + x, area.y + y)]) {
            cells.push((cell.symbol(), style(cell, styles)));
            x += u16::try_from(cell.symbol().width()).unwrap_or(1).max(1);
        }
        let shown = cells.iter().rposition(|cell| *cell != (" ", Style::new()));
        row(&cells[..shown.map_or(0, |last| last + 1)])
    });
    rows.collect::<Vec<_>>().join("\n")
}

fn style(cell: &Cell, styles: bool) -> Style {
    let own = |colour: Color| (styles && colour != Color::Reset).then_some(colour);
    let style = Style {
        fg: own(cell.fg),
        bg: own(cell.bg),
        ..Style::new()
    };
    if styles {
        style.add_modifier(cell.modifier)
    } else {
        style
    }
}

fn row(cells: &[(&str, Style)]) -> String {
    let runs = cells.chunk_by(|(_, a), (_, b)| a == b);
    runs.map(|run| {
        let text: String = run.iter().map(|(symbol, _)| *symbol).collect();
        match run[0].1 {
            plain if plain == Style::new() => text,
            style => style.into_crossterm().apply(text).to_string(),
        }
    })
    .collect()
}
