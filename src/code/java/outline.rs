//! The definitions of a Java file.

use tree_sitter::Node;

use crate::benchmark::{LineSpan, ParameterTypes};
use crate::code::outline::step::{Part, Step, indent_at, span};
use crate::code::syntax::{first_line, last_line, line_of, lines, text};

/// Decides what the outline does with a node of a Java tree.
pub(crate) fn step(node: Node<'_>, source: &[u8]) -> Step {
    match node.kind() {
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => define(node, source, true),
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => define(node, source, false),
        "import_declaration" | "package_declaration" | "line_comment" | "block_comment" => {
            Step::Over
        }
        _ => Step::Into,
    }
}

fn define(node: Node<'_>, source: &[u8], class: bool) -> Step {
    let Some(name) = node.child_by_field_name("name") else {
        return Step::Into;
    };
    let block = node.child_by_field_name("body");
    let brace = block.map_or_else(|| last_line(node), first_line);
    let signature = span(declaration_line(node), brace);
    let body = block.map_or(LineSpan::line(signature.last()), inside);
    Step::Define(Part {
        name: text(name, source).to_owned(),
        class,
        whole: lines(node),
        signature,
        body,
        docstring: javadoc(node, source),
        overload: false,
        parameters: parameters(node, source),
        indent: indent_at(source, node.start_byte()),
    })
}

fn parameters(node: Node<'_>, source: &[u8]) -> Option<ParameterTypes> {
    let list = node.child_by_field_name("parameters")?;
    let is_method = matches!(
        node.kind(),
        "method_declaration" | "constructor_declaration"
    );
    let inner = text(list, source).strip_prefix('(')?;
    is_method.then(|| ParameterTypes::of_list(inner))
}

/// The line on which a declaration begins after its annotations.
fn declaration_line(node: Node<'_>) -> u32 {
    let mut cursor = node.walk();
    let Some(modifiers) = node
        .children(&mut cursor)
        .find(|child| child.kind() == "modifiers")
    else {
        return first_line(node);
    };
    let mut inner = modifiers.walk();
    let last_annotation = modifiers
        .children(&mut inner)
        .filter(|child| child.kind().ends_with("annotation"))
        .last();
    last_annotation
        .and_then(|annotation| annotation.next_sibling().or(modifiers.next_sibling()))
        .map_or_else(|| first_line(node), first_line)
}

/// The lines of the statements or members between the braces. If the block is empty, all its lines.
fn inside(block: Node<'_>) -> LineSpan {
    let mut cursor = block.walk();
    let mut members = block
        .named_children(&mut cursor)
        .filter(|child| !child.is_extra());
    let Some(first) = members.next() else {
        return lines(block);
    };
    let last = members.last().unwrap_or(first);
    span(first_line(first), last_line(last))
}

fn javadoc(node: Node<'_>, source: &[u8]) -> Option<LineSpan> {
    let before = node.prev_sibling()?;
    (before.kind() == "block_comment" && text(before, source).starts_with("/**"))
        .then(|| span(first_line(before), line_of(before.end_position())))
}
