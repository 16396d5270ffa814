//! Gathering the context.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::Desk;
use crate::benchmark::{Language, RepoPath};
use crate::context::{
    Chunking, Engine, Item, ItemLine, Listing, Mark, Mask, Pool, Request, Tokens,
};
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
            let snapshot = snapshot(&workspace, task, tree, cancel)?;
            match setting {
                Setting::Retrieved => self.retrieved(&workspace, task, &snapshot, cancel, tell)?,
                _ => local(&workspace, task, setting, &snapshot)?,
            }
        };
        let what = (task, setting, tree.clone());
        Ok(Answer::Context(what, Shown::new(listing)))
    }
}

/// The tree of a task's project.
pub(super) fn snapshot(
    workspace: &Workspace,
    task: TaskRef,
    tree: &Tree,
    cancel: &Cancel,
) -> Result<Snapshot> {
    let revision = match tree {
        Tree::Newest => return workspace.newest(task, cancel),
        Tree::Named(name) => name.clone(),
        Tree::Base => workspace.detail(task)?.base_commit.ok_or_else(|| {
            Error::data("the base commit of this task is not known")
                .hint("press b for the newest tree, or @ to name a revision")
        })?,
    };
    let repository = workspace.repository(task)?.ok_or_else(|| {
        let project = &workspace.task(task).project;
        Error::data(format!("no repository for '{project}'"))
            .hint("name it in evoscope.toml, or press b for the newest tree")
    })?;
    repository.snapshot(&revision)
}

impl Desk {
    fn retrieved(
        &self,
        workspace: &Workspace,
        task: TaskRef,
        snapshot: &Snapshot,
        cancel: &Cancel,
        tell: &(dyn Fn(News) + Sync),
    ) -> Result<Listing> {
        let request = request(workspace, task)?;
        let engine = self.engine(&workspace.task(task).project);
        let mut last = 0;
        let mut progress = |done: usize, all: usize| {
            if done >= last + 50 {
                last = done;
                tell(News::Words(format!("indexing {done} of {all} files")));
            }
        };
        engine.retrieve(&request, snapshot, &mut progress, cancel)
    }

    pub(super) fn engine(&self, project: &Arc<str>) -> Arc<Engine> {
        let mut engines = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(engines.entry(Arc::clone(project)).or_default())
    }
}

/// What retrieval looks for: the windows nearest to the requirement.
pub(super) fn request(workspace: &Workspace, task: TaskRef) -> Result<Request> {
    let detail = workspace.detail(task)?;
    let query = detail
        .requirement
        .texts
        .first()
        .map(|text| text.text.clone());
    let query = query.ok_or_else(|| Error::data("the record has no requirement to look for"))?;
    Ok(Request {
        pool: pool(workspace.task(task).language),
        query,
        top: TOP,
        masks: Vec::new(),
    })
}

/// The target's lines in a tree that has it.
pub(super) fn mask(
    workspace: &Workspace,
    task: TaskRef,
    snapshot: &Snapshot,
) -> Result<Option<Mask>> {
    let about = workspace.task(task);
    let Some(bytes) = snapshot.read_path(&about.path)? else {
        return Ok(None);
    };
    let anchor = crate::code::locate(&about.namespace, &about.path, None, about.language, &bytes);
    Ok(anchor.definition.map(|found| Mask {
        path: about.path.clone(),
        span: found.whole,
    }))
}

fn pool(language: Language) -> Pool {
    Pool {
        language,
        chunking: Chunking::default(),
        tokens: Tokens::Word,
    }
}

/// The target's own file: what stands above it, and for infilling what stands below.
fn local(
    workspace: &Workspace,
    task: TaskRef,
    setting: Setting,
    snapshot: &Snapshot,
) -> Result<Listing> {
    let about = workspace.task(task);
    let bytes = snapshot.read_path(&about.path)?.ok_or_else(|| {
        Error::data(format!("{} has no file '{}'", snapshot.label(), about.path))
            .hint("the file may not exist yet there, or under another name")
    })?;
    let anchor = crate::code::locate(&about.namespace, &about.path, None, about.language, &bytes);
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let (above, below) = match &anchor.definition {
        Some(found) => (
            found.whole.first() as usize - 1,
            found.whole.last() as usize,
        ),
        None => (lines.len(), lines.len()),
    };
    let mut items = vec![item(1, &about.path, 1, &lines[..above.min(lines.len())])];
    if setting == Setting::LocalInfilling {
        let start = u32::try_from(below).unwrap_or(0) + 1;
        items.push(item(
            2,
            &about.path,
            start,
            lines.get(below..).unwrap_or_default(),
        ));
    }
    items.retain(|item| !item.lines.is_empty());
    Ok(Listing {
        revision: snapshot.revision(),
        candidates: items.len(),
        items,
    })
}

fn item(rank: usize, path: &RepoPath, start: u32, lines: &[&str]) -> Item {
    let lines = lines.iter().map(|line| ItemLine {
        text: (*line).into(),
        mark: Mark::Plain,
        target: false,
    });
    Item::new(rank, path.clone(), start, lines.collect())
}
