//! The best snippets for a query: exact Jaccard similarity, exactly ordered.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::corpus::Corpus;
use super::listing::{Item, Listing, Overlap};
use super::runs;
use super::tree::{Placed, Tree};
use crate::benchmark::{LineSpan, RepoPath};

/// Lines of a file that must not be shown: the target itself, in a tree that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    /// The file.
    pub path: RepoPath,
    /// Its hidden lines.
    pub span: LineSpan,
}

/// A query counted against a corpus: how many tokens each candidate shares with it. Serves every tree of the corpus.
pub struct Query {
    shared: Vec<u32>,
    size: u32,
}

impl Query {
    /// Counts `text` against all candidates that the corpus knows now.
    pub fn count(corpus: &Corpus, text: &str) -> Self {
        let (tokens, size) = corpus.query_tokens(text);
        let mut shared = vec![0; corpus.candidate_count()];
        for token in tokens {
            for &candidate in corpus.holding(token) {
                shared[candidate as usize] += 1;
            }
        }
        Self { shared, size }
    }

    /// How many distinct tokens the query has.
    pub fn size(&self) -> u32 {
        self.size
    }

    fn shared(&self, candidate: u32) -> u32 {
        self.shared.get(candidate as usize).copied().unwrap_or(0)
    }

    /// How many tokens a candidate must share to be as good: its union is no smaller than the query.
    fn least(&self, bound: Overlap) -> u32 {
        let (shared, union) = (u64::from(bound.shared), u64::from(bound.union.max(1)));
        let least = (shared * u64::from(self.size)).div_ceil(union);
        u32::try_from(least).unwrap_or(u32::MAX)
    }

    fn overlap(&self, corpus: &Corpus, candidate: u32) -> Overlap {
        let shared = self.shared(candidate);
        Overlap {
            shared,
            union: self.size + corpus.candidate_size(candidate) - shared,
        }
    }
}

/// A candidate on its way into the list.
#[derive(Clone, Copy)]
struct Scored {
    placed: Placed,
    overlap: Overlap,
}

/// Better first: higher score, then path, then line (the first two windows of a file may begin on the same one).
fn order(a: &Scored, b: &Scored) -> Ordering {
    b.overlap
        .compare(a.overlap)
        .then(a.placed.file.cmp(&b.placed.file))
        .then(a.placed.start.cmp(&b.placed.start))
        .then(a.placed.end.cmp(&b.placed.end))
}

/// The `top` best snippets of a tree. Occurrences that overlap a mask do not count: a candidate left without any is
/// not in the list, another stands for its first one left.
pub fn search(corpus: &Corpus, tree: &Tree, query: &Query, top: usize, masks: &[Mask]) -> Listing {
    let masked = masked(corpus, tree, masks);
    let mut best: Vec<Scored> = Vec::with_capacity(top + 1);
    let mut least = 0;
    let mut consider = |placed: Placed| {
        if query.shared(placed.candidate) < least {
            return;
        }
        let scored = Scored {
            placed,
            overlap: query.overlap(corpus, placed.candidate),
        };
        if best.len() == top && best.last().is_none_or(|last| order(&scored, last).is_ge()) {
            return;
        }
        let at = best.partition_point(|other| order(other, &scored).is_lt());
        best.insert(at, scored);
        best.truncate(top);
        if best.len() == top {
            least = best.last().map_or(0, |last| query.least(last.overlap));
        }
    };
    for &placed in &tree.placed {
        match masked.get(&placed.candidate) {
            None => consider(placed),
            Some(Some(left)) => consider(*left),
            Some(None) => {}
        }
    }
    let gone = masked.values().filter(|left| left.is_none()).count();
    let items = best
        .iter()
        .enumerate()
        .map(|(at, scored)| item(corpus, tree, at, scored));
    Listing {
        revision: tree.snapshot().revision(),
        candidates: tree.placed.len() - gone,
        items: items.collect(),
    }
}

fn item(corpus: &Corpus, tree: &Tree, at: usize, scored: &Scored) -> Item {
    let placed = scored.placed;
    let file = &tree.files[placed.file as usize];
    let lines = runs::lines(corpus, file.content, placed.start, placed.end);
    Item {
        overlap: Some(scored.overlap),
        occurrences: placed.occurrences,
        ..Item::new(at + 1, file.path.clone(), placed.start + 1, lines)
    }
}

/// For each candidate that a mask touches, what is left of it.
fn masked(corpus: &Corpus, tree: &Tree, masks: &[Mask]) -> FxHashMap<u32, Option<Placed>> {
    let mut touched: FxHashMap<u32, Option<Placed>> = FxHashMap::default();
    if masks.is_empty() {
        return touched;
    }
    for file in &tree.files {
        for mask in masks.iter().filter(|mask| mask.path == file.path) {
            for window in corpus.windows_of(file.content) {
                if window.start < mask.span.last() && mask.span.first() <= window.end {
                    touched.insert(window.candidate, None);
                }
            }
        }
    }
    if touched.is_empty() {
        return touched;
    }
    for (at, file) in tree.files.iter().enumerate() {
        let here: Vec<_> = masks.iter().filter(|mask| mask.path == file.path).collect();
        for window in corpus.windows_of(file.content) {
            let Some(left) = touched.get_mut(&window.candidate) else {
                continue;
            };
            let hidden = here
                .iter()
                .any(|mask| window.start < mask.span.last() && mask.span.first() <= window.end);
            if !hidden {
                left.get_or_insert(Placed {
                    candidate: window.candidate,
                    file: super::intern::index(at),
                    start: window.start,
                    end: window.end,
                    occurrences: 0,
                })
                .occurrences += 1;
            }
        }
    }
    touched
}
