//! The part of an outline that depends on the language. For each node of a file's syntax tree, a function of the
//! language decides whether the node is a definition.

use tree_sitter::Node;

use crate::benchmark::{LineSpan, ParameterTypes};

/// Decides what to do with a node. The second argument is the text of the file.
pub(crate) type StepFn = fn(Node<'_>, &[u8]) -> Step;

/// What to do with a node of the syntax tree.
pub(crate) enum Step {
    /// Visit the node's children.
    Into,
    /// Skip the node and its children: they contain no definitions.
    Over,
    /// The node is a definition. Its children are visited too.
    Define(Part),
}

/// A definition before it is added to the outline.
pub(crate) struct Part {
    pub name: String,
    pub class: bool,
    pub whole: LineSpan,
    pub signature: LineSpan,
    pub body: LineSpan,
    pub docstring: Option<LineSpan>,
    pub overload: bool,
    pub parameters: Option<ParameterTypes>,
    pub indent: u32,
}

/// The number of leading blanks on the line that contains `byte`.
pub(crate) fn indent_at(source: &[u8], byte: usize) -> u32 {
    let start = memchr::memrchr(b'\n', &source[..byte.min(source.len())]).map_or(0, |at| at + 1);
    let blanks = source[start..]
        .iter()
        .take_while(|&&byte| byte == b' ' || byte == b'\t')
        .count();
    u32::try_from(blanks).unwrap_or(u32::MAX)
}

/// The span from `first` to `last`. If `last` is before `first`, only the line `first`.
pub(crate) fn span(first: u32, last: u32) -> LineSpan {
    LineSpan::new(first, last).unwrap_or_else(|| LineSpan::line(first))
}
