//! The definitions of the dependencies that the benchmark lists for the reference code.

use super::{GatheredContext, Mask, SettingTarget, items_of, text_at};
use crate::benchmark::{Language, LineSpan, Namespace, RepoPath};
use crate::code::{DependencyResolver, Library, Project, outline};
use crate::context::{ContextListing, text};
use crate::error::{Cancel, Result};
use crate::history::Snapshot;

/// How many lines are shown of a module that is itself the dependency.
const MODULE_LINES: u32 = 20;

/// The definition of each reference dependency, in the order of the labels. Dependencies that the tree does not have
/// are listed in `absent`. Masked lines are left out. If a dependency is a module itself, its first 20 lines are shown.
pub(super) fn definitions(
    target: &SettingTarget,
    snapshot: &Snapshot,
    masks: &[Mask],
    cancel: &Cancel,
) -> Result<GatheredContext> {
    let labelled = target
        .dependencies
        .iter()
        .map(|dependency| &dependency.namespace);
    let places: Vec<(&Namespace, Option<(RepoPath, LineSpan)>)> = match target.language {
        Language::Python => {
            let own = [(&target.namespace, &target.path)];
            let project = Project::new(snapshot.clone(), Library::default(), own);
            let resolver = DependencyResolver::new(&project);
            let first = LineSpan::new(1, MODULE_LINES).unwrap_or(LineSpan::line(1));
            let whole =
                |(path, lines): (RepoPath, Option<LineSpan>)| (path, lines.unwrap_or(first));
            labelled
                .map(|name| (name, resolver.place_of(name).map(whole)))
                .collect()
        }
        Language::Java => labelled
            .map(|name| Ok((name, in_java(name, snapshot, cancel)?)))
            .collect::<Result<_>>()?,
    };
    let mut gathered = GatheredContext::default();
    for (name, place) in places {
        cancel.check()?;
        let shown = match &place {
            Some((path, span)) => text_at(snapshot, path)?.map(|source| (path, *span, source)),
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

/// Finds a Java element by its name: one component is the name of the file, and the rest names the element in it.
fn in_java(
    name: &Namespace,
    snapshot: &Snapshot,
    cancel: &Cancel,
) -> Result<Option<(RepoPath, LineSpan)>> {
    let parts: Vec<&str> = name.components().collect();
    for entry in snapshot.entries() {
        let Some(stem) = entry.path.file_name().strip_suffix(".java") else {
            continue;
        };
        let Some(class) = parts.iter().position(|part| *part == stem) else {
            continue;
        };
        cancel.check()?;
        let Some(source) = text_at(snapshot, &entry.path)? else {
            continue;
        };
        let qualname = parts[class..].join(".");
        let outline = outline(Language::Java, source.as_bytes());
        let found = outline
            .definitions
            .iter()
            .find(|definition| definition.qualname == qualname);
        if let Some(found) = found {
            return Ok(Some((entry.path.clone(), found.whole)));
        }
    }
    Ok(None)
}
