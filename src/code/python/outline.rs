//! The definitions of a Python file.

use tree_sitter::Node;

use crate::benchmark::LineSpan;
use crate::code::outline::step::{Part, Step, indent_at, span};
use crate::code::syntax::{first_line, last_line, line_of, lines, text};

/// Decides what the outline does with a node of a Python tree.
pub(crate) fn step(node: Node<'_>, source: &[u8]) -> Step {
    match node.kind() {
        "function_definition" => define(node, source, false),
        "class_definition" => define(node, source, true),
        "module"
        | "block"
        | "decorated_definition"
        | "if_statement"
        | "elif_clause"
        | "else_clause"
        | "try_statement"
        | "except_clause"
        | "finally_clause"
        | "with_statement"
        | "for_statement"
        | "while_statement"
        | "match_statement"
        | "case_clause"
        | "ERROR" => Step::Into,
        _ => Step::Over,
    }
}

fn define(node: Node<'_>, source: &[u8], class: bool) -> Step {
    let Some(name) = node.child_by_field_name("name") else {
        return Step::Into;
    };
    let outer = node
        .parent()
        .filter(|parent| parent.kind() == "decorated_definition")
        .unwrap_or(node);
    let signature = span(first_line(node), signature_end(node));
    let (docstring, body) = body_of(node, source, signature);
    Step::Define(Part {
        name: text(name, source).to_owned(),
        class,
        whole: span(first_line(outer), last_line(node)),
        signature,
        body,
        docstring,
        parameters: None,
        overload: is_overload(outer, source),
        indent: indent_at(source, node.start_byte()),
    })
}

/// The last line of a signature: the line before the first statement, but not before the line of the colon.
fn signature_end(node: Node<'_>) -> u32 {
    let mut cursor = node.walk();
    let colon = node
        .children(&mut cursor)
        .filter(|child| child.kind() == ":")
        .last()
        .map_or_else(|| first_line(node), |colon| line_of(colon.start_position()));
    let block = node.child_by_field_name("body");
    let mut inner = node.walk();
    let first = block.and_then(|block| {
        block
            .named_children(&mut inner)
            .find(|child| !child.is_extra())
            .map(first_line)
    });
    first.map_or(colon, |line| line.saturating_sub(1).max(colon))
}

/// Whether a definition has a decorator with a name that ends in `overload`, such as `@typing.overload`.
fn is_overload(outer: Node<'_>, source: &[u8]) -> bool {
    let mut cursor = outer.walk();
    outer.kind() == "decorated_definition"
        && outer
            .named_children(&mut cursor)
            .filter(|child| child.kind() == "decorator")
            .any(|decorator| text(decorator, source).trim_end().ends_with("overload"))
}

/// (lines of the docstring or `None`, lines of the body). `Definition` describes both.
fn body_of(node: Node<'_>, source: &[u8], signature: LineSpan) -> (Option<LineSpan>, LineSpan) {
    let empty = LineSpan::line(signature.last());
    let Some(block) = node.child_by_field_name("body") else {
        return (None, empty);
    };
    let mut cursor = block.walk();
    let mut statements = block
        .named_children(&mut cursor)
        .filter(|child| !child.is_extra());
    let Some(first) = statements.next() else {
        return (None, empty);
    };
    let last = last_line(block);
    if !is_docstring(first, source) {
        return (None, span(first_line(first), last));
    }
    let docstring = lines(first);
    let body = statements
        .next()
        .map_or(docstring, |second| span(first_line(second), last));
    (Some(docstring), body)
}

/// Whether a statement is a string that Python's `ast.get_docstring` accepts, so not bytes and not an f-string.
pub(super) fn is_docstring(statement: Node<'_>, source: &[u8]) -> bool {
    if statement.kind() != "expression_statement" || statement.named_child_count() != 1 {
        return false;
    }
    let Some(inner) = statement.named_child(0) else {
        return false;
    };
    let plain = |node: Node<'_>| {
        let prefix = text(node, source);
        let quote = prefix.find(['"', '\'']).unwrap_or(0);
        node.kind() == "string" && !prefix[..quote].contains(['b', 'B', 'f', 'F'])
    };
    match inner.kind() {
        "string" => plain(inner),
        "concatenated_string" => inner.named_child(0).is_some_and(plain),
        _ => false,
    }
}
