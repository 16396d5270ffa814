//! Compares contexts as runs of lines: which lines of one tree the other tree has, and where.
//!
//! Lines are compared without the blanks at both ends, and blank lines are ignored. So changed indentation and
//! added or removed blank lines are not differences. Each line is searched in the whole files of the other tree, so that
//! it does not matter where its snippets begin and end.

use super::corpus::{Corpus, NONE};
use super::intern::index;
use super::listing::{ItemLine, Mark};
use super::places::common;
use super::tree::CorpusTree;
use crate::benchmark::RepoPath;

/// How much of a snippet another tree has.
pub(super) struct Presence {
    /// Whether its non-blank lines are a run of consecutive non-blank lines in some file of the other tree. True if it
    /// has none.
    pub contiguous: bool,
    /// How many of its non-blank lines the other tree does not have.
    pub absent: u32,
    /// How many non-blank lines it has.
    pub nonblank: u32,
}

impl Presence {
    /// Whether it has non-blank lines and the other tree lacks at least half of them.
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

/// How much of some stripped, non-blank lines `other` has.
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

/// The stripped, non-blank lines of `[start, end)`, each with its offset from `start`.
pub(super) fn stripped(corpus: &Corpus, content: u32, start: u32, end: u32) -> Vec<(u32, usize)> {
    let numbers = &corpus.lines_of(content)[start as usize..end as usize];
    let numbered = numbers.iter().enumerate();
    numbered
        .map(|(at, &line)| (corpus.stripped(line), at))
        .filter(|(line, _)| *line != NONE)
        .collect()
}

/// Marks each line. A line that `other` does not have gets the mark `alone`. The other lines are divided, from the first
/// on, into runs, each as long as any file of `other` allows. A run is shared if the file at the same path has it,
/// otherwise moved.
pub(super) fn mark(
    corpus: &Corpus,
    other: &CorpusTree,
    path: &RepoPath,
    stripped: &[(u32, usize)],
    alone: Mark,
    lines: &mut [ItemLine],
) {
    let home = other.content_at(path);
    let home = home.map(|content| corpus.solid(content).1);
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
            let at_home = home.map_or(0, |home| longest_in(home, present));
            let anywhere = longest(corpus, other, present, at_home);
            if at_home == anywhere {
                (at_home, Mark::Shared)
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

/// The length of the longest prefix of `lines` that is a run in a content.
fn longest_in(content: &[u32], lines: &[u32]) -> usize {
    let places = (0..content.len()).filter(|&at| content[at] == lines[0]);
    let lengths = places.map(|at| common(&content[at..], lines));
    lengths.max().unwrap_or(0)
}

/// The length of the longest prefix of `lines` that is a run anywhere in `other`. It is at least `known`.
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
