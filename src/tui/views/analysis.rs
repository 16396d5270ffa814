//! The analysis: a sheet at a time, its bars, and its footer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pane::{Extent, Heading, frame};
use super::{Styles, put, select, trouble};
use crate::report::{Align, AnalysisSheet};
use crate::tui::chart::bar;
use crate::tui::effect::Slot;
use crate::tui::state::State;
use crate::tui::state::analysis::AnalysisScreen;
use crate::tui::text::{sanitize, truncate, width, wrap};
use crate::tui::theme::Role;

/// Cells of a row's bar.
const CELLS: usize = 16;

/// Draws everything but the bottom line.
pub fn draw(state: &State, styles: &Styles, buffer: &mut Buffer) {
    let screen = &state.analysis;
    let (head, body, _) = AnalysisScreen::places(state.size);
    tabs(screen, styles, head, buffer);
    let busy = state.tickets.is_busy(Slot::Analysis);
    let Some(sheet) = screen.sheet() else {
        let inner = frame(
            styles,
            body,
            true,
            &Heading::default(),
            Extent::default(),
            buffer,
        );
        let words = if busy || screen.of.is_none() {
            "counting verdicts…"
        } else {
            "no verdicts yet: evaluate completions, or open result files with the benchmark"
        };
        trouble::say(styles, inner, words, buffer);
        return;
    };
    let heading = Heading {
        title: sanitize(&sheet.table.title).into_owned(),
        note: if busy { "counting…" } else { "" }.to_owned(),
        right: sanitize(&sheet.table.provenance.denominator).into_owned(),
    };
    let extent = Extent {
        top: screen.cursor.top,
        len: screen.rows(),
    };
    let inner = frame(styles, body, true, &heading, extent, buffer);
    rows(
        screen,
        sheet,
        styles,
        inner,
        screen.height(state.size),
        buffer,
    );
}

fn tabs(screen: &AnalysisScreen, styles: &Styles, rect: Rect, buffer: &mut Buffer) {
    buffer.set_style(rect, styles.style(Role::Header));
    let mut spans = vec![
        Span::raw(" "),
        styles.span(Role::Strong, "analysis"),
        Span::raw("  "),
    ];
    for (number, sheet) in screen.sheets.iter().enumerate() {
        let role = if number == screen.at {
            Role::TabSelected
        } else {
            Role::Tab
        };
        spans.push(styles.span(role, format!(" {} ", sheet.name)));
        spans.push(Span::raw(" "));
    }
    if let Some((filter, ..)) = screen.of.as_ref().filter(|(filter, ..)| !filter.is_empty()) {
        spans.push(styles.span(Role::Dim, format!(" / {}", sanitize(filter))));
    }
    put(buffer, rect, 0, &Line::from(spans));
}

fn rows(
    screen: &AnalysisScreen,
    sheet: &AnalysisSheet,
    styles: &Styles,
    inner: Rect,
    height: usize,
    buffer: &mut Buffer,
) {
    let Some(widths) = screen.widths.get(screen.at) else {
        return;
    };
    let barred = sheet.bars.iter().any(Option::is_some);
    let heads = heads(sheet, styles, widths);
    let first = heads.len();
    for (row, heads) in heads.into_iter().enumerate() {
        let heads = text(sheet, widths, heads, barred);
        let line = Line::from(styles.span(Role::Dim, cut(&heads, screen.left)));
        put(buffer, inner, row, &line);
    }
    let last = (screen.cursor.top + height).min(sheet.table.rows().len());
    for (offset, place) in (screen.cursor.top..last).enumerate() {
        let number = screen.row_at(place);
        let row = &sheet.table.rows()[number];
        let offset = offset + first;
        let cells = row.iter().map(|cell| sanitize(&cell.shown()).into_owned());
        let line = text(sheet, widths, cells.collect(), barred);
        put(buffer, inner, offset, &Line::from(cut(&line, screen.left)));
        if let Some(share) = sheet.bars[number].filter(|_| screen.left == 0) {
            draw_bar(styles, inner, (offset, widths[0] + 3), share, buffer);
        }
        if place == screen.cursor.at {
            select(buffer, inner, offset, styles, true);
        }
    }
    footer(sheet, styles, inner, height + first, buffer);
}

/// The heads of the columns; in the matrix the model over the setting.
fn heads(sheet: &AnalysisSheet, styles: &Styles, widths: &[usize]) -> Vec<Vec<String>> {
    let names = sheet
        .table
        .columns
        .iter()
        .map(|column| column.name.as_str());
    if !sheet.is_matrix() {
        return vec![names.map(str::to_owned).collect()];
    }
    let cut = |text: &str, wide: usize| truncate(text, wide, styles.glyphs.ellipsis).into_owned();
    let parts = names.map(|name| name.split_once(" · ").unwrap_or(("", name)));
    let parts = parts
        .zip(widths)
        .map(|((model, setting), wide)| (cut(model, *wide), cut(setting, *wide)));
    let (models, settings) = parts.unzip();
    vec![models, settings]
}

/// A row's text: the first column, space for its bar, the others.
fn text(sheet: &AnalysisSheet, widths: &[usize], cells: Vec<String>, barred: bool) -> String {
    let mut line = String::from(" ");
    let columns = sheet.table.columns.iter().zip(widths).zip(cells);
    for (number, ((column, wide), cell)) in columns.enumerate() {
        let gap = " ".repeat(wide.saturating_sub(width(&cell)));
        match column.align {
            Align::Left => line.extend([&cell, gap.as_str()]),
            Align::Right => line.extend([gap.as_str(), &cell]),
        }
        line.push_str("  ");
        if number == 0 && barred {
            line.push_str(&" ".repeat(CELLS + 2));
        }
    }
    line
}

fn cut(line: &str, left: usize) -> String {
    line.chars().skip(left).collect()
}

fn draw_bar(styles: &Styles, rect: Rect, at: (usize, usize), share: f64, buffer: &mut Buffer) {
    let (row, column) = at;
    let (filled, _) = bar(share, CELLS, &styles.glyphs);
    let place = |value: usize| u16::try_from(value).unwrap_or(u16::MAX);
    let x = rect.x.saturating_add(place(column));
    let (y, space) = (rect.y + place(row), rect.right().saturating_sub(x));
    if y < rect.bottom() && space > 0 {
        buffer.set_line(x, y, &Line::from(styles.span(Role::Accent, filled)), space);
    }
}

fn footer(sheet: &AnalysisSheet, styles: &Styles, inner: Rect, from: usize, buffer: &mut Buffer) {
    let space = usize::from(inner.width.saturating_sub(2)).max(1);
    let mut row = from;
    for line in sheet.table.provenance.lines() {
        let clean = sanitize(&line);
        for piece in wrap(&clean, space) {
            let text = truncate(&clean[piece], space, styles.glyphs.ellipsis).into_owned();
            put(
                buffer,
                inner,
                row,
                &Line::from(styles.span(Role::Dim, format!(" {text}"))),
            );
            row += 1;
        }
    }
}
