//! Writes the HTML of texts side by side: columns of snippets with marked lines.

use std::fmt::Write as _;

use crate::report::escape;

/// A column of [`Block::SideBySide`](super::Block::SideBySide).
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The heading above the column.
    pub name: String,
    /// The snippets, top to bottom.
    pub snippets: Vec<Snippet>,
}

/// Consecutive lines of a file, with a heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Snippet {
    /// The heading: rank, score, file and line numbers.
    pub head: String,
    /// A note, for example the commit that added or removed the lines.
    pub note: Option<String>,
    /// The lines with their marks.
    pub lines: Vec<MarkedLine>,
}

/// A line and its mark. The mark also decides the colour of the line.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedLine {
    /// `»` leaked, `«` missing, `~` moved, `◎` the target, or a blank.
    pub mark: char,
    /// The line, which is untrusted and not yet escaped.
    pub text: String,
}

pub(super) fn html(columns: &[Column]) -> String {
    let columns: String = columns.iter().map(column).collect();
    format!("<div class=\"side-by-side\">\n{columns}</div>\n")
}

fn column(column: &Column) -> String {
    let snippets: String = column.snippets.iter().map(snippet).collect();
    let name = escape::html(&escape::one_line(&column.name));
    format!("<section>\n<h3>{name}</h3>\n{snippets}</section>\n")
}

fn snippet(snippet: &Snippet) -> String {
    let mut lines = String::new();
    for line in &snippet.lines {
        let class = match line.mark {
            '»' => " class=\"leaked\"",
            '«' => " class=\"missing\"",
            '~' => " class=\"moved\"",
            '◎' => " class=\"target\"",
            _ => "",
        };
        let mark = escape::html(&line.mark.to_string());
        let text = escape::html(&escape::one_line(&line.text));
        let _ = write!(lines, "<span{class}>{mark} {text}\n</span>");
    }
    let head = escape::html(&escape::one_line(&snippet.head));
    let note = snippet.note.as_ref().map_or_else(String::new, |note| {
        format!("<em>{}</em>", escape::html(&escape::one_line(note)))
    });
    format!("<div class=\"snippet\"><p>{head}{note}</p>\n<pre>{lines}</pre></div>\n")
}
