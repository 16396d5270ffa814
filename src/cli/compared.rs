//! One task's contexts at base and newest, compared: what `compare` prints and `report` shows.

use serde::Serialize;

use super::moment::{base_of, snapshot_at, target_masks};
use super::retrieval::Retrieval;
use crate::benchmark::{Language, TaskId};
use crate::context::{
    self, Comparison, Engine, Pool, PromptStyle, Rank, Setting, Wanted, Within, begins_file, trace,
};
use crate::error::{Cancel, Error, Result};
use crate::history::BaseFinding;
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

    fn of_task(&self, language: Language) -> Result<context::Retrieval> {
        match self.retrieval {
            Some(flags) => flags.of_task(language),
            None => Ok(context::Retrieval {
                pool: Pool::of(language),
                rank: Rank::Jaccard,
                top: 10,
            }),
        }
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
        retrieval: how.of_task(target.language)?,
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
