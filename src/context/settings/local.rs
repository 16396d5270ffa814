//! The local settings. They show the text above the target in the target's own file. The infilling setting also shows
//! the text below the target.

use super::{GatheredContext, InsertionPoint, LocalPart, Mask, items_of};
use crate::benchmark::LineSpan;
use crate::context::{ContextItem, ContextListing};

/// The lines of the file above the target's signature, without the lines that `masks` hide. As in the official prompts,
/// these lines include the target's decorators.
pub(super) fn above(site: &InsertionPoint, masks: &[Mask]) -> GatheredContext {
    gathered(items(site, 1, (1, site.above), masks))
}

/// The lines of the file above and below the target, without the lines that `masks` hide.
pub(super) fn around(site: &InsertionPoint, masks: &[Mask]) -> GatheredContext {
    let mut gathered = above(site, masks);
    gathered.form = LocalPart::Around;
    let rank = gathered.listing.items.len() + 1;
    let end = site.lines().len();
    let below = items(site, rank, (site.resume + 1, end), masks);
    gathered.below = below.len();
    gathered.unended = !below.is_empty() && !site.text.ends_with('\n');
    gathered.listing.candidates += below.len();
    gathered.listing.items.extend(below);
    gathered
}

fn gathered(items: Vec<ContextItem>) -> GatheredContext {
    GatheredContext {
        form: LocalPart::Above,
        above: items.len(),
        listing: ContextListing {
            candidates: items.len(),
            items,
            ..ContextListing::default()
        },
        ..GatheredContext::default()
    }
}

/// The lines from `first` to `last` (1-based, inclusive), with one item for each run of consecutive lines that `masks`
/// do not hide. Empty if there are no such lines.
fn items(
    site: &InsertionPoint,
    rank: usize,
    (first, last): (usize, usize),
    masks: &[Mask],
) -> Vec<ContextItem> {
    let (first, last) = (u32::try_from(first), u32::try_from(last));
    let span = first
        .ok()
        .zip(last.ok())
        .and_then(|(first, last)| LineSpan::new(first, last));
    span.map_or_else(Vec::new, |span| {
        items_of(rank, &site.path, &site.lines(), span, masks)
    })
}
