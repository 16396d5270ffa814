//! Finds which files contain a block of lines.

use std::cell::RefCell;

use git2::Oid;
use memchr::memmem::Finder;
use rustc_hash::FxHashMap;

use super::super::objects;
use super::LineBlock;
use crate::error::Result;
use crate::files::LARGEST_SOURCE;

/// The texts of all blocks of a request.
pub(super) struct Texts<'a> {
    repo: &'a git2::Repository,
    blocks: Vec<Text>,
    /// Whether a blob contains a block. The key is (index of the block, blob).
    known: RefCell<FxHashMap<(usize, Oid), bool>>,
}

/// The text of a block.
struct Text {
    /// The lines, stripped, without blank lines.
    lines: Vec<Vec<u8>>,
    /// Finds the longest line. A file without this line does not contain the block.
    longest: Finder<'static>,
}

impl<'a> Texts<'a> {
    pub fn new(repo: &'a git2::Repository, blocks: &[LineBlock]) -> Self {
        Self {
            repo,
            blocks: blocks.iter().map(|block| Text::new(&block.lines)).collect(),
            known: RefCell::default(),
        }
    }

    /// Those indices in `blocks` for which the blob `blob` contains the block. Blank lines are ignored. A blob that is
    /// too large to be a source contains no block. Errors when the clone does not have the blob.
    pub fn occurring(&self, blob: Oid, blocks: &[usize]) -> Result<Vec<usize>> {
        let mut known = self.known.borrow_mut();
        let new: Vec<usize> = blocks
            .iter()
            .filter(|block| !known.contains_key(&(**block, blob)))
            .copied()
            .collect();
        if !new.is_empty() {
            let found = objects::blob(self.repo, &format!("blob {blob}"), blob, LARGEST_SOURCE)?;
            let content = found.as_deref().unwrap_or_default();
            let mut lines = None;
            for block in new {
                let occurs = self.blocks[block].occurs_in(content, &mut lines);
                known.insert((block, blob), occurs);
            }
        }
        let occurs = |block: &&usize| known.get(&(**block, blob)) == Some(&true);
        Ok(blocks.iter().filter(occurs).copied().collect())
    }
}

impl Text {
    fn new(lines: &[&str]) -> Self {
        let lines: Vec<Vec<u8>> = lines
            .iter()
            .map(|line| stripped(line.as_bytes()).to_vec())
            .filter(|line| !line.is_empty())
            .collect();
        let longest = lines.iter().max_by_key(|line| line.len());
        Self {
            longest: Finder::new(longest.map_or(&[][..], Vec::as_slice)).into_owned(),
            lines,
        }
    }

    /// Whether `content` contains the block. False for a block without lines. `lines` caches the lines of `content`;
    /// `None` until a block needs them.
    fn occurs_in<'c>(&self, content: &'c [u8], lines: &mut Option<Vec<&'c [u8]>>) -> bool {
        if self.lines.is_empty() || self.longest.find(content).is_none() {
            return false;
        }
        let lines = lines.get_or_insert_with(|| {
            let lines = content.split(|byte| matches!(byte, b'\n' | b'\r'));
            lines
                .map(stripped)
                .filter(|line| !line.is_empty())
                .collect()
        });
        lines
            .windows(self.lines.len())
            .any(|window| window == self.lines)
    }
}

/// A line without whitespace at its start and end, as Python's `str.strip` returns it. If the line is not UTF-8, only
/// ASCII whitespace is removed.
fn stripped(line: &[u8]) -> &[u8] {
    let blank = |c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c);
    match std::str::from_utf8(line) {
        Ok(line) => line.trim_matches(blank).as_bytes(),
        Err(_) => line.trim_ascii(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occurs(block: &[&str], content: &[u8]) -> bool {
        Text::new(block).occurs_in(content, &mut None)
    }

    #[test]
    fn a_block_occurs_if_its_lines_follow_each_other() {
        let block = ["  a = 1", "", "b\u{a0}"];
        assert!(occurs(&block, b"x\r\n\ta = 1\r\n\r\n b\r\n"));
        assert!(occurs(&block, "a = 1\n\u{a0}b\u{3000}\n".as_bytes()));
        assert!(!occurs(&block, b"a = 1\nx\nb\n"));
        assert!(!occurs(&block, b"b\na = 1\n"));
        assert!(!occurs(&block, b"aa = 1\nb\n"));
        assert!(occurs(&["b"], b"\xff\n b \n"));
        assert!(!occurs(&[" ", ""], b"\n"));
    }
}
