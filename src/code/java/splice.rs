//! Puts a completion between the braces of its method.

use tree_sitter::Node;

use crate::benchmark::{Language, LineSpan};
use crate::code::parse::parse;
use crate::code::splice::{adjust_indent, splice};
use crate::code::syntax::{first_line, last_line};

/// Replaces everything between the braces of a Java method by the completion, which is indented by `indent` blanks.
/// Comments at the start and the end of the body are replaced too. Returns the new file. `body` is the range of lines
/// of the method's body in `source`. If these lines are not in a method, they are replaced as in [`splice`].
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

/// The text between the braces of the method with the body lines `body`. `None` if these lines are not in a method.
pub(super) fn body_text(source: &str, body: LineSpan) -> Option<String> {
    let tree = parse(Language::Java, source.as_bytes())?;
    let block = block_around(tree.root_node(), body)?;
    let text = source.get(block.start_byte() + 1..block.end_byte() - 1)?;
    Some(
        text.trim_start_matches([' ', '\t'])
            .trim_start_matches('\n')
            .trim_end()
            .to_owned()
            + "\n",
    )
}

/// The innermost method or constructor with these lines in its body.
pub(super) fn method_around(root: Node<'_>, body: LineSpan) -> Option<Node<'_>> {
    block_around(root, body)?.parent()
}

/// The body of the innermost method or constructor with these lines in its body.
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
}
