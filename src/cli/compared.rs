//! One task's contexts at base and newest, compared: what `compare` prints and `report` shows.

use serde::Serialize;

use super::moment::{base_of, snapshot_at, target_masks};
use super::retrieval::Retrieval;
use crate::benchmark::{Language, TaskId};
use crate::context::{
    self, Chunking, Comparison, Engine, Introduced, Item, Mark, Pool, PromptStyle, Setting, Tokens,
    Wanted, Within, begins_file,
};
use crate::error::{Cancel, Error, Result};
use crate::history::{BaseFinding, CommitId, Repository, Run, Snapshot};
use crate::workspace::{TaskRef, Workspace};

/// How a task's contexts are compared.
pub(super) struct How<'a> {
    pub(super) setting: Setting,
    /// The flags of retrieval; the official windows without them.
    pub(super) retrieval: Option<&'a Retrieval>,
    /// Lines of the newest tree to hide besides the target's.
    pub(super) masks: Vec<context::Mask>,
    pub(super) base: Option<&'a str>,
    pub(super) newest: Option<&'a str>,
    /// Whether to look for the commits behind what differs.
    pub(super) provenance: bool,
    /// The style and the budget of the prompts whose final texts are compared, instead of the whole contexts.
    pub(super) prompts: Option<(PromptStyle, usize)>,
}

impl How<'_> {
    /// The official way, in a setting.
    pub(super) fn official(setting: Setting, provenance: bool) -> Self {
        Self {
            setting,
            retrieval: None,
            masks: Vec::new(),
            base: None,
            newest: None,
            provenance,
            prompts: None,
        }
    }

    fn of_task(&self, language: Language) -> context::Retrieval {
        self.retrieval.map_or_else(
            || context::Retrieval {
                pool: Pool {
                    language,
                    chunking: Chunking::default(),
                    tokens: Tokens::Word,
                },
                top: 10,
            },
            |flags| flags.of_task(language),
        )
    }
}

/// A task's comparison with how its base was found.
#[derive(Serialize)]
pub(super) struct Compared<'a> {
    pub(super) task: &'a TaskId,
    pub(super) setting: Setting,
    pub(super) base_found: BaseFinding,
    #[serde(flatten)]
    pub(super) comparison: Comparison,
}

/// Compares a task's contexts at its base and in the newest tree.
pub(super) fn of_task<'w>(
    how: &How<'_>,
    workspace: &'w Workspace,
    engine: &Engine,
    task: TaskRef,
) -> Result<Compared<'w>> {
    let cancel = Cancel::default();
    let mut base_found = match how.base {
        Some(base) => {
            let repository = snapshot_at(workspace, engine, task, base, &cancel)?;
            let commit = repository
                .commit()
                .ok_or_else(|| Error::user("a folder is no base"))?;
            BaseFinding::given(commit, "--base")
        }
        None => base_of(workspace, engine, task, &cancel)?,
    };
    let at = |name: &str| snapshot_at(workspace, engine, task, name, &cancel);
    let base = at(&base_found.commit.to_string())?;
    let newest = at(how.newest.unwrap_or("newest"))?;
    let target = workspace.target(task)?;
    let mut masks = how.masks.clone();
    masks.extend(target_masks(workspace, engine, task, &newest)?);
    let wanted = Wanted {
        setting: how.setting,
        retrieval: how.of_task(target.language),
        target: &target,
        masks: &masks,
    };
    if begins_file(&wanted, &base)? {
        let doubt = format!(
            "{} did not exist at the base: its local context is empty",
            target.path
        );
        base_found.doubts.push(doubt);
    }
    let asked = how.prompts.map(|_| workspace.asked(task)).transpose()?;
    let within = how.prompts.zip(asked.as_ref());
    let within = within.map(|((style, budget), asked)| Within {
        style,
        asked,
        budget,
    });
    let mut comparison =
        engine.compare_setting(&wanted, within, (&base, &newest), &mut |_, _| {}, &cancel)?;
    if let Some(repository) = newest.repository().filter(|_| how.provenance) {
        trace(repository, &mut comparison, (&base, &newest), &cancel)?;
    }
    Ok(Compared {
        task: &workspace.task(task).id,
        setting: how.setting,
        base_found,
        comparison,
    })
}

/// Names the commit that brought each leaked snippet's first leaked run, and the one that took each missing one's.
pub(super) fn trace(
    repository: &Repository,
    comparison: &mut Comparison,
    (base, newest): (&Snapshot, &Snapshot),
    cancel: &Cancel,
) -> Result<()> {
    let (Some(from), Some(to)) = (base.commit(), newest.commit()) else {
        return Ok(());
    };
    let Comparison {
        aware,
        ignored,
        ignored_masked,
        ..
    } = comparison;
    let newer: Vec<&mut Item> = ignored
        .items
        .iter_mut()
        .chain(&mut ignored_masked.items)
        .collect();
    let found = repository.brought(to, &first_runs(&newer, Mark::Leaked), cancel)?;
    introduce(repository, newer, found)?;
    let older: Vec<&mut Item> = aware.items.iter_mut().collect();
    let found = repository.taken(from, to, &first_runs(&older, Mark::Missing), cancel)?;
    introduce(repository, older, found)
}

fn first_runs<'a>(items: &'a [&mut Item], mark: Mark) -> Vec<Run<'a>> {
    let run = |item: &'a &mut Item| Run {
        path: &item.path,
        lines: first_run(item, mark),
    };
    items.iter().map(run).collect()
}

fn introduce(
    repository: &Repository,
    items: Vec<&mut Item>,
    found: Vec<Option<CommitId>>,
) -> Result<()> {
    for (item, id) in items.into_iter().zip(found) {
        let commit = id.map(|id| repository.commit(id)).transpose()?;
        item.introduced = commit.map(|commit| Introduced {
            commit: commit.id,
            date: commit.date,
            author: commit.author,
        });
    }
    Ok(())
}

/// The first run of lines with that mark.
fn first_run(item: &Item, mark: Mark) -> Vec<&str> {
    item.lines
        .iter()
        .skip_while(|line| line.mark != mark)
        .take_while(|line| line.mark == mark)
        .map(|line| &*line.text)
        .collect()
}
