//! The body of a Python function: its text, and its replacement by a completion.

use tree_sitter::Node;

use super::reindent::{has_long_strings, indented};
use crate::benchmark::{Language, LineSpan};
use crate::code::parse::parse;
use crate::code::splice::{adjust_indent, is_blank, leading, replaced};

/// Replaces the lines `body` as [`splice`](crate::code::splice()) does. The completion gets the indentation of the body in `source`, if it
/// differs from `indent` blanks. If the body begins on the line of the signature, the signature stays. Lines that begin
/// inside a string are not indented.
pub(super) fn splice_body(
    source: &[u8],
    body: LineSpan,
    completion: &str,
    indent: usize,
) -> Vec<u8> {
    let place = BodyPlace::find(source, body, indent);
    let is_usual = place.signature.is_empty() && place.margin.bytes().all(|byte| byte == b' ');
    if is_usual && !has_long_strings(completion) {
        let code = adjust_indent(completion, place.margin.len());
        return replaced(source, body, &place.signature, &code);
    }
    let code = indented(completion, &place.margin);
    replaced(source, body, &place.signature, &code)
}

/// The text of a function's body, without the signature. `None` if no function has the body lines `body`.
pub(super) fn body_text(source: &str, body: LineSpan) -> Option<String> {
    let place = BodyPlace::find(source.as_bytes(), body, 0);
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    let range = body.range();
    let text = lines.get(range.start..range.end.min(lines.len()))?.concat();
    text.strip_prefix(&*place.signature).map(str::to_owned)
}

/// Where a completion is placed.
struct BodyPlace {
    /// The text before the body on the body's first line, if that is the end of the signature.
    signature: String,
    /// The indentation of the body.
    margin: String,
}

impl BodyPlace {
    fn find(source: &[u8], body: LineSpan, indent: usize) -> Self {
        let usual = " ".repeat(indent);
        let number = body.range().start;
        let line = source.split(|byte| *byte == b'\n').nth(number);
        let line = line
            .and_then(|line| std::str::from_utf8(line).ok())
            .unwrap_or_default();
        let plain = |margin: &str| Self {
            signature: String::new(),
            margin: margin.to_owned(),
        };
        if leading(line) == usual {
            return plain(&usual);
        }
        let tree = parse(Language::Python, source);
        let block = tree
            .as_ref()
            .and_then(|tree| block_at(tree.root_node(), number));
        match block {
            Some(block) if block.start_position().row == number => {
                let (signature, _) = line
                    .split_at_checked(block.start_position().column)
                    .unwrap_or_default();
                if is_blank(signature) {
                    return plain(leading(line));
                }
                let outer = leading(line);
                let step = if outer.ends_with('\t') { "\t" } else { "    " };
                Self {
                    signature: signature.to_owned(),
                    margin: format!("{outer}{step}"),
                }
            }
            // The body begins after a docstring.
            Some(_) => plain(leading(line)),
            None => plain(&usual),
        }
    }
}

/// The body of the innermost function with a body at the row `row`.
fn block_at(node: Node<'_>, row: usize) -> Option<Node<'_>> {
    let mut found = None;
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        if node.start_position().row > row || row > node.end_position().row {
            continue;
        }
        if node.kind() == "function_definition"
            && let Some(block) = node.child_by_field_name("body")
            && block.start_position().row <= row
        {
            found = Some(block);
        }
        waiting.extend(node.children(&mut node.walk()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::splice;

    fn spliced(source: &str, line: u32, completion: &str, indent: usize) -> String {
        let body = LineSpan::line(line);
        String::from_utf8(splice_body(source.as_bytes(), body, completion, indent)).unwrap()
    }

    const TABS: &str = "class A:\n\tdef f(self):\n\t\t\"\"\"Doc.\"\"\"\n\t\treturn 1\n";

    #[test]
    fn a_completion_gets_the_indentation_of_the_body_in_the_file() {
        let head = TABS.strip_suffix("\t\treturn 1\n").unwrap();
        for (completion, expected) in [
            (
                "        if x:\n            return 2\n",
                "\t\tif x:\n\t\t    return 2\n",
            ),
            ("\t\tif x:\n\t\t\treturn 2\n", "\t\tif x:\n\t\t\treturn 2\n"),
            ("return '''\n  a'''\n", "\t\treturn '''\n  a'''\n"),
        ] {
            assert_eq!(
                spliced(TABS, 4, completion, 5),
                format!("{head}\n{expected}\n")
            );
        }
        let two = "class A:\n  def f(self):\n    '''Doc.'''\n    return 1\n";
        assert_eq!(
            spliced(two, 4, "      return 2", 6),
            two.replace("    return 1", "\n    return 2")
        );
    }

    #[test]
    fn a_completion_with_the_usual_indentation_is_placed_as_officially() {
        let source = "def f():\n    return 1\n";
        for completion in ["\treturn 2\n", "if x:\n  y\n", "a\x0cb\n"] {
            let expected = splice(source.as_bytes(), LineSpan::line(2), completion, 4);
            assert_eq!(spliced(source, 2, completion, 4).as_bytes(), expected);
        }
    }

    #[test]
    fn a_body_on_the_line_of_the_signature_is_replaced_without_the_signature() {
        let source = "class A:\n    def f(self): return 1\n    x = 2\n";
        let expected = "class A:\n    def f(self): \n        return 2\n\n    x = 2\n";
        assert_eq!(spliced(source, 2, "return 2\n", 8), expected);
        assert_eq!(body_text(source, LineSpan::line(2)).unwrap(), "return 1\n");
        assert_eq!(
            spliced("def f(): return 1\n", 1, "return 2", 4),
            "def f(): \n    return 2\n"
        );
    }

    #[test]
    fn the_body_of_the_reference_placed_as_a_completion_changes_only_blank_lines() {
        let sources = [
            (TABS, 4, 5),
            ("def f():\n    x = '''\na\n  b\n'''\n    return x\n", 2, 4),
            ("def f(a,\n      b): return (a,\n  b)\n", 2, 4),
        ];
        for (source, first, indent) in sources {
            let last = u32::try_from(source.lines().count()).unwrap();
            let body = LineSpan::new(first, last).unwrap();
            let text = body_text(source, body).unwrap();
            let placed =
                String::from_utf8(splice_body(source.as_bytes(), body, &text, indent)).unwrap();
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(plain(&placed), plain(source));
            assert!(
                crate::code::parses(Language::Python, placed.as_bytes()),
                "{placed}"
            );
        }
    }
}
