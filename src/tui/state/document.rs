//! A source file with information about its lines.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::benchmark::{DependencyType, LineSpan, RepoPath};
use crate::code::AnchorState;
use crate::tui::highlight::{LineRoles, SourceLines};

/// A place where the target uses one of its dependencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// The 1-based line.
    pub line: u32,
    /// The bytes of the line that name the dependency.
    pub bytes: Range<usize>,
    /// Where the dependency is defined in relation to the target.
    pub dependency_type: DependencyType,
    /// Index into the task's dependencies.
    pub dependency: usize,
}

/// The lines of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetLines {
    /// The whole definition, including decorators.
    pub whole: LineSpan,
    /// From `def` to the colon.
    pub signature: LineSpan,
    /// The body without the docstring.
    pub body: LineSpan,
}

/// A source file for display.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its path in the project.
    pub path: RepoPath,
    /// The path on disk. `None` if the document was not read from a file on disk.
    pub file: Option<PathBuf>,
    /// The tree that it was read from: `newest`, `base 2ae987b`.
    pub revision: String,
    /// How the target's position relates to the recorded one, if this file should contain the target.
    pub anchor: Option<AnchorState>,
    /// Its text.
    pub text: Arc<SourceLines>,
    /// The target's lines, if this file contains the target.
    pub target: Option<TargetLines>,
}

impl Document {
    /// The lines of a span as one text, without those beyond the last line of the file.
    pub fn lines_of(&self, span: LineSpan) -> String {
        let lines = span.range();
        let mut text = String::new();
        for line in lines.start..lines.end.min(self.text.count()) {
            text.push_str(self.text.line(line));
            text.push('\n');
        }
        text
    }
}

/// The number of lines in a block of colours.
const BLOCK: usize = 128;

/// The colours of a document that have arrived, by block number.
#[derive(Debug, Clone, Default)]
pub struct Colours {
    blocks: FxHashMap<usize, Arc<[LineRoles]>>,
}

impl Colours {
    /// The lines of a block.
    pub fn lines(block: usize) -> Range<usize> {
        block * BLOCK..(block + 1) * BLOCK
    }

    /// Adds a block's colours.
    pub fn add(&mut self, block: usize, roles: Vec<LineRoles>) {
        self.blocks.insert(block, roles.into());
    }

    /// The first block that `lines` (the visible lines) need and that has no colours yet.
    pub fn first_missing(&self, lines: Range<usize>) -> Option<usize> {
        if lines.is_empty() {
            return None;
        }
        (lines.start / BLOCK..=(lines.end - 1) / BLOCK)
            .find(|block| !self.blocks.contains_key(block))
    }

    /// The colours of a 0-based line; `None` until they arrive.
    pub fn line(&self, line: usize) -> Option<&LineRoles> {
        self.blocks.get(&(line / BLOCK))?.get(line % BLOCK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_asked_for_by_blocks_in_sight() {
        let mut colours = Colours::default();
        assert_eq!(colours.first_missing(100..140), Some(0));
        colours.add(0, vec![Vec::new(); BLOCK]);
        assert_eq!(colours.first_missing(100..140), Some(1));
        assert_eq!(colours.first_missing(0..BLOCK), None);
        assert_eq!(colours.first_missing(0..0), None);
    }
}
