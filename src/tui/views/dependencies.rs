//! The dependency paths: type, path, kind and place; what the context lacks; the source of the chosen one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pane::{Extent, Heading, frame};
use super::{Look, put, select, trouble};
use crate::tui::layout::cut_top;
use crate::tui::state::task::{DependencyRow, Resolution};
use crate::tui::state::{Pane, State};
use crate::tui::text::{sanitize, styled, truncate_start, width};
use crate::tui::theme::Role;

/// Draws the pane.
pub fn draw(state: &State, look: &Look, rect: Rect, buffer: &mut Buffer) {
    let panes = &state.workbench.task;
    let focused = state.workbench.focus == Pane::Dependencies;
    let heading = Heading {
        title: Pane::Dependencies.title().to_owned(),
        note: String::new(),
        right: summary(look, &panes.dependencies),
    };
    let extent = Extent {
        top: panes.cursor.top,
        len: if panes.peek {
            0
        } else {
            panes.dependencies.len()
        },
    };
    let inner = frame(look, rect, focused, &heading, extent, buffer);
    if panes.dependencies.is_empty() {
        if panes.task.is_some() {
            trouble::say(look, inner, nothing(&panes.resolution), buffer);
        }
        return;
    }
    let (list, below) = cut_top(inner, panes.list_height(inner.height));
    let rows = panes.dependencies.iter().enumerate().skip(panes.cursor.top);
    for (offset, (index, row)) in rows.take(usize::from(list.height)).enumerate() {
        put(
            buffer,
            list,
            offset,
            &line(state, look, index, row, list.width),
        );
        if index == panes.cursor.at {
            select(buffer, list, offset, look, focused);
        }
    }
    if panes.peek {
        peek(state, look, below, buffer);
    } else if let Resolution::Unresolved(why) = &panes.resolution {
        let used = u16::try_from(panes.dependencies.len()).unwrap_or(u16::MAX);
        let (_, below) = cut_top(list, used.saturating_add(1));
        trouble::say(look, below, why, buffer);
    }
}

fn nothing(resolution: &Resolution) -> &str {
    match resolution {
        Resolution::Labels => "no dependencies are labelled",
        Resolution::Resolved => "the reference code uses nothing of the project",
        Resolution::Unresolved(why) => why,
    }
}

fn summary(look: &Look, rows: &[DependencyRow]) -> String {
    use crate::benchmark::DependencyType;
    let parts: Vec<_> = DependencyType::ALL
        .iter()
        .map(|kind| {
            let count = rows
                .iter()
                .filter(|row| row.dependency_type == *kind)
                .count();
            (look.glyphs.dependency(Some(*kind)), count)
        })
        .filter(|(_, count)| *count > 0)
        .map(|(sign, count)| format!("{sign}{count}"))
        .collect();
    parts.join(" ")
}

fn line(
    state: &State,
    look: &Look,
    index: usize,
    row: &DependencyRow,
    columns: u16,
) -> Line<'static> {
    let (place, role) = place(state, index, row);
    let room = usize::from(columns).saturating_sub(width(&place) + 5);
    let path = sanitize(&row.path);
    let path = truncate_start(shortened(&path, room), room, look.glyphs.ellipsis).into_owned();
    let gap = usize::from(columns).saturating_sub(width(&path) + width(&place) + 4);
    Line::from(vec![
        Span::raw(" "),
        look.span(
            Role::dependency(row.dependency_type),
            look.glyphs.dependency(Some(row.dependency_type)),
        ),
        Span::raw(" "),
        Span::raw(path),
        Span::raw(" ".repeat(gap)),
        look.span(role, place),
    ])
}

/// The path without its folders, or without its file, where the whole does not fit.
fn shortened(path: &str, room: usize) -> &str {
    let (file, _) = path.split_once("::").unwrap_or((path, ""));
    let name = file.rfind('/').map_or(0, |slash| slash + 1);
    [0, name, file.len()]
        .into_iter()
        .map(|start| &path[start..])
        .find(|part| width(part) <= room && !part.is_empty())
        .unwrap_or(path)
}

/// What stands at the right: whether the context shows it, its kind and line; or that it was not found.
fn place(state: &State, index: usize, row: &DependencyRow) -> (String, Role) {
    let panes = &state.workbench.task;
    let covered = state
        .workbench
        .context
        .covered
        .get(index)
        .copied()
        .flatten();
    match (&row.definition, &panes.resolution) {
        (Some(found), _) => {
            let aside = match (row.labelled, covered) {
                (false, _) => "not labelled, ",
                (true, Some(false)) => "unseen, ",
                (true, _) => "",
            };
            let words = format!("{aside}{} {}", found.kind, found.lines.first());
            (words, Role::Dim)
        }
        (None, Resolution::Resolved) => ("? not found".to_owned(), Role::NotFound),
        (None, _) => (String::new(), Role::Dim),
    }
}

fn peek(state: &State, look: &Look, rect: Rect, buffer: &mut Buffer) {
    let panes = &state.workbench.task;
    let rule = look.glyphs.rule.repeat(usize::from(rect.width));
    put(buffer, rect, 0, &Line::from(look.span(Role::Border, rule)));
    let (_, room) = cut_top(rect, 1);
    match &panes.peeked {
        Some((index, text)) if *index == panes.cursor.at => {
            let picture = look.style(Role::ControlPicture);
            for (row, line) in text.lines().take(usize::from(room.height)).enumerate() {
                let columns = 0..usize::from(room.width.saturating_sub(1));
                let mut spans = vec![Span::raw(" ")];
                spans.extend(styled(line, &[], picture, columns).spans);
                put(buffer, room, row, &Line::from(spans));
            }
        }
        _ if panes
            .dependencies
            .get(panes.cursor.at)
            .is_some_and(|row| row.definition.is_none()) =>
        {
            trouble::say(look, room, "its definition was not found", buffer);
        }
        _ => {}
    }
}
