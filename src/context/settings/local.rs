//! The target's own file: what is above it, and for infilling what is below.

use super::{GatheredContext, InsertionPoint, LocalPart, item_of};
use crate::benchmark::LineSpan;
use crate::context::{ContextItem, ContextListing};

/// The file above the target's signature; decorators are above it, as in the official prompts.
pub(super) fn above(site: &InsertionPoint) -> GatheredContext {
    let items = span(1, site.above).and_then(|span| item(site, 1, span));
    gathered(items.into_iter().collect(), 0)
}

/// The file above and below the target.
pub(super) fn around(site: &InsertionPoint) -> GatheredContext {
    let mut gathered = above(site);
    gathered.form = LocalPart::Around;
    let rank = gathered.listing.items.len() + 1;
    let end = site.lines().len();
    if let Some(below) = span(site.resume + 1, end).and_then(|span| item(site, rank, span)) {
        gathered.listing.items.push(below);
        gathered.below = 1;
        gathered.unended = !site.text.ends_with('\n');
        gathered.listing.candidates += 1;
    }
    gathered
}

fn gathered(items: Vec<ContextItem>, below: usize) -> GatheredContext {
    GatheredContext {
        form: LocalPart::Above,
        above: items.len(),
        below,
        listing: ContextListing {
            candidates: items.len(),
            items,
            ..ContextListing::default()
        },
        ..GatheredContext::default()
    }
}

fn span(first: usize, last: usize) -> Option<LineSpan> {
    LineSpan::new(u32::try_from(first).ok()?, u32::try_from(last).ok()?)
}

fn item(site: &InsertionPoint, rank: usize, span: LineSpan) -> Option<ContextItem> {
    let item = item_of(rank, &site.path, &site.lines(), span);
    (!item.lines.is_empty()).then_some(item)
}
