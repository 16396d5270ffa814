//! Finds the lines of a context's snippets in the tree of another version.
//!
//! Lines are compared without leading and trailing whitespace, and blank lines are ignored. Changed indentation and
//! added or removed blank lines are therefore not differences. Each line is searched in all files of the other tree,
//! not only in the snippets that a prompt would show. The corpus has a number for each distinct line; a *content* is
//! the text of a file.

use super::corpus::{Corpus, NONE};
use super::intern::index;
use super::listing::{ItemLine, Mark};
use super::places::common;
use super::tree::CorpusTree;
use crate::benchmark::RepoPath;

/// How much of a snippet another tree has.
pub(super) struct Presence {
    /// Whether the snippet's non-blank lines are a run of consecutive non-blank lines in some file of the other tree.
    /// True if all lines of the snippet are blank.
    pub contiguous: bool,
    /// How many of the snippet's non-blank lines the other tree does not have.
    pub absent: u32,
    /// How many non-blank lines the snippet has.
    pub nonblank: u32,
}

impl Presence {
    /// Whether the other tree lacks at least half of the snippet's non-blank lines. False if all lines are blank.
    pub fn half_absent(&self) -> bool {
        self.nonblank > 0 && 2 * self.absent >= self.nonblank
    }
}

/// The lines `[start, end)` of a content, all with [`Mark::Plain`].
pub(super) fn lines(corpus: &Corpus, content: u32, start: u32, end: u32) -> Vec<ItemLine> {
    let numbers = &corpus.lines_of(content)[start as usize..end as usize];
    let line = |&number: &u32| ItemLine {
        text: corpus.line_text(number).into(),
        mark: Mark::Plain,
        target: false,
    };
    numbers.iter().map(line).collect()
}

/// How much of a snippet the tree `other` has. `stripped` has the numbers of the snippet's stripped, non-blank lines.
pub(super) fn presence(corpus: &Corpus, other: &CorpusTree, stripped: &[u32]) -> Presence {
    let absent = stripped
        .iter()
        .filter(|&&line| !other.has_line(line))
        .count();
    let run = || other.places(corpus).of_run(corpus, stripped);
    let contiguous = stripped.is_empty() || absent == 0 && run().is_some();
    Presence {
        contiguous,
        absent: index(absent),
        nonblank: index(stripped.len()),
    }
}

/// (number of the stripped line, offset from `start`) for each non-blank line among the lines `[start, end)` of a
/// content.
pub(super) fn stripped(corpus: &Corpus, content: u32, start: u32, end: u32) -> Vec<(u32, usize)> {
    let numbers = &corpus.lines_of(content)[start as usize..end as usize];
    let numbered = numbers.iter().enumerate();
    numbered
        .map(|(at, &line)| (corpus.stripped(line), at))
        .filter(|(line, _)| *line != NONE)
        .collect()
}

/// Marks the non-blank lines of a snippet. Lines that `other` does not have get the mark `alone`. The other lines are
/// divided into runs, from the first line on. Each run is as long as possible: some file of `other` must contain it.
/// The lines of a run get [`Mark::Shared`] if the file at `path` contains the run, otherwise [`Mark::Moved`].
pub(super) fn mark(
    corpus: &Corpus,
    other: &CorpusTree,
    path: &RepoPath,
    stripped: &[(u32, usize)],
    alone: Mark,
    lines: &mut [ItemLine],
) {
    let same_path = other.content_at(path);
    let same_path = same_path.map(|content| corpus.solid(content).1);
    let numbers: Vec<u32> = stripped.iter().map(|(line, _)| *line).collect();
    let mut at = 0;
    while at < numbers.len() {
        let rest = &numbers[at..];
        let until_absent = rest
            .iter()
            .take_while(|&&line| other.has_line(line))
            .count();
        let (count, mark) = if until_absent == 0 {
            (1, alone)
        } else {
            let present = &rest[..until_absent];
            let at_same_path = same_path.map_or(0, |same_path| longest_in(same_path, present));
            let anywhere = longest(corpus, other, present, at_same_path);
            if at_same_path == anywhere {
                (at_same_path, Mark::Shared)
            } else {
                (anywhere, Mark::Moved)
            }
        };
        for (_, offset) in &stripped[at..at + count] {
            lines[*offset].mark = mark;
        }
        at += count;
    }
}

/// The length of the longest prefix of `lines` that occurs as a run in `content`.
fn longest_in(content: &[u32], lines: &[u32]) -> usize {
    let places = (0..content.len()).filter(|&at| content[at] == lines[0]);
    let lengths = places.map(|at| common(&content[at..], lines));
    lengths.max().unwrap_or(0)
}

/// The length of the longest prefix of `lines` that occurs as a run in some file of `other`. It is at least `known`.
fn longest(corpus: &Corpus, other: &CorpusTree, lines: &[u32], known: usize) -> usize {
    let places = other.places(corpus);
    let mut longest = known;
    while longest < lines.len()
        && let Some(place) = places.of_run(corpus, &lines[..=longest])
    {
        longest = common(corpus.solid_from(place), lines);
    }
    longest
}
