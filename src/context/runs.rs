//! Two contexts as runs of lines: what one tree has of the other's lines, and where.
//!
//! Lines are compared stripped, blank ones left out, so that windows that slid, code that was indented and blank lines
//! that came or went do not count as differences.

use super::corpus::{Corpus, NONE};
use super::intern::index;
use super::listing::{ItemLine, Mark};
use super::tree::Tree;
use crate::benchmark::RepoPath;

/// What another tree has of a snippet.
pub(super) struct Presence {
    /// Its non-blank lines are none, or a run of consecutive non-blank lines in some file there.
    pub contiguous: bool,
    /// How many of its non-blank lines are nowhere there.
    pub absent: u32,
    /// How many non-blank lines it has.
    pub nonblank: u32,
}

impl Presence {
    /// Whether at least half of its non-blank lines, and not none, are nowhere there.
    pub fn half_absent(&self) -> bool {
        self.nonblank > 0 && 2 * self.absent >= self.nonblank
    }
}

/// The lines `[start, end)` of a content, unmarked.
pub(super) fn lines(corpus: &Corpus, content: u32, start: u32, end: u32) -> Vec<ItemLine> {
    let numbers = &corpus.lines_of(content)[start as usize..end as usize];
    let line = |&number: &u32| ItemLine {
        text: corpus.line_text(number).into(),
        mark: Mark::Plain,
        target: false,
    };
    numbers.iter().map(line).collect()
}

/// What `other` has of some stripped, non-blank lines.
pub(super) fn presence(corpus: &Corpus, other: &Tree, stripped: &[u32]) -> Presence {
    let absent = stripped
        .iter()
        .filter(|&&line| !other.has_line(line))
        .count();
    let contiguous = absent == 0 && longest(corpus, other, stripped).0 == stripped.len();
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

/// Marks each line: nowhere in `other` is `alone`; a maximal run that stands in the file at the same path is shared;
/// what stands only elsewhere is moved.
pub(super) fn mark(
    corpus: &Corpus,
    other: &Tree,
    path: &RepoPath,
    stripped: &[(u32, usize)],
    alone: Mark,
    lines: &mut [ItemLine],
) {
    let home = other.content_at(path);
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
            let (anywhere, at_home) = longest_at(corpus, other, &rest[..until_absent], home);
            if at_home == anywhere {
                (at_home, Mark::Shared)
            } else {
                (anywhere.max(1), Mark::Moved)
            }
        };
        for (_, offset) in &stripped[at..at + count] {
            lines[*offset].mark = mark;
        }
        at += count;
    }
}

/// The length of the longest beginning of `lines` that stands as a run somewhere in `other`.
fn longest(corpus: &Corpus, other: &Tree, lines: &[u32]) -> (usize, usize) {
    if lines.is_empty() {
        return (0, 0);
    }
    whole(corpus, other, lines).unwrap_or_else(|| longest_at(corpus, other, lines, None))
}

/// Looks for all of `lines` by way of the rarest of them.
fn whole(corpus: &Corpus, other: &Tree, lines: &[u32]) -> Option<(usize, usize)> {
    let rarest = (0..lines.len()).min_by_key(|&at| corpus.frequency(lines[at]))?;
    let found = corpus.places(lines[rarest]).any(|place| {
        let Some(start) = place.checked_sub(index(rarest)) else {
            return false;
        };
        corpus.lines_from(start).starts_with(lines) && other.has_content(corpus.content_at(place))
    });
    found.then_some((lines.len(), 0))
}

/// The longest beginnings of `lines` that stand as a run anywhere in `other`, and in its content `home`.
fn longest_at(corpus: &Corpus, other: &Tree, lines: &[u32], home: Option<u32>) -> (usize, usize) {
    let (mut anywhere, mut at_home) = (0, 0);
    for place in corpus.places(lines[0]) {
        let there = corpus.lines_from(place);
        let count = lines.iter().zip(there).take_while(|(a, b)| a == b).count();
        if count <= anywhere && count <= at_home {
            continue;
        }
        let content = corpus.content_at(place);
        if other.has_content(content) {
            anywhere = anywhere.max(count);
            if Some(content) == home {
                at_home = at_home.max(count);
            }
        }
    }
    (anywhere, at_home)
}
