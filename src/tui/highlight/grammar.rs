//! Syntax highlighting with tree-sitter: the whole text is parsed once, and only the visible lines are queried.

use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::{Query, QueryCursor, StreamingIterator, Tree};

use super::lines::SourceLines;
use super::{LONGEST_LINE, LineRoles};
use crate::benchmark::Language;
use crate::code::{grammar, parse};
use crate::tui::theme::Role;

/// The highlighting query of a language, and the role of each capture of the query: `None` for plain text.
struct Rules {
    query: Query,
    roles: Vec<Option<Role>>,
}

/// A parsed text.
pub(super) struct Grammar {
    tree: Tree,
    rules: &'static Rules,
}

fn rules_for(language: Language) -> Option<&'static Rules> {
    static RULES: [OnceLock<Option<Rules>>; Language::ALL.len()] =
        [const { OnceLock::new() }; Language::ALL.len()];
    let grammar = grammar(language);
    let compiled = || Rules::compile(&grammar.language(), grammar.highlights);
    RULES[language as usize].get_or_init(compiled).as_ref()
}

impl Rules {
    fn compile(language: &tree_sitter::Language, text: &str) -> Option<Self> {
        let query = Query::new(language, text).ok()?;
        let roles = query
            .capture_names()
            .iter()
            .map(|name| Role::named(name).filter(|role| *role != Role::Text))
            .collect();
        Some(Self { query, roles })
    }
}

impl Grammar {
    /// Parses the text. `None` if the language of `path` is not known, or if parsing fails.
    pub(super) fn parse(path: &str, text: &str) -> Option<Self> {
        let language = Language::of_path(path)?;
        let rules = rules_for(language)?;
        Some(Self {
            tree: parse(language, text.as_bytes())?,
            rules,
        })
    }

    /// The roles of the lines `wanted` (0-based). All these lines must exist.
    pub(super) fn roles(&self, lines: &SourceLines, wanted: Range<usize>) -> Vec<LineRoles> {
        wanted
            .clone()
            .zip(self.paint(lines, &wanted))
            .map(|(number, painted)| runs(lines.line(number), &painted))
            .collect()
    }

    /// The role of each byte of each wanted line, up to [`LONGEST_LINE`] bytes of a line. If several nodes contain a
    /// byte, the innermost node determines its role.
    fn paint(&self, lines: &SourceLines, wanted: &Range<usize>) -> Vec<Vec<Option<Role>>> {
        let shown: Vec<_> = wanted
            .clone()
            .map(|number| {
                let bytes = lines.bytes(number);
                bytes.start..bytes.end.min(bytes.start + LONGEST_LINE)
            })
            .collect();
        let mut painted: Vec<_> = shown.iter().map(|bytes| vec![None; bytes.len()]).collect();
        // A line of more than `LONGEST_LINE` bytes is cut. Each query ends at the cut of such a line, so that the rest
        // of the line is not queried.
        let mut from = 0;
        while from < shown.len() {
            let cut = |at: usize| shown[at].len() == LONGEST_LINE;
            let to = (from..shown.len())
                .find(|at| cut(*at))
                .map_or(shown.len(), |at| at + 1);
            self.paint_stretch(lines.text(), &shown[from..to], &mut painted[from..to]);
            from = to;
        }
        painted
    }

    fn paint_stretch(&self, text: &str, shown: &[Range<usize>], painted: &mut [Vec<Option<Role>>]) {
        let (Some(first), Some(last)) = (shown.first(), shown.last()) else {
            return;
        };
        let mut cursor = QueryCursor::new();
        cursor.set_byte_range(first.start..last.end);
        let mut captures =
            cursor.captures(&self.rules.query, self.tree.root_node(), text.as_bytes());
        while let Some((found, at)) = captures.next() {
            let capture = found.captures()[*at];
            let role = self.rules.roles[capture.index as usize];
            let node = capture.node.byte_range();
            let line = shown.partition_point(|bytes| bytes.end <= node.start);
            for (bytes, cells) in shown.iter().zip(painted.iter_mut()).skip(line) {
                if bytes.start >= node.end {
                    break;
                }
                let start = node.start.max(bytes.start) - bytes.start;
                let end = node.end.min(bytes.end).max(bytes.start) - bytes.start;
                if start < end {
                    cells[start..end].fill(role);
                }
            }
        }
    }
}

/// (byte range, role) for each run of successive bytes of a line with the same role. Indentation and bytes without a
/// role are left out. Ranges end on character boundaries.
fn runs(line: &str, painted: &[Option<Role>]) -> LineRoles {
    let indent = line.len() - line.trim_start().len();
    let mut runs = LineRoles::new();
    let mut start = indent;
    while start < painted.len() {
        let role = painted[start];
        let mut end = start + 1;
        while end < painted.len() && (painted[end] == role || !line.is_char_boundary(end)) {
            end += 1;
        }
        let end = if line.is_char_boundary(end) {
            end
        } else {
            line.floor_char_boundary(end)
        };
        if let Some(role) = role
            && start < end
        {
            runs.push((start..end, role));
        }
        start = end.max(start + 1);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_of_each_language_compiles_and_its_captures_name_roles() {
        for language in Language::ALL {
            let rules = rules_for(*language).unwrap();
            for name in rules.query.capture_names() {
                assert!(Role::named(name).is_some(), "{name}");
            }
        }
    }
}
