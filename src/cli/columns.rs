//! Prints rows of text in aligned columns.

use unicode_width::UnicodeWidthStr;

use super::Output;
use crate::error::Result;
use crate::escape::one_line;

/// Rows that are printed together, with aligned columns.
pub(crate) struct Columns<const N: usize> {
    /// Whether each column is right-aligned.
    right: [bool; N],
    rows: Vec<[String; N]>,
}

impl<const N: usize> Columns<N> {
    /// Columns with these headings. If a heading begins with `>`, its column is right-aligned.
    pub(crate) fn new(headings: [&str; N]) -> Self {
        Self {
            right: headings.map(|heading| heading.starts_with('>')),
            rows: vec![headings.map(|heading| heading.trim_start_matches('>').to_owned())],
        }
    }

    /// Adds a row. [`one_line`] replaces line feeds and hidden characters in the cells.
    pub(crate) fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells.map(|cell| one_line(&cell)));
    }

    /// Prints [`Self::lines`].
    pub(crate) fn print(&self, out: &mut Output) -> Result<()> {
        self.lines().iter().try_for_each(|line| out.line(line))
    }

    /// The headings and the rows as lines of text. A column is omitted if only its heading has text.
    pub(crate) fn lines(&self) -> Vec<String> {
        let width = |column: usize, rows: &[[String; N]]| {
            rows.iter()
                .map(|row| row[column].width())
                .max()
                .unwrap_or(0)
        };
        let widths: [usize; N] = std::array::from_fn(|column| {
            let cells = width(column, &self.rows[1..]);
            if cells == 0 {
                0
            } else {
                cells.max(width(column, &self.rows[..1]))
            }
        });
        let line = |row: &[String; N]| {
            let shown = (0..N).filter(|column| widths[*column] > 0);
            let cells: Vec<String> = shown
                .map(|column| padded(&row[column], widths[column], self.right[column]))
                .collect();
            cells.join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

fn padded(text: &str, width: usize, right: bool) -> String {
    let gap = " ".repeat(width.saturating_sub(text.width()));
    if right {
        format!("{gap}{text}")
    } else {
        format!("{text}{gap}")
    }
}
