//! The result of putting a completion in the place of its target.

use crate::benchmark::LineSpan;

/// A file with a completion in its target's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The content of the file.
    pub content: Vec<u8>,
    /// The lines of the completion in the file, without those that are placed outside of the target's class.
    pub lines: LineSpan,
    /// The 1-based line on which the target's signature begins. `None` if the completion is only a body.
    pub signature: Option<u32>,
    /// What the completion contains in addition to the target: definitions, imports and other statements. Each entry is
    /// `def NAME`, `class NAME` (Java: `method NAME`, `field NAME` and others), or the first line of the statement.
    pub extra: Vec<String>,
    /// Why the file cannot have this content: a character of the completion is not in the encoding of the file. `None`
    /// if there is no such character.
    pub fault: Option<String>,
}
