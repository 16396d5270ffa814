//! A source file with what is known of its lines.

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
    /// The bytes of the line that name it.
    pub bytes: Range<usize>,
    /// Where the dependency is defined, seen from the target.
    pub dependency_type: DependencyType,
    /// Index into the task's dependencies.
    pub dependency: usize,
}

/// The lines of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetLines {
    /// Decorators included.
    pub whole: LineSpan,
    /// `def` to colon.
    pub signature: LineSpan,
    /// The body, docstring left out.
    pub body: LineSpan,
}

/// A source file as it is shown.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its path in the project.
    pub path: RepoPath,
    /// The file on disk, where it is one.
    pub file: Option<PathBuf>,
    /// Which tree it was read from: `newest`, `base 2ae987b`.
    pub revision: String,
    /// How the target's place relates to the recorded one, where the target is looked for here.
    pub anchor: Option<AnchorState>,
    /// Its text.
    pub text: Arc<SourceLines>,
    /// The target's lines, where it is here.
    pub target: Option<TargetLines>,
}

impl Document {
    /// The lines of a span as one text; what is beyond the last line is left out.
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

/// Lines that are coloured together.
const BLOCK: usize = 128;

/// The colours of a document, as far as they were asked for: blocks of lines by their number.
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

    /// The first block of the lines in sight that is not there yet.
    pub fn first_missing(&self, lines: Range<usize>) -> Option<usize> {
        if lines.is_empty() {
            return None;
        }
        (lines.start / BLOCK..=(lines.end - 1) / BLOCK)
            .find(|block| !self.blocks.contains_key(block))
    }

    /// The colours of a 0-based line; `None` until they are there.
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
