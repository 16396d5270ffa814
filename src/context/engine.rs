//! Retrieval in one project. The contents of files and the trees (the snippets of a snapshot) are cached between
//! requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::compare::{Comparison, compare};
use super::corpus::{Corpus, CorpusConfig};
use super::listing::ContextListing;
use super::options::{Chunking, Rank};
use super::search::{Mask, Query, search};
use super::store::ContextStore;
use super::target::Outlines;
use super::tree::{self, CorpusTree};
use crate::benchmark::{LineSpan, Namespace};
use crate::error::{Cancel, Result};
use crate::history::{BaseFinding, BlobId, CommitId, FunctionFingerprint, Snapshot, SnapshotId};

/// How many trees are cached: enough for a timeline of 50 versions. The least recently used tree is dropped first.
const TREES: usize = 64;

/// Receives the progress of long work: (number of files that are done, number of all files).
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// What to retrieve, and from which files.
#[derive(Debug, Clone)]
pub struct RetrievalRequest {
    /// The pool: the files to search, how they are cut into snippets, and which tokens are counted.
    pub pool: CorpusConfig,
    /// How candidates are ordered.
    pub rank: Rank,
    /// The text to search for: the requirement or docstring.
    pub query: String,
    /// The maximum number of snippets to retrieve.
    pub top: usize,
    /// Lines to hide, such as the target's lines. A comparison hides them only in [`Comparison::ignored_masked`].
    pub masks: Vec<Mask>,
}

/// Everything that retrieval has read of one project, for all revisions and pools. Threads share an engine. A request
/// blocks other requests only while it cuts new contents into snippets.
#[derive(Default)]
pub struct Engine {
    corpora: Mutex<FxHashMap<CorpusConfig, Arc<RwLock<Corpus>>>>,
    trees: Mutex<VecDeque<CachedTree>>,
    pub(super) store: Option<Arc<ContextStore>>,
    pub(super) outlines: Outlines,
    pub(super) sightings: Mutex<FxHashMap<BlobId, Arc<[FunctionFingerprint]>>>,
    pub(super) bases: Mutex<FxHashMap<(CommitId, Namespace), BaseFinding>>,
}

struct CachedTree {
    pool: CorpusConfig,
    snapshot: SnapshotId,
    tree: Arc<CorpusTree>,
}

impl Engine {
    /// An engine that saves the functions of parsed contents in `store`, so that later runs need not parse these
    /// contents again. With `None`, nothing is saved.
    pub fn with_store(store: Option<Arc<ContextStore>>) -> Self {
        Self {
            store,
            ..Self::default()
        }
    }

    /// The corpus of a pool: the contents of its files in all revisions. Created on the first call.
    pub fn corpus(&self, pool: CorpusConfig) -> Arc<RwLock<Corpus>> {
        let mut corpora = self.corpora.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || Arc::new(RwLock::new(Corpus::new(pool)));
        Arc::clone(corpora.entry(pool).or_insert_with(make))
    }

    /// The tree of a snapshot in the pool's corpus. It is read if it is not cached. Errors when the sources are too
    /// large, or when cancelled.
    pub fn tree(
        &self,
        pool: CorpusConfig,
        snapshot: &Snapshot,
        progress: Progress,
        cancel: &Cancel,
    ) -> Result<Arc<CorpusTree>> {
        let trees = || self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |cached: &CachedTree| cached.pool == pool && cached.snapshot == snapshot.id();
        {
            let mut trees = trees();
            if let Some(cached) = trees.iter().position(is_it).and_then(|at| trees.remove(at)) {
                let tree = Arc::clone(&cached.tree);
                trees.push_back(cached);
                return Ok(tree);
            }
        }
        let chunks = |_, text: &str| Ok(chunks(pool, text));
        let corpus = self.corpus(pool);
        let tree = Arc::new(CorpusTree::build(
            &corpus, snapshot, &chunks, progress, cancel,
        )?);
        let mut trees = trees();
        trees.push_back(CachedTree {
            pool,
            snapshot: snapshot.id(),
            tree: Arc::clone(&tree),
        });
        if trees.len() > TREES {
            trees.pop_front();
        }
        Ok(tree)
    }

    /// Reads the contents of several snapshots of one repository together, because this is faster than one tree after
    /// the other. The snapshots must be ordered by age, the newest last.
    pub(super) fn read_ahead(
        &self,
        pool: CorpusConfig,
        snapshots: &[&Snapshot],
        cancel: &Cancel,
    ) -> Result<()> {
        let chunks = |_, text: &str| Ok(chunks(pool, text));
        CorpusTree::read_ahead(&self.corpus(pool), snapshots, &chunks, cancel)
    }

    /// The best snippets for a request in one snapshot. Errors as [`tree`](Self::tree).
    pub fn retrieve(
        &self,
        request: &RetrievalRequest,
        snapshot: &Snapshot,
        progress: Progress,
        cancel: &Cancel,
    ) -> Result<ContextListing> {
        let tree = self.tree(request.pool, snapshot, progress, cancel)?;
        let corpus = self.corpus(request.pool);
        let corpus = tree::read(&corpus)?;
        let query = Query::count(&corpus, &request.query, request.rank);
        Ok(search(&corpus, &tree, &query, request.top, &request.masks))
    }

    /// The best snippets for a request in the base and in the newest snapshot, compared. Errors as
    /// [`tree`](Self::tree).
    pub fn compare(
        &self,
        request: &RetrievalRequest,
        base: &Snapshot,
        newest: &Snapshot,
        progress: Progress,
        cancel: &Cancel,
    ) -> Result<Comparison> {
        let base = self.tree(request.pool, base, progress, cancel)?;
        let newest = self.tree(request.pool, newest, progress, cancel)?;
        let corpus = self.corpus(request.pool);
        let corpus = tree::read(&corpus)?;
        let query = Query::count(&corpus, &request.query, request.rank);
        Ok(compare(
            &corpus,
            &base,
            &newest,
            &query,
            &request.masks,
            request.top,
        ))
    }
}

/// The spans that `text` is cut into, if the pool cuts by syntax. Empty if the pool cuts by lines.
fn chunks(pool: CorpusConfig, text: &str) -> Vec<LineSpan> {
    match pool.chunking {
        Chunking::Syntax => crate::code::chunks(pool.language, text),
        Chunking::Lines { .. } => Vec::new(),
    }
}
