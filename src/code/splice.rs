//! Replaces the body of a function by a completion, as the official evaluators do.

use super::parse::parse;
use crate::benchmark::{Language, LineSpan};

/// Dedents `completion`, then indents it by `indent` columns, as `adjust_indent` in the `pass_k.py` of EvoCodeBench and
/// DevEval does (Python's `textwrap.dedent`, then `textwrap.indent`).
pub fn adjust_indent(completion: &str, indent: usize) -> String {
    let dedented = dedent(completion);
    let mut out = String::with_capacity(dedented.len() + 64);
    for line in lines(&dedented) {
        if !line.trim().is_empty() {
            out.extend(std::iter::repeat_n(' ', indent));
        }
        out.push_str(line);
    }
    out
}

/// Python's `textwrap.dedent`: empties lines that have only spaces and tabs, then removes the longest common
/// indentation.
pub(super) fn dedent(text: &str) -> String {
    let margin = text
        .split('\n')
        .filter(|line| !is_blank(line))
        .map(leading)
        .reduce(common_prefix)
        .unwrap_or("");
    let lines: Vec<&str> = text
        .split('\n')
        .map(|line| {
            if is_blank(line) {
                ""
            } else {
                &line[margin.len()..]
            }
        })
        .collect();
    lines.join("\n")
}

/// The lines with their line endings, as Python's `str.splitlines(keepends=True)` splits them.
fn lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest
            .char_indices()
            .find(|(_, c)| {
                matches!(
                    c,
                    '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                        ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
                )
            })
            .map_or(rest.len(), |(at, c)| {
                let pair = rest[at..].starts_with("\r\n");
                at + c.len_utf8() + usize::from(pair)
            });
        let (line, after) = rest.split_at(end);
        lines.push(line);
        rest = after;
    }
    lines
}

/// Whether a source has no syntax error and does not exceed the limits of the parser.
pub fn parses(language: Language, source: &[u8]) -> bool {
    parse(language, source).is_some_and(|tree| !tree.root_node().has_error())
}

/// Reduces the indentation of a completion's first lines to the smallest indentation in the completion. Stops at the
/// first line that already has this indentation. Ignores blank lines. `None` if nothing changes.
pub fn level_first_lines(completion: &str) -> Option<String> {
    let least = completion
        .lines()
        .filter(|line| !is_blank(line))
        .map(|line| leading(line).len())
        .min()?;
    let mut changed = false;
    let mut first_lines = true;
    let lines: Vec<&str> = completion
        .split('\n')
        .map(|line| {
            if is_blank(line) || !first_lines {
                return line;
            }
            if leading(line).len() > least {
                changed = true;
                return &line[leading(line).len() - least..];
            }
            first_lines = false;
            line
        })
        .collect();
    changed.then(|| lines.join("\n"))
}

pub(super) fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| byte == b' ' || byte == b'\t')
}

pub(super) fn leading(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

pub(super) fn common_prefix<'a>(a: &'a str, b: &str) -> &'a str {
    let length = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    &a[..length]
}

/// Replaces the lines `body` of a file by a blank line, the indented completion and a line feed, as `SetUp_evaluation`
/// of the official `pass_k.py` does.
pub fn splice(source: &[u8], body: LineSpan, completion: &str, indent: usize) -> Vec<u8> {
    replaced(source, body, "", &adjust_indent(completion, indent))
}

/// Replaces the lines `body` of a file by the line `signature`, the lines `code` and a line feed.
pub(super) fn replaced(source: &[u8], body: LineSpan, signature: &str, code: &str) -> Vec<u8> {
    let lines: Vec<&[u8]> = source.split_inclusive(|byte| *byte == b'\n').collect();
    let range = body.range();
    let start = range.start.min(lines.len());
    let end = range.end.min(lines.len());
    let mut out = lines[..start].concat();
    if out.last().is_some_and(|byte| *byte != b'\n') {
        out.push(b'\n');
    }
    out.extend_from_slice(signature.as_bytes());
    out.push(b'\n');
    out.extend_from_slice(code.as_bytes());
    out.push(b'\n');
    out.extend(lines[end..].concat());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjust_indent_gives_the_same_as_textwrap() {
        assert_eq!(
            adjust_indent("  a\n\n    b\n   \n", 4),
            "    a\n\n      b\n\n"
        );
        assert_eq!(adjust_indent("\ta\n  b\n", 2), "  \ta\n    b\n");
        assert_eq!(adjust_indent("", 4), "");
    }

    #[test]
    fn splice_replaces_the_body_and_nothing_else() {
        let source = b"def f():\n    '''Doc.'''\n    return 1\n\nX = 1\n";
        let spliced = splice(source, LineSpan::line(3), "        return 2", 4);
        assert_eq!(
            String::from_utf8(spliced).unwrap(),
            "def f():\n    '''Doc.'''\n\n    return 2\n\nX = 1\n"
        );
        let at_end = splice(
            b"def f():\n    return 1",
            LineSpan::line(2),
            "return 2\n",
            4,
        );
        assert_eq!(at_end, b"def f():\n\n    return 2\n\n");
    }

    #[test]
    fn lines_are_split_as_python_splits_them() {
        assert_eq!(adjust_indent("a\r\nb\x0cc\n", 2), "  a\r\n  b\x0c  c\n");
    }

    #[test]
    fn over_indented_first_lines_can_be_levelled() {
        assert_eq!(
            level_first_lines("        a = 1\n    return a\n").unwrap(),
            "    a = 1\n    return a\n"
        );
        assert!(level_first_lines("    a = 1\n    return a\n").is_none());
    }
}
