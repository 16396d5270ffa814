//! The columns of a sheet on a screen: which ones are visible, their widths, and their heads.

use rustc_hash::FxHashMap;

use crate::report::{Align, AnalysisSheet, MATRIX_BEFORE};
use crate::tui::text::{
    look_alikes, sanitize, shorten_names, truncate, truncate_middle, truncate_start, width,
};

/// The number of terminal columns between two columns.
const GAP: usize = 2;
/// The minimum width to which a name is cut.
const NAME: usize = 20;
/// The minimum and the maximum width of a head in the matrix.
const HEAD: (usize, usize) = (8, 28);

/// The visible columns.
pub struct Columns {
    /// Their indices in the table, with their widths.
    pub visible: Vec<(usize, usize)>,
    /// The lines of the heads, each with a text for every column of the table.
    pub heads: Vec<Vec<String>>,
    /// The number of columns at the right that do not fit.
    pub hidden: usize,
}

/// Arranges the columns of a sheet in `space` terminal columns. `cells` has the widths of the widest cells. `skipped`
/// is the number of columns after the names that are scrolled out of view. If the space is too small, names are cut
/// first, and then the last columns are hidden.
pub fn arrange(
    sheet: &AnalysisSheet,
    cells: &[usize],
    (skipped, space): (usize, usize),
    ellipsis: &str,
) -> Columns {
    let columns = &sheet.table.columns;
    let lines = sheet.head_lines();
    let heads = heads(sheet, matrix_head(sheet, space), ellipsis);
    let wide = |at: usize| {
        let own = cells.get(at).copied().unwrap_or(0);
        let [first, second] = &heads[at];
        own.max(width(first)).max(width(second))
    };
    // The matrix shows the full names of tasks; a project column would take the space of two models.
    let first = usize::from(sheet.is_matrix());
    let mut visible: Vec<_> = (first..columns.len()).map(|at| (at, wide(at))).collect();
    let is_name = |at: usize| matches!(columns[at].align, Align::Left);
    let names = visible.iter().take_while(|(at, _)| is_name(*at)).count();
    let last = visible.len().saturating_sub(names + 1);
    visible.drain(names..names + skipped.min(last));
    let bar = if sheet.has_bars() {
        super::BAR_SPACE
    } else {
        0
    };
    let all: usize = visible.iter().map(|(_, wide)| wide + GAP).sum();
    let mut over = (all + bar + 1).saturating_sub(space + GAP);
    while over > 0 {
        let names = visible.iter_mut().filter(|(at, _)| is_name(*at));
        match names.max_by_key(|(_, wide)| *wide) {
            Some((_, wide)) if *wide > NAME => *wide -= 1,
            _ => break,
        }
        over -= 1;
    }
    let mut hidden = 0;
    while over > 0 && visible.len() > names + 1 {
        let last = visible.pop();
        over = over.saturating_sub(last.map_or(0, |(_, wide)| wide + GAP));
        hidden += 1;
    }
    let line = |number: usize| heads.iter().map(|head| head[number].clone()).collect();
    Columns {
        visible,
        heads: (2 - lines.min(2)..2).map(line).collect(),
        hidden,
    }
}

/// The maximum width of a head in the matrix.
fn matrix_head(sheet: &AnalysisSheet, space: usize) -> usize {
    let models = sheet.table.columns.len().saturating_sub(MATRIX_BEFORE + 1);
    let free = space.saturating_sub(NAME + 12);
    let each = free.checked_div(models).unwrap_or(0).saturating_sub(GAP);
    each.clamp(HEAD.0, HEAD.1)
}

/// The two lines of each column's head. In the matrix: the key that opens the cell with the model, and the setting,
/// each in at most `most` columns. Different heads stay different.
fn heads(sheet: &AnalysisSheet, most: usize, ellipsis: &str) -> Vec<[String; 2]> {
    let columns = &sheet.table.columns;
    let mut heads: Vec<[String; 2]> = (0..columns.len()).map(|at| head(sheet, at)).collect();
    if !sheet.is_matrix() {
        return heads;
    }
    let last = heads.len().saturating_sub(1);
    let models = &mut heads[MATRIX_BEFORE.min(last)..last];
    let whole = models.to_vec();
    for line in models.iter_mut().flatten() {
        *line = truncate(line, most, ellipsis).into_owned();
    }
    let joined = |heads: &[[String; 2]]| -> Vec<String> {
        heads.iter().map(|lines| lines.join("\n")).collect()
    };
    let (names, shown) = (joined(&whole), joined(models));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for group in look_alikes(&names, &shown) {
        for line in 0..2 {
            let texts: Vec<&str> = group.iter().map(|at| &*whole[*at][line]).collect();
            let shown = shorten_names(&texts, most, most, ellipsis);
            for (at, text) in group.iter().zip(shown) {
                models[*at][line] = text;
            }
        }
    }
    heads
}

/// The two lines of a column's head, in full.
fn head(sheet: &AnalysisSheet, at: usize) -> [String; 2] {
    let name = &sheet.table.columns[at].name;
    if !sheet.is_matrix() {
        return match name.rsplit_once(' ') {
            Some((first, second)) if sheet.head_lines() == 2 => {
                [first.to_owned(), second.to_owned()]
            }
            _ => [String::new(), name.clone()],
        };
    }
    let Some((model, setting)) = name.split_once(" · ") else {
        return [String::new(), name.clone()];
    };
    let number = at + 1 - MATRIX_BEFORE;
    let model = if number <= 4 {
        format!("{number} {model}")
    } else {
        model.to_owned()
    };
    [model, setting.to_owned()]
}

/// The texts of the names that do not fit into their columns, by column and name.
pub type Names = FxHashMap<(usize, String), String>;

/// Shortens the names in `rows` of the table, so that different names stay different.
pub fn shortened(
    sheet: &AnalysisSheet,
    columns: &Columns,
    rows: &[usize],
    ellipsis: &str,
) -> Names {
    let mut shortened = Names::default();
    for &(at, wide) in columns.visible.iter().filter(|(at, _)| is_name(sheet, *at)) {
        let cells = rows.iter().map(|row| sheet.table.rows()[*row][at].shown());
        let names: Vec<String> = cells.map(|name| sanitize(&name).into_owned()).collect();
        if names.iter().all(|name| width(name) <= wide) {
            continue;
        }
        let head = if sheet.is_matrix() { 0 } else { wide / 2 };
        let texts: Vec<&str> = names.iter().map(String::as_str).collect();
        let shown = shorten_names(&texts, wide, head, ellipsis);
        shortened.extend(names.into_iter().map(|name| (at, name)).zip(shown));
    }
    shortened
}

/// Whether a column has names of tasks or of models and settings.
fn is_name(sheet: &AnalysisSheet, at: usize) -> bool {
    at < MATRIX_BEFORE && matches!(sheet.table.columns[at].align, Align::Left)
}

/// The text of a cell in `columns`. Of a task's name in the matrix the end is shown, of other names both ends, of other
/// cells the beginning.
pub fn cell(
    sheet: &AnalysisSheet,
    at: usize,
    text: &str,
    columns: usize,
    ellipsis: &str,
) -> String {
    let cut = if sheet.is_matrix() && at < MATRIX_BEFORE {
        truncate_start(text, columns, ellipsis)
    } else if at < 2 {
        truncate_middle(text, columns, ellipsis)
    } else {
        truncate(text, columns, ellipsis)
    };
    let gap = " ".repeat(columns.saturating_sub(width(&cut)));
    match sheet.table.columns[at].align {
        Align::Left => format!("{cut}{gap}"),
        Align::Right => format!("{gap}{cut}"),
    }
}
