//! The completions: models and settings with their verdicts, and the chosen one beside the reference.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::pane::{Extent, Heading, frame};
use super::{Look, put, select, trouble};
use crate::tui::effect::Slot;
use crate::tui::layout::{cut_left, cut_top};
use crate::tui::state::completions::{CompletionRow, Completions, DiffRow, Mark, Side};
use crate::tui::state::{Pane, State};
use crate::tui::text::{fit, sanitize, styled};
use crate::tui::theme::Role;

/// The narrowest pane in which two sides stand side by side.
const SIDE_BY_SIDE: u16 = 70;

/// Draws the pane.
pub fn draw(state: &State, look: &Look, rect: Rect, buffer: &mut Buffer) {
    let pane = &state.workbench.completions;
    let focused = state.workbench.focus == Pane::Completions;
    let heading = Heading {
        title: Pane::Completions.title().to_owned(),
        note: String::new(),
        right: place(pane),
    };
    let height = rect.height.saturating_sub(2);
    let extent = if pane.reading {
        Extent {
            top: pane.top,
            len: pane.diff_lines(),
        }
    } else {
        Extent::default()
    };
    let inner = frame(look, rect, focused, &heading, extent, buffer);
    if pane.rows.is_empty() {
        trouble::say(look, inner, nothing(state), buffer);
        return;
    }
    let (list, below) = cut_top(inner, pane.list_height(height));
    let rows = pane.rows.iter().enumerate().skip(pane.cursor.top);
    for (offset, (index, row)) in rows.take(usize::from(list.height)).enumerate() {
        put(buffer, list, offset, &row_line(look, row, list.width));
        if index == pane.cursor.at {
            select(buffer, list, offset, look, focused && !pane.reading);
        }
    }
    let (rule, below) = cut_top(below, 1);
    draw_rule(look, pane, rule, buffer);
    if pane.diff.of.is_some() {
        draw_diff(look, pane, below, buffer);
    }
}

fn place(pane: &Completions) -> String {
    if pane.rows.is_empty() {
        String::new()
    } else {
        format!("{} of {}", pane.cursor.at + 1, pane.rows.len())
    }
}

fn nothing(state: &State) -> &'static str {
    let Some(workspace) = &state.workspace else {
        return "";
    };
    if workspace.completion_sets().is_empty() {
        "no completions are open: name their files or folders on the command line"
    } else if workspace.indexed().is_none() || state.tickets.is_busy(Slot::Index) {
        "reading completions…"
    } else {
        "no model wrote one for this task"
    }
}

fn row_line(look: &Look, row: &CompletionRow, columns: u16) -> Line<'static> {
    let model = sanitize(&row.model);
    let setting = row.setting.replace('_', " ");
    let setting = sanitize(&setting);
    let verdict = row.verdict.map_or("not run", |verdict| verdict.word());
    let verdict = verdict.replace('_', " ");
    let own = if row.own { "run here" } else { "" };
    let wide = usize::from(columns).saturating_sub(33).clamp(16, 60);
    let sample = format!("#{}", row.sample + 1);
    Line::from(vec![
        Span::raw(" "),
        look.span(Role::verdict(row.verdict), look.glyphs.verdict(row.verdict)),
        Span::raw(" "),
        Span::raw(fit(&model, wide / 2, look.glyphs.ellipsis)),
        Span::raw(" "),
        look.span(Role::Dim, fit(&setting, wide / 2, look.glyphs.ellipsis)),
        Span::raw(" "),
        look.span(Role::Dim, fit(&sample, 4, "")),
        look.span(Role::verdict(row.verdict), fit(&verdict, 14, "")),
        look.span(Role::Dim, own),
    ])
}

fn draw_rule(look: &Look, pane: &Completions, rect: Rect, buffer: &mut Buffer) {
    let rule = look.glyphs.rule;
    put(
        buffer,
        rect,
        0,
        &Line::from(look.span(Role::Border, rule.repeat(usize::from(rect.width)))),
    );
    let words = if !pane.diff.has_reference {
        " completion "
    } else if pane.unified || rect.width < SIDE_BY_SIDE {
        " - reference  + completion "
    } else {
        " reference "
    };
    let line = Line::from(look.span(Role::Dim, words));
    let (_, at) = cut_left(rect, 1);
    put(buffer, at, 0, &line);
    if pane.diff.has_reference && !pane.unified && rect.width >= SIDE_BY_SIDE {
        let (_, right) = cut_left(rect, rect.width / 2);
        put(
            buffer,
            right,
            0,
            &Line::from(look.span(Role::Dim, " completion ")),
        );
    }
}

fn draw_diff(look: &Look, pane: &Completions, rect: Rect, buffer: &mut Buffer) {
    if pane.unified || rect.width < SIDE_BY_SIDE || !pane.diff.has_reference {
        let lines = pane.diff.unified.iter().skip(pane.top);
        for (offset, (row, mark)) in lines.take(usize::from(rect.height)).enumerate() {
            let row = &pane.diff.rows[*row];
            unified_line(look, row, *mark, pane, (rect, offset), buffer);
        }
        return;
    }
    let (left, right) = cut_left(rect, rect.width / 2);
    let rows = pane.diff.rows.iter().skip(pane.top);
    for (offset, row) in rows.take(usize::from(rect.height)).enumerate() {
        let (removed, added) = if row.equal {
            (Mark::Equal, Mark::Equal)
        } else {
            (Mark::Removed, Mark::Added)
        };
        side_line(
            look,
            row.reference.as_ref(),
            removed,
            pane,
            (left, offset),
            buffer,
        );
        side_line(
            look,
            row.completion.as_ref(),
            added,
            pane,
            (right, offset),
            buffer,
        );
    }
}

fn unified_line(
    look: &Look,
    row: &DiffRow,
    mark: Mark,
    pane: &Completions,
    place: (Rect, usize),
    buffer: &mut Buffer,
) {
    let mark = if pane.diff.has_reference {
        mark
    } else {
        Mark::Equal
    };
    let side = match mark {
        Mark::Removed => row.reference.as_ref(),
        Mark::Added | Mark::Equal => row.completion.as_ref().or(row.reference.as_ref()),
    };
    side_line(look, side, mark, pane, place, buffer);
}

/// `  12 + text`, the changed words marked.
fn side_line(
    look: &Look,
    side: Option<&Side>,
    mark: Mark,
    pane: &Completions,
    (rect, offset): (Rect, usize),
    buffer: &mut Buffer,
) {
    let Some(side) = side else {
        return;
    };
    let (sign, line_role, word_role) = match mark {
        Mark::Equal => (" ", Role::Text, Role::Text),
        Mark::Removed => ("-", Role::DiffRemoved, Role::DiffRemovedWord),
        Mark::Added => ("+", Role::DiffAdded, Role::DiffAddedWord),
    };
    let mut text = String::new();
    let mut layer: Vec<(std::ops::Range<usize>, Style)> = Vec::new();
    for piece in &side.pieces {
        let start = text.len();
        text.push_str(&piece.text);
        let role = if piece.changed { word_role } else { line_role };
        if mark != Mark::Equal {
            layer.push((start..text.len(), look.style(role)));
        }
    }
    let room = usize::from(rect.width).saturating_sub(8);
    let mut spans = vec![
        look.span(Role::LineNumber, format!("{:>4} ", side.number)),
        look.span(line_role, sign),
        Span::raw(" "),
    ];
    let picture = look.style(Role::ControlPicture);
    spans.extend(styled(&text, &[&layer], picture, pane.left..pane.left + room).spans);
    put(buffer, rect, offset, &Line::from(spans));
}
