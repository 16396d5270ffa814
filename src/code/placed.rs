//! A file with a completion in its target's place.

use crate::benchmark::LineSpan;

/// A file with a completion in its target's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The file's content.
    pub content: Vec<u8>,
    /// The lines of the completion in the file, without those outside of the target's class.
    pub lines: LineSpan,
    /// The line of the target's `def`. `None` if it has not moved.
    pub signature: Option<u32>,
    /// What the completion defines and imports in addition to the target. Each is `def NAME`, `class NAME` or its first
    /// line.
    pub extra: Vec<String>,
}
