//! Gathering the context.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::Desk;
use crate::benchmark::Language;
use crate::context::{Chunking, Engine, Listing, Pool, Rank, Retrieval, Store, Tokens, Wanted};
use crate::error::{Cancel, Error, Result};
use crate::history::Snapshot;
use crate::tui::message::{Answer, News};
use crate::tui::state::context::{Setting, Shown, Tree};
use crate::workspace::{TaskRef, Workspace};

/// Items that retrieval shows.
const TOP: usize = 10;

/// What retrieval has learned, by project.
pub(super) type Engines = Mutex<FxHashMap<Arc<str>, Arc<Engine>>>;

impl Desk {
    /// Gathers the context of a task in a setting, from a tree.
    pub(super) fn context(
        &self,
        task: TaskRef,
        setting: Setting,
        tree: &Tree,
        cancel: &Cancel,
        tell: &(dyn Fn(News) + Sync),
    ) -> Result<Answer> {
        let workspace = self.workspace()?;
        let listing = if setting == Setting::WithoutContext {
            Listing::default()
        } else {
            let snapshot = self.snapshot(&workspace, task, tree, cancel)?;
            self.gathered(&workspace, (task, setting), &snapshot, cancel, tell)?
        };
        let what = (task, setting, tree.clone());
        Ok(Answer::Context(what, Shown::new(listing)))
    }
}

impl Desk {
    /// The tree of a task's project.
    pub(super) fn snapshot(
        &self,
        workspace: &Workspace,
        task: TaskRef,
        tree: &Tree,
        cancel: &Cancel,
    ) -> Result<Snapshot> {
        let revision = match tree {
            Tree::Newest => return workspace.newest(task, cancel),
            Tree::Base => return Ok(self.base(workspace, task, cancel)?.0),
            Tree::Named(name) => name,
        };
        let repository = workspace.repository(task)?.ok_or_else(|| {
            let project = &workspace.task(task).project;
            Error::data(format!("no repository for '{project}'"))
                .hint("name it in evoscope.toml, or press b for the newest tree")
        })?;
        repository.snapshot(revision)
    }

    fn gathered(
        &self,
        workspace: &Workspace,
        (task, setting): (TaskRef, Setting),
        snapshot: &Snapshot,
        cancel: &Cancel,
        tell: &(dyn Fn(News) + Sync),
    ) -> Result<Listing> {
        let about = workspace.task(task);
        let wanted = Wanted {
            setting,
            target: &workspace.target(task)?,
            retrieval: retrieval(about.language),
            masks: &[],
        };
        let mut last = 0;
        let mut progress = |done: usize, all: usize| {
            if done >= last + 50 {
                last = done;
                tell(News::Words(format!("indexing {done} of {all} files")));
            }
        };
        let engine = self.engine(&about.project);
        let gathered = engine.gather(&wanted, snapshot, &mut progress, cancel)?;
        Ok(gathered.listing)
    }

    pub(super) fn engine(&self, project: &Arc<str>) -> Arc<Engine> {
        let mut engines = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || Arc::new(Engine::keeping(self.store()));
        Arc::clone(engines.entry(Arc::clone(project)).or_insert_with(make))
    }

    /// What is kept between runs; nothing for pictures and tests, or where it cannot be opened.
    fn store(&self) -> Option<Arc<Store>> {
        let open = || {
            let wanted = self.remembers && std::env::var_os("EVOSCOPE_NO_CACHE").is_none();
            let opened = wanted.then(|| Store::open(&self.places.cache).ok())?;
            opened.map(Arc::new)
        };
        self.store.get_or_init(open).clone()
    }
}

/// How retrieval works on the screens: windows of 20 lines every 10, the ten nearest by words.
pub(super) fn retrieval(language: Language) -> Retrieval {
    Retrieval {
        rank: Rank::Jaccard,
        pool: Pool {
            language,
            chunking: Chunking::default(),
            tokens: Tokens::Word,
        },
        top: TOP,
    }
}
