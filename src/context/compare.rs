//! Compares the evolving-aware with the evolving-ignored context: two listings and their differences.

use serde::Serialize;

use super::corpus::Corpus;
use super::listing::{ContextItem, ContextListing, Mark};
use super::runs::{self, Presence};
use super::search::{Mask, Query, search};
use super::tree::CorpusTree;

/// How many snippets of each side differ, and how many of their lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Newest side: snippets with lines that the base tree does not contain as one block.
    pub leak_any: usize,
    /// Newest side: snippets for which the base tree lacks at least half of the lines.
    pub leak_half: usize,
    /// As `leak_any`, with the target masked.
    pub masked_leak_any: usize,
    /// As `leak_half`, with the target masked.
    pub masked_leak_half: usize,
    /// Base side: snippets with lines that the newest tree does not contain as one block.
    pub missing_any: usize,
    /// Base side: snippets for which the newest tree lacks at least half of the lines.
    pub missing_half: usize,
    /// Newest side: snippets that overlap the target.
    pub target: usize,
    /// Newest side: lines that the base tree does not have.
    pub leaked_lines: usize,
    /// Base side: lines that the newest tree does not have.
    pub missing_lines: usize,
    /// Lines of either side that the other tree has elsewhere.
    pub moved_lines: usize,
    /// Lines of either side that the other tree has in the same place.
    pub shared_lines: usize,
}

/// The two contexts of one query, side by side.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The base commit.
    pub base: String,
    /// The newest commit.
    pub newest: String,
    /// Evolving-aware: what the base tree shows.
    pub aware: ContextListing,
    /// Evolving-ignored: what the newest tree shows.
    pub ignored: ContextListing,
    /// Evolving-ignored with the target masked.
    pub ignored_masked: ContextListing,
    /// The differences, counted.
    pub counts: Counts,
}

/// Retrieves the `top` best snippets for a query from both trees, and from the newest tree also with `masks` hidden.
/// Marks in each snippet which of its lines the other tree has. Both trees must belong to this corpus.
pub fn compare(
    corpus: &Corpus,
    base: &CorpusTree,
    newest: &CorpusTree,
    query: &Query,
    masks: &[Mask],
    top: usize,
) -> Comparison {
    let ignored = search(corpus, newest, query, top, &[]);
    let sides = Sides {
        aware: search(corpus, base, query, top, &[]),
        ignored_masked: match masks {
            [] => ignored.clone(),
            masks => search(corpus, newest, query, top, masks),
        },
        ignored,
    };
    contrast(corpus, base, newest, sides, masks)
}

/// The contexts of one setting before they are compared.
pub(super) struct Sides {
    pub aware: ContextListing,
    pub ignored: ContextListing,
    pub ignored_masked: ContextListing,
}

/// Marks in each snippet of the two sides which of its lines the other tree has.
pub(super) fn contrast(
    corpus: &Corpus,
    base: &CorpusTree,
    newest: &CorpusTree,
    sides: Sides,
    masks: &[Mask],
) -> Comparison {
    let Sides {
        mut aware,
        mut ignored,
        mut ignored_masked,
    } = sides;
    annotate(corpus, &mut aware, (base, newest), Side::Aware, masks);
    annotate(corpus, &mut ignored, (newest, base), Side::Ignored, masks);
    annotate(
        corpus,
        &mut ignored_masked,
        (newest, base),
        Side::Ignored,
        masks,
    );
    let counts = count(&aware, &ignored, &ignored_masked);
    Comparison {
        base: aware.revision.clone(),
        newest: ignored.revision.clone(),
        aware,
        ignored,
        ignored_masked,
        counts,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Aware,
    Ignored,
}

pub(super) fn annotate(
    corpus: &Corpus,
    listing: &mut ContextListing,
    (own, other): (&CorpusTree, &CorpusTree),
    side: Side,
    masks: &[Mask],
) {
    for item in &mut listing.items {
        let Some(content) = own.content_at(&item.path) else {
            continue;
        };
        let stripped = runs::stripped(corpus, content, item.start - 1, item.end);
        let numbers: Vec<u32> = stripped.iter().map(|(line, _)| *line).collect();
        let presence = runs::presence(corpus, other, &numbers);
        verdict(item, &presence, side);
        let alone = match side {
            Side::Aware => Mark::Missing,
            Side::Ignored => Mark::Leaked,
        };
        runs::mark(corpus, other, &item.path, &stripped, alone, &mut item.lines);
        if side == Side::Ignored {
            aim(item, masks);
        }
    }
}

fn verdict(item: &mut ContextItem, presence: &Presence, side: Side) {
    let any = Some(!presence.contiguous);
    let half = Some(presence.half_absent());
    match side {
        Side::Aware => (item.missing_any, item.missing_half) = (any, half),
        Side::Ignored => (item.leak_any, item.leak_half) = (any, half),
    }
}

fn aim(item: &mut ContextItem, masks: &[Mask]) {
    for (line, number) in item.lines.iter_mut().zip(item.start..) {
        line.target = masks
            .iter()
            .any(|mask| mask.path == item.path && mask.span.contains(number));
    }
    item.target = Some(item.lines.iter().any(|line| line.target));
}

/// Counts what is leaked and what is missing. A snippet that shares no token with the query does not count: it is
/// listed only where there are too few others, and is not a result of the retrieval.
pub(super) fn count(
    aware: &ContextListing,
    ignored: &ContextListing,
    masked: &ContextListing,
) -> Counts {
    let found = |item: &&ContextItem| item.overlap.is_none_or(|overlap| overlap.shared > 0);
    let items = |listing: &ContextListing, flag: fn(&ContextItem) -> Option<bool>| {
        listing
            .items
            .iter()
            .filter(found)
            .filter(|item| flag(item) == Some(true))
            .count()
    };
    let lines = |mark: Mark| {
        let both = aware.items.iter().chain(&ignored.items);
        both.filter(found)
            .flat_map(|item| &item.lines)
            .filter(|line| line.mark == mark)
            .count()
    };
    Counts {
        leak_any: items(ignored, |item| item.leak_any),
        leak_half: items(ignored, |item| item.leak_half),
        masked_leak_any: items(masked, |item| item.leak_any),
        masked_leak_half: items(masked, |item| item.leak_half),
        missing_any: items(aware, |item| item.missing_any),
        missing_half: items(aware, |item| item.missing_half),
        target: items(ignored, |item| item.target),
        leaked_lines: lines(Mark::Leaked),
        missing_lines: lines(Mark::Missing),
        moved_lines: lines(Mark::Moved),
        shared_lines: lines(Mark::Shared),
    }
}
