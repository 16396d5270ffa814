//! The nodes of a syntax tree: their lines, texts and children.

use serde::Serialize;
use tree_sitter::{Node, Point};

use crate::benchmark::LineSpan;

/// Whether the parser could read only a part of a file, or nothing. Both fields are false for ordinary source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Bounds {
    /// Whether the file has syntax errors. The rest of the file was read.
    pub errors: bool,
    /// Whether the file was not read, because it is longer than 2 MiB or needs too many steps of the parser.
    pub given_up: bool,
}

/// The 1-based first line of a node.
pub(crate) fn first_line(node: Node<'_>) -> u32 {
    line_of(node.start_position())
}

/// The 1-based line of a tree-sitter point.
pub(crate) fn line_of(point: Point) -> u32 {
    u32::try_from(point.row).map_or(u32::MAX, |row| row.saturating_add(1))
}

/// The 1-based last line of a node. Comments and blank lines at the node's end do not count.
pub(crate) fn last_line(node: Node<'_>) -> u32 {
    let mut cursor = node.walk();
    while cursor.goto_last_child() {
        let mut found = !cursor.node().is_extra();
        while !found && cursor.goto_previous_sibling() {
            found = !cursor.node().is_extra();
        }
        if !found {
            break;
        }
    }
    let leaf = cursor.node();
    let end = leaf.end_position();
    if end.column == 0 && end.row > leaf.start_position().row {
        line_of(end) - 1
    } else {
        line_of(end)
    }
}

/// The named children of a node.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}

/// The node, then the nodes that contain the node, the innermost first.
pub(crate) fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(Some(node), Node::parent)
}

/// The root of the syntax tree that contains a node.
pub(crate) fn module(node: Node<'_>) -> Node<'_> {
    ancestors(node).last().unwrap_or(node)
}

/// The name of a definition. `None` for a node without a name.
pub(crate) fn name_of<'a>(node: Node<'_>, text: &'a str) -> Option<&'a str> {
    Some(&text[node.child_by_field_name("name")?.byte_range()])
}

/// The lines of a node. Comments and blank lines at the node's end do not count.
pub(crate) fn lines(node: Node<'_>) -> LineSpan {
    let first = first_line(node);
    LineSpan::new(first, last_line(node).max(first)).unwrap_or_else(|| LineSpan::line(first))
}

/// The text of a node. Empty if the text is not UTF-8.
pub(crate) fn text<'a>(node: Node<'_>, source: &'a [u8]) -> &'a str {
    source
        .get(node.byte_range())
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .unwrap_or("")
}
