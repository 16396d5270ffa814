//! Finds the best snippets for a query, by Jaccard similarity or BM25. Snippets with equal scores are ordered by path
//! and line.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::bm25;
use super::corpus::Corpus;
use super::listing::{ContextItem, ContextListing, Overlap};
use super::options::Rank;
use super::runs;
use super::tree::{CorpusTree, Placed};
use crate::benchmark::{LineSpan, RepoPath};

/// Lines of a file that must not be shown, such as the target's lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    /// The file.
    pub path: RepoPath,
    /// The hidden lines of the file.
    pub span: LineSpan,
}

/// A query for the candidates (distinct snippets) of a corpus. One query can be used for every tree of the corpus.
pub struct Query {
    /// The distinct tokens of the query that the corpus may contain.
    tokens: Vec<u32>,
    /// For each candidate, the number of distinct tokens that it shares with the query.
    shared: Vec<u32>,
    /// How many distinct tokens the query has.
    size: u32,
    rank: Rank,
}

impl Query {
    /// Counts the tokens that `text` shares with each candidate of the corpus. For candidates that are added to the
    /// corpus later, the count is 0.
    pub fn count(corpus: &Corpus, text: &str, rank: Rank) -> Self {
        let (tokens, size) = corpus.query_tokens(text);
        let mut shared = vec![0; corpus.candidate_count()];
        for token in &tokens {
            for &candidate in corpus.holding(*token) {
                shared[candidate as usize] += 1;
            }
        }
        Self {
            tokens,
            shared,
            size,
            rank,
        }
    }

    /// How many distinct tokens the query has.
    pub fn size(&self) -> u32 {
        self.size
    }

    fn shared(&self, candidate: u32) -> u32 {
        self.shared.get(candidate as usize).copied().unwrap_or(0)
    }

    /// How many tokens a candidate must share with the query for a score of at least `bound`. The score is the number
    /// of shared tokens divided by the size of the union, which is at least `size`.
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

/// A candidate with its scores.
#[derive(Clone, Copy)]
struct Scored {
    placed: Placed,
    overlap: Overlap,
    bm25: Option<f64>,
}

/// Orders better candidates first: by higher score, then path, first line and last line. The last line is needed
/// because the first two windows of a file may begin on the same line.
fn order(a: &Scored, b: &Scored) -> Ordering {
    let score = match (a.bm25, b.bm25) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        _ => b.overlap.compare(a.overlap),
    };
    score
        .then(a.placed.file.cmp(&b.placed.file))
        .then(a.placed.start.cmp(&b.placed.start))
        .then(a.placed.end.cmp(&b.placed.end))
}

/// The best candidates so far, at most `top`, sorted from the best to the worst.
struct Best {
    top: usize,
    scored_items: Vec<Scored>,
}

impl Best {
    fn of(top: usize) -> Self {
        Self {
            top,
            scored_items: Vec::with_capacity(top.min(1_000) + 1),
        }
    }

    /// The worst of the best candidates. `None` if there are fewer than `top`.
    fn bound(&self) -> Option<&Scored> {
        self.scored_items
            .last()
            .filter(|_| self.scored_items.len() == self.top)
    }

    /// Adds a candidate if it is good enough. Returns whether it was added.
    fn consider(&mut self, scored: Scored) -> bool {
        let refused = |last: &Scored| order(&scored, last).is_ge();
        if self.top == 0 || self.bound().is_some_and(refused) {
            return false;
        }
        let at = self
            .scored_items
            .partition_point(|other| order(other, &scored).is_lt());
        self.scored_items.insert(at, scored);
        self.scored_items.truncate(self.top);
        true
    }
}

/// The `top` best candidates of a tree. The listing is empty if no candidate shares a token with the query. Occurrences
/// that overlap a mask are ignored. Each candidate is listed at its first remaining occurrence. A candidate without a
/// remaining occurrence is left out.
pub fn search(
    corpus: &Corpus,
    tree: &CorpusTree,
    query: &Query,
    top: usize,
    masks: &[Mask],
) -> ContextListing {
    let masked = masked(corpus, tree, masks);
    let placed = tree.placed.iter();
    let left = placed.filter_map(|placed| match masked.get(&placed.candidate) {
        None => Some(*placed),
        Some(left) => *left,
    });
    let mut best = match query.rank {
        Rank::Jaccard => most_alike(corpus, left, query, top),
        Rank::Bm25 => best_by_bm25(corpus, &left.collect::<Vec<_>>(), query, top),
    };
    if best.first().is_some_and(|first| first.overlap.shared == 0) {
        best.clear();
    }
    let gone = masked.values().filter(|left| left.is_none()).count();
    let items = best
        .iter()
        .enumerate()
        .map(|(at, scored)| item(corpus, tree, at, scored));
    ContextListing {
        revision: tree.snapshot().revision(),
        candidates: tree.placed.len() - gone,
        items: items.collect(),
    }
}

fn most_alike(
    corpus: &Corpus,
    left: impl Iterator<Item = Placed>,
    query: &Query,
    top: usize,
) -> Vec<Scored> {
    let mut best = Best::of(top);
    let mut least = 0;
    for placed in left {
        if query.shared(placed.candidate) < least {
            continue;
        }
        let scored = Scored {
            placed,
            overlap: query.overlap(corpus, placed.candidate),
            bm25: None,
        };
        if best.consider(scored) {
            least = best.bound().map_or(0, |last| query.least(last.overlap));
        }
    }
    best.scored_items
}

fn best_by_bm25(corpus: &Corpus, left: &[Placed], query: &Query, top: usize) -> Vec<Scored> {
    let mut best = Best::of(top);
    let scores = bm25::scores(corpus, left, &query.tokens);
    for (placed, score) in left.iter().zip(scores) {
        best.consider(Scored {
            placed: *placed,
            overlap: query.overlap(corpus, placed.candidate),
            bm25: Some(score),
        });
    }
    best.scored_items
}

fn item(corpus: &Corpus, tree: &CorpusTree, at: usize, scored: &Scored) -> ContextItem {
    let placed = scored.placed;
    let file = &tree.files[placed.file as usize];
    let lines = runs::lines(corpus, file.content, placed.start, placed.end);
    ContextItem {
        overlap: Some(scored.overlap),
        bm25: scored.bm25,
        occurrences: placed.occurrences,
        ..ContextItem::new(at + 1, file.path.clone(), placed.start + 1, lines)
    }
}

/// Key: a candidate with an occurrence that overlaps a mask. Value: the candidate's first occurrence outside the masks,
/// with the number of occurrences outside the masks. `None` if all occurrences overlap a mask.
fn masked(corpus: &Corpus, tree: &CorpusTree, masks: &[Mask]) -> FxHashMap<u32, Option<Placed>> {
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
