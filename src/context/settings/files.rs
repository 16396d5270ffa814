//! Whole files other than the target's own: imported, in the same folder, of a similar name.

use super::names::{overlap, tokens};
use super::{GatheredContext, InsertionPoint, Mask, SettingTarget, ending, items_of, text_at};
use crate::benchmark::{LineSpan, RepoPath};
use crate::code::imported_files;
use crate::context::{Overlap, text};
use crate::error::{Cancel, Result};
use crate::history::Snapshot;

/// A file to show, with its similarity where files are ranked.
pub(super) type Chosen = (RepoPath, Option<Overlap>);

/// The files that the target's file imports, in the order of its imports.
pub(super) fn imported(
    target: &SettingTarget,
    site: &InsertionPoint,
    snapshot: &Snapshot,
) -> Vec<Chosen> {
    let source = site.text.as_bytes();
    imported_files(target.language, snapshot, &site.path, source)
        .into_iter()
        .map(|path| (path, None))
        .collect()
}

/// The other files of the target's folder, by path.
pub(super) fn siblings(
    target: &SettingTarget,
    site: &InsertionPoint,
    snapshot: &Snapshot,
) -> Vec<Chosen> {
    others(target, site, snapshot)
        .filter(|path| path.folder() == site.path.folder())
        .map(|path| (path.clone(), None))
        .collect()
}

/// The files with names that share a token with the target's file, most similar first, then by path.
pub(super) fn similar(
    target: &SettingTarget,
    site: &InsertionPoint,
    snapshot: &Snapshot,
) -> Vec<Chosen> {
    let own = tokens(stem(&site.path));
    let mut chosen: Vec<(RepoPath, Overlap)> = others(target, site, snapshot)
        .map(|path| (path.clone(), overlap(&own, &tokens(stem(path)))))
        .filter(|(_, overlap)| overlap.shared > 0)
        .collect();
    chosen.sort_by(|a, b| b.1.compare(a.1).then_with(|| a.0.cmp(&b.0)));
    chosen
        .into_iter()
        .map(|(path, overlap)| (path, Some(overlap)))
        .collect()
}

fn others<'a>(
    target: &SettingTarget,
    site: &'a InsertionPoint,
    snapshot: &'a Snapshot,
) -> impl Iterator<Item = &'a RepoPath> {
    let end = ending(target.language);
    snapshot
        .entries()
        .iter()
        .map(|entry| &entry.path)
        .filter(move |path| path.as_str().ends_with(end) && **path != site.path)
}

fn stem(path: &RepoPath) -> &str {
    let name = path.file_name();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Adds the chosen files behind what was gathered, without masked lines. Empty files, and files that are not UTF-8, show nothing.
pub(super) fn with_whole_files(
    mut gathered: GatheredContext,
    chosen: &[Chosen],
    snapshot: &Snapshot,
    masks: &[Mask],
    cancel: &Cancel,
) -> Result<GatheredContext> {
    for (path, overlap) in chosen {
        cancel.check()?;
        let Some(source) = text_at(snapshot, path)? else {
            continue;
        };
        let lines: Vec<&str> = text::lines(&source).collect();
        let Some(span) = LineSpan::new(1, u32::try_from(lines.len()).unwrap_or(u32::MAX)) else {
            continue;
        };
        let rank = gathered.listing.items.len() + 1;
        for mut item in items_of(rank, path, &lines, span, masks) {
            item.overlap = *overlap;
            gathered.listing.items.push(item);
        }
    }
    gathered.listing.candidates = gathered.listing.items.len();
    Ok(gathered)
}
