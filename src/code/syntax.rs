//! Parses files with tree-sitter, within limits. A file that is too long or too hard to parse has no tree.

use std::cell::RefCell;
use std::ops::ControlFlow;

use serde::Serialize;
use tree_sitter::{Node, ParseOptions, Parser, Point, Tree};

use crate::benchmark::{Language, LineSpan};

/// The longest file that is parsed, in bytes: 2 MiB. A tree takes up to eighty times as much memory as its text, and
/// longer files are generated tables.
const LONGEST: usize = 2 << 20;

/// How many parse steps a byte may take before a file is given up. Ordinary source takes fewer than one step for each
/// byte. Error recovery on hostile input can take hundreds.
const STEPS_PER_BYTE: usize = 24;

/// What a parse could not read. Both are false for ordinary source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Bounds {
    /// The text has syntax errors. The text outside of them was read.
    pub errors: bool,
    /// The file was given up: it is longer than 2 MiB, or its parse took too many steps.
    pub given_up: bool,
}

thread_local! {
    static PARSERS: RefCell<[Option<Parser>; 2]> = const { RefCell::new([None, None]) };
}

fn parser_for(language: Language) -> Option<Parser> {
    let grammar = match language {
        Language::Python => tree_sitter_python::LANGUAGE,
        Language::Java => tree_sitter_java::LANGUAGE,
    };
    let mut parser = Parser::new();
    parser.set_language(&grammar.into()).ok()?;
    Some(parser)
}

/// The syntax tree of `source`. `None` when the file is given up. The time is limited in proportion to the file's
/// length. The tree takes many times the file's memory, so it should be dropped soon.
pub(crate) fn parse(language: Language, source: &[u8]) -> Option<Tree> {
    if source.len() > LONGEST {
        return None;
    }
    let slot = match language {
        Language::Python => 0,
        Language::Java => 1,
    };
    let held = PARSERS.with_borrow_mut(|parsers| parsers[slot].take());
    let mut parser = match held {
        Some(parser) => parser,
        None => parser_for(language)?,
    };
    let tree = parse_within(&mut parser, source);
    if tree.is_none() {
        parser.reset();
    }
    PARSERS.with_borrow_mut(|parsers| parsers[slot] = Some(parser));
    tree
}

fn parse_within(parser: &mut Parser, source: &[u8]) -> Option<Tree> {
    // The callback is called once every hundred steps.
    let mut left = 10_000 + source.len() * STEPS_PER_BYTE / 100;
    let mut progress = |_: &tree_sitter::ParseState| {
        left = left.saturating_sub(1);
        if left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut read = |at: usize, _: Point| source.get(at..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut read, None, Some(options))
}

/// The 1-based line on which a node begins.
pub(crate) fn first_line(node: Node<'_>) -> u32 {
    line_of(node.start_position())
}

/// The 1-based line of a tree-sitter point.
pub(crate) fn line_of(point: Point) -> u32 {
    u32::try_from(point.row).map_or(u32::MAX, |row| row.saturating_add(1))
}

/// The 1-based last line of a node, without comments and blank lines at its end.
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

/// The node and the nodes that contain it, the innermost first.
pub(crate) fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(Some(node), Node::parent)
}

/// The module that contains a node.
pub(crate) fn module(node: Node<'_>) -> Node<'_> {
    ancestors(node).last().unwrap_or(node)
}

/// The name of a definition.
pub(crate) fn name_of<'a>(node: Node<'_>, text: &'a str) -> Option<&'a str> {
    Some(&text[node.child_by_field_name("name")?.byte_range()])
}

/// The lines of a node, without comments at its end.
pub(crate) fn lines(node: Node<'_>) -> LineSpan {
    let first = first_line(node);
    LineSpan::new(first, last_line(node).max(first)).unwrap_or_else(|| LineSpan::line(first))
}

/// The text of a node. Empty if it is not UTF-8.
pub(crate) fn text<'a>(node: Node<'_>, source: &'a [u8]) -> &'a str {
    source
        .get(node.byte_range())
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .unwrap_or("")
}
