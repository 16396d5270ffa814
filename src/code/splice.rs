//! Puts a completion in its place, by the rule of the official evaluators.

use tree_sitter::Node;

use super::parse::parse;
use super::syntax::{first_line, last_line};
use crate::benchmark::{Language, LineSpan};

/// `completion`, dedented and then indented by `indent` columns, as `adjust_indent` of EvoCodeBench's and DevEval's
/// `pass_k.py` does it (Python's `textwrap.dedent`, then `textwrap.indent`).
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

/// Python's `textwrap.dedent`: removes the blanks of blank lines, and then the longest common leading white space.
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

/// Whether a source parses without an error, and within the limits of the parser.
pub fn parses(language: Language, source: &[u8]) -> bool {
    parse(language, source).is_some_and(|tree| !tree.root_node().has_error())
}

/// Removes the additional indentation of first lines that are indented more than the least indented line. `None` if
/// there are no such lines.
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

fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| byte == b' ' || byte == b'\t')
}

fn leading(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn common_prefix<'a>(a: &'a str, b: &str) -> &'a str {
    let length = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    &a[..length]
}

/// The file with the lines of `body` replaced by a blank line, the indented completion and a line feed, as
/// `SetUp_evaluation` of the official `pass_k.py` writes it.
pub fn splice(source: &[u8], body: LineSpan, completion: &str, indent: usize) -> Vec<u8> {
    let lines: Vec<&[u8]> = source.split_inclusive(|byte| *byte == b'\n').collect();
    let range = body.range();
    let start = range.start.min(lines.len());
    let end = range.end.min(lines.len());
    let mut out = lines[..start].concat();
    if out.last().is_some_and(|byte| *byte != b'\n') {
        out.push(b'\n');
    }
    out.push(b'\n');
    out.extend_from_slice(adjust_indent(completion, indent).as_bytes());
    out.push(b'\n');
    out.extend(lines[end..].concat());
    out
}

/// The file with everything between the braces of a Java method replaced by the indented completion. Comments at the
/// start and the end of the body are replaced too. `body` are the lines between the braces in `source`. If they are not
/// in a method, they are replaced as in [`splice`].
pub fn splice_java(source: &[u8], body: LineSpan, completion: &str, indent: usize) -> Vec<u8> {
    let tree = parse(Language::Java, source);
    let block = tree
        .as_ref()
        .and_then(|tree| block_around(tree.root_node(), body));
    let Some(block) = block else {
        return splice(source, body, completion, indent);
    };
    let mut out = source[..=block.start_byte()].to_vec();
    out.push(b'\n');
    out.extend_from_slice(adjust_indent(completion, indent).as_bytes());
    out.push(b'\n');
    out.extend(std::iter::repeat_n(b' ', indent.saturating_sub(2)));
    out.extend_from_slice(&source[block.end_byte() - 1..]);
    out
}

/// The innermost method or constructor with these lines in its body.
pub(super) fn method_around(root: Node<'_>, body: LineSpan) -> Option<Node<'_>> {
    block_around(root, body)?.parent()
}

/// The innermost block of a method or constructor that contains these lines.
fn block_around(node: Node<'_>, body: LineSpan) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let inner = node.named_children(&mut cursor).find_map(|child| {
        let holds = first_line(child) <= body.first() && body.last() <= last_line(child);
        holds.then(|| block_around(child, body)).flatten()
    });
    let is_method = matches!(
        node.kind(),
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration"
    );
    let own = || {
        node.child_by_field_name("body").filter(|block| {
            is_method && first_line(*block) <= body.first() && body.last() <= last_line(*block)
        })
    };
    inner.or_else(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_as_textwrap_does() {
        assert_eq!(
            adjust_indent("  a\n\n    b\n   \n", 4),
            "    a\n\n      b\n\n"
        );
        assert_eq!(adjust_indent("\ta\n  b\n", 2), "  \ta\n    b\n");
        assert_eq!(adjust_indent("", 4), "");
    }

    #[test]
    fn replaces_the_body_and_nothing_else() {
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
    fn everything_between_the_braces_of_a_java_method_is_replaced() {
        let text = |source: &str, body: [u32; 2], completion: &str| {
            let body = LineSpan::new(body[0], body[1]).unwrap();
            String::from_utf8(splice_java(source.as_bytes(), body, completion, 4)).unwrap()
        };
        let source = "class A {\n  int f() {\n    // One.\n    return 1; // Two.\n  }\n}\n";
        let changed = text(source, [4, 4], "return 2;\n");
        assert_eq!(changed, "class A {\n  int f() {\n    return 2;\n\n  }\n}\n");
        let one_line = text("class A {\n  A() { b(); }\n  int c;\n}\n", [2, 2], "x();");
        assert_eq!(one_line, "class A {\n  A() {\n    x();\n  }\n  int c;\n}\n");
        assert_eq!(text("class A { }\n", [1, 1], "x();"), "\n    x();\n");
    }

    #[test]
    fn lines_end_where_python_ends_them() {
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
