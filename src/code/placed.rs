//! The result of putting a completion in the place of its target.

use crate::benchmark::LineSpan;

/// A file with a completion in its target's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The content of the file.
    pub content: Vec<u8>,
    /// The lines of the completion in the file. Lines that are placed outside of the target's class are left out.
    pub lines: LineSpan,
    /// The 1-based line on which the target's signature begins. `None` if the completion is a body.
    pub signature: Option<u32>,
    /// The definitions, imports and other statements of the completion in addition to the target. Each entry is
    /// `def NAME`, `class NAME` (Java: `method NAME`, `field NAME` and others), or the first line of the statement.
    pub extra: Vec<String>,
}
