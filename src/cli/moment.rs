//! The trees that `--at` names.

use crate::context::{Engine, Mask};
use crate::error::{Cancel, Error, Result};
use crate::history::{BaseFinding, Snapshot};
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
        "base" => base_of(workspace, engine, task, cancel)?.commit.to_string(),
        named => named.to_owned(),
    };
    let repository = workspace.repository(task)?.ok_or_else(|| {
        let project = &workspace.task(task).project;
        Error::data(format!("no repository for '{project}'"))
            .hint("name it in evoscope.toml, or use --at newest")
    })?;
    repository.snapshot(&revision)
}

/// The base of a task: given by its record, or found in the history of its project.
pub(super) fn base_of(
    workspace: &Workspace,
    engine: &Engine,
    task: TaskRef,
    cancel: &Cancel,
) -> Result<BaseFinding> {
    let given = workspace.detail(task)?.base_commit;
    let newest = workspace.newest(task, cancel)?;
    let about = workspace.task(task);
    engine.base(about, given.as_deref(), &newest, &mut |_, _| {}, cancel)
}

/// The target's lines in a tree, every definition of its name.
pub(super) fn target_masks(
    workspace: &Workspace,
    engine: &Engine,
    task: TaskRef,
    snapshot: &Snapshot,
) -> Result<Vec<Mask>> {
    let located = engine.locate(workspace.task(task), snapshot)?;
    Ok(located.map(|located| located.masks).unwrap_or_default())
}
