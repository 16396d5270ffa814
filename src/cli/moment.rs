//! The trees that `--at` names.

use crate::context::Engine;
use crate::error::{Cancel, Error, Result};
use crate::history::Snapshot;
use crate::workspace::{TaskRef, Workspace};

/// The tree of a task's project at `base`, `newest`, or a revision of its repository.
pub(super) fn snapshot_at(
    workspace: &Workspace,
    engine: &Engine,
    task: TaskRef,
    at: &str,
    cancel: &Cancel,
) -> Result<Snapshot> {
    let revision = match at {
        "newest" => return workspace.newest(task, cancel),
        "base" => base_of(workspace, engine, task)?,
        named => named.to_owned(),
    };
    let repository = workspace.repository(task)?.ok_or_else(|| {
        let project = &workspace.task(task).project;
        Error::data(format!("no repository for '{project}'"))
            .hint("name it in evoscope.toml, or use --at newest")
    })?;
    repository.snapshot(&revision)
}

fn base_of(workspace: &Workspace, _engine: &Engine, task: TaskRef) -> Result<String> {
    workspace.detail(task)?.base_commit.ok_or_else(|| {
        Error::data("the base commit of this task is not known")
            .hint("name a revision with --at REV")
    })
}
