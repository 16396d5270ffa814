//! The definitions of the dependencies that the benchmark lists for the reference code.

use super::{GatheredContext, Mask, SettingTarget, items_of, text_at};
use crate::benchmark::{LineSpan, Namespace};
use crate::code::support;
use crate::context::{ContextListing, text};
use crate::error::{Cancel, Result};
use crate::history::Snapshot;

/// If a dependency is a module, how many of its first lines are shown.
const MODULE_LINES: u32 = 20;

/// The definitions of the listed dependencies, in the order of the list. Dependencies that the snapshot does not have
/// are listed in `absent`. The lines in `masks` are left out.
pub(super) fn definitions(
    target: &SettingTarget,
    snapshot: &Snapshot,
    masks: &[Mask],
    cancel: &Cancel,
) -> Result<GatheredContext> {
    let labelled = target.dependencies.iter();
    let names: Vec<&Namespace> = labelled.map(|dependency| &dependency.namespace).collect();
    let own = (&target.namespace, &target.path);
    let places = support(target.language).definition_places(own, &names, snapshot, cancel)?;
    let first = LineSpan::new(1, MODULE_LINES).unwrap_or(LineSpan::line(1));
    let mut gathered = GatheredContext::default();
    for (name, place) in names.into_iter().zip(places) {
        cancel.check()?;
        let shown = match &place {
            Some((path, span)) => {
                text_at(snapshot, path)?.map(|source| (path, span.unwrap_or(first), source))
            }
            None => None,
        };
        let Some((path, span, source)) = shown else {
            gathered.absent.push(name.clone());
            continue;
        };
        let lines: Vec<&str> = text::lines(&source).collect();
        let rank = gathered.listing.items.len() + 1;
        let items = items_of(rank, path, &lines, span, masks);
        gathered.listing.items.extend(items);
    }
    gathered.listing = ContextListing {
        candidates: gathered.listing.items.len(),
        ..gathered.listing
    };
    Ok(gathered)
}
