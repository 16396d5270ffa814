//! Retrieval with the same request in many versions of a repository. Each version is compared with the base commit.

use rustc_hash::FxHashSet;
use serde::Serialize;

use super::compare::{Side, annotate};
use super::engine::{Engine, Progress, RetrievalRequest};
use super::listing::{ContextListing, Mark};
use super::search::{Mask, Query, search};
use super::tree;
use crate::error::{Cancel, Result};
use crate::history::{Date, Snapshot, Version};

/// A version, with its tree and the target's lines in this tree.
pub struct Moment {
    /// The version.
    pub version: Version,
    /// The tree of the version.
    pub snapshot: Snapshot,
    /// The target's lines in the tree.
    pub masks: Vec<Mask>,
}

/// The snippets that are retrieved from one version, compared with the base commit.
#[derive(Debug, Clone, Serialize)]
pub struct Point {
    /// The commit of the version.
    pub revision: String,
    /// The tag of the version, if the version is a release.
    pub tag: Option<String>,
    /// The commit's author date.
    pub date: Date,
    /// The number of snippets for which the base tree lacks at least half of the non-blank lines.
    pub leak_half: usize,
    /// The number of snippets that no file of the base tree contains as one block of lines.
    pub leak_any: usize,
    /// As `leak_half`, for a search in which the target's lines are hidden.
    pub masked_leak_half: usize,
    /// The number of snippets with at least half of their non-blank lines in the snippets that are retrieved from the
    /// base.
    pub shared_with_base: usize,
    /// The snippets. They are stored so that a switch to another version needs no new search.
    #[serde(skip)]
    pub listing: ContextListing,
    /// The snippets of a search in which the target's lines are hidden.
    #[serde(skip)]
    pub masked: ContextListing,
}

impl Engine {
    /// Retrieves snippets from each moment, and compares them with the base. A second search hides the lines in
    /// [`Moment::masks`]. `request.masks` is not used. `moments` must be ordered by age, the newest last. `each`
    /// receives every point as soon as the point is known. `progress` counts the finished moments.
    ///
    /// # Errors
    /// As [`Engine::compare`].
    pub fn timeline(
        &self,
        request: &RetrievalRequest,
        base: &Snapshot,
        moments: &[Moment],
        each: &mut dyn FnMut(Point),
        progress: Progress,
        cancel: &Cancel,
    ) -> Result<()> {
        let corpus = self.corpus(request.pool);
        let mut snapshots = vec![base];
        snapshots.extend(moments.iter().map(|moment| &moment.snapshot));
        self.read_ahead(request.pool, &snapshots, cancel)?;
        let base = self.tree(request.pool, base, &mut |_, _| {}, cancel)?;
        let shown = {
            let corpus = tree::read(&corpus)?;
            let query = Query::count(&corpus, &request.query, request.rank);
            lines_of(&search(&corpus, &base, &query, request.top, &[]))
        };
        for (at, moment) in moments.iter().enumerate() {
            cancel.check()?;
            let tree = self.tree(request.pool, &moment.snapshot, &mut |_, _| {}, cancel)?;
            let corpus = tree::read(&corpus)?;
            let query = Query::count(&corpus, &request.query, request.rank);
            let look = |masks: &[Mask]| {
                let mut listing = search(&corpus, &tree, &query, request.top, masks);
                annotate(
                    &corpus,
                    &mut listing,
                    (&tree, &base),
                    Side::Ignored,
                    &moment.masks,
                );
                listing
            };
            let (listing, masked) = (look(&[]), look(&moment.masks));
            each(point(moment, listing, masked, &shown));
            progress(at + 1, moments.len());
        }
        Ok(())
    }
}

fn lines_of(listing: &ContextListing) -> FxHashSet<String> {
    let lines = listing.items.iter().flat_map(|item| &item.lines);
    let stripped = lines.map(|line| super::text::strip(&line.text).to_owned());
    stripped.filter(|line| !line.is_empty()).collect()
}

fn point(
    moment: &Moment,
    listing: ContextListing,
    masked: ContextListing,
    shown: &FxHashSet<String>,
) -> Point {
    let halves = |listing: &ContextListing| {
        listing
            .items
            .iter()
            .filter(|item| item.leak_half == Some(true))
            .count()
    };
    let shared = listing.items.iter().filter(|item| {
        let lines = item.lines.iter().filter(|line| line.mark != Mark::Plain);
        let (mut all, mut known) = (0, 0);
        for line in lines {
            all += 1;
            known += usize::from(shown.contains(super::text::strip(&line.text)));
        }
        all > 0 && 2 * known >= all
    });
    Point {
        revision: listing.revision.clone(),
        tag: moment.version.tag.clone(),
        date: moment.version.date,
        leak_half: halves(&listing),
        leak_any: listing
            .items
            .iter()
            .filter(|item| item.leak_any == Some(true))
            .count(),
        masked_leak_half: halves(&masked),
        shared_with_base: shared.count(),
        listing,
        masked,
    }
}
