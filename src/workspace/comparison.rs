//! Evolving-aware against evolving-ignored: a task's context at its base, compared with that of a newer tree.

use super::benchmarks::TaskRef;
use super::contexts::{Contexts, retrieval_for};
use super::open::Workspace;
use crate::benchmark::{RepoPath, RequirementStyle};
use crate::context::{
    Comparison, Mask, PromptBudget, PromptStyle, Retrieval, Revision, Setting, SettingRequest,
    begins_file, trace,
};
use crate::error::{Cancel, Error, Result};
use crate::history::{BaseFinding, Commit, LineBlock, Snapshot};

/// How a task's contexts are compared.
#[derive(Debug, Clone)]
pub struct ComparisonRequest {
    /// The setting.
    pub setting: Setting,
    /// How retrieval works; the usual way without. The language is always the task's.
    pub retrieval: Option<Retrieval>,
    /// Lines of the newest tree to hide in addition to the target's.
    pub masks: Vec<Mask>,
    /// The base, instead of the one that is found.
    pub base: Option<String>,
    /// The newest revision, instead of the project's.
    pub newest: Option<String>,
    /// Whether the commits behind what differs are looked up.
    pub provenance: bool,
    /// Compares the final texts of prompts of this style and budget, instead of the whole contexts.
    pub prompts: Option<(PromptStyle, usize)>,
    /// Which wording of the requirement is the query; the benchmark's default one without.
    pub requirement: Option<RequirementStyle>,
}

impl ComparisonRequest {
    /// The official way, in a setting.
    pub fn official(setting: Setting, provenance: bool) -> Self {
        Self {
            setting,
            retrieval: None,
            masks: Vec::new(),
            base: None,
            newest: None,
            provenance,
            prompts: None,
            requirement: None,
        }
    }
}

/// A task's comparison with how its base was found.
#[derive(Debug, Clone)]
pub struct TaskComparison {
    /// How the base was found.
    pub base_found: BaseFinding,
    /// The contexts and what differs.
    pub comparison: Comparison,
}

impl Workspace {
    /// Compares a task's contexts at its base and in the newest tree. Errors when the base cannot be found or a tree
    /// cannot be read, or when cancelled.
    pub fn compare(
        &self,
        contexts: &Contexts,
        request: &ComparisonRequest,
        task: TaskRef,
        cancel: &Cancel,
    ) -> Result<TaskComparison> {
        let at = |name: &str| self.snapshot(contexts, task, &Revision::of(name), cancel);
        let mut base_found = match &request.base {
            Some(base) => {
                let commit = at(base)?.commit();
                let commit = commit.ok_or_else(|| Error::user("a folder is no base"))?;
                BaseFinding::given(commit, "--base")
            }
            None => self.base(contexts, task, cancel)?,
        };
        let base = at(&base_found.commit.to_string())?;
        let newest = at(request.newest.as_deref().unwrap_or("newest"))?;
        let (mut comparison, file_is_missing) =
            self.compare_trees(contexts, request, task, (&base, &newest), cancel)?;
        if file_is_missing {
            let path = self.target(task)?.path;
            let doubt = format!("{path} did not exist at the base: its local context is empty");
            base_found.doubts.push(doubt);
        }
        if let Some(repository) = newest.repository().filter(|_| request.provenance) {
            trace(repository, &mut comparison, (&base, &newest), cancel)?;
        }
        Ok(TaskComparison {
            base_found,
            comparison,
        })
    }

    /// Compares a task's contexts in two trees, with the target hidden in the newer one; and whether the older one does
    /// not have the target's file yet.
    pub(super) fn compare_trees(
        &self,
        contexts: &Contexts,
        request: &ComparisonRequest,
        task: TaskRef,
        (base, newer): (&Snapshot, &Snapshot),
        cancel: &Cancel,
    ) -> Result<(Comparison, bool)> {
        let target = self.target_asked_in(task, request.requirement)?;
        let mut masks = request.masks.clone();
        masks.extend(self.target_masks(contexts, task, newer)?);
        let wanted = SettingRequest {
            setting: request.setting,
            retrieval: retrieval_for(request.retrieval, target.language),
            target: &target,
            masks: &masks,
            local_masks: &[],
        };
        let file_is_missing = begins_file(&wanted, base)?;
        let asked = request
            .prompts
            .map(|_| self.asked(task, request.requirement))
            .transpose()?;
        let within = request.prompts.zip(asked.as_ref());
        let within = within.map(|((style, budget), asked)| PromptBudget {
            style,
            task: asked,
            budget,
        });
        let engine = contexts.engine(self, task);
        let trees = (base, newer);
        let comparison = engine.compare_setting(&wanted, within, trees, &mut |_, _| {}, cancel)?;
        Ok((comparison, file_is_missing))
    }

    /// The commit that added a block of lines that is in `shown_at`, or, if `missing_in` names a revision without the
    /// block, the commit that removed it. `None` for a plain folder, or if no commit is found.
    pub fn commit_behind(
        &self,
        contexts: &Contexts,
        task: TaskRef,
        (path, lines): (&RepoPath, &[String]),
        (shown_at, missing_in): (&str, Option<&str>),
        cancel: &Cancel,
    ) -> Result<Option<Commit>> {
        let repository = self.repository(task)?;
        let shown = Revision::Named(shown_at.to_owned());
        let shown = self.snapshot(contexts, task, &shown, cancel)?;
        let (Some(repository), Some(at)) = (repository, shown.commit()) else {
            return Ok(None);
        };
        let block = LineBlock {
            path,
            lines: lines.iter().map(String::as_str).collect(),
        };
        let blocks = std::slice::from_ref(&block);
        let found = match missing_in {
            None => repository.added_by(at, blocks, cancel)?,
            Some(newest) => {
                repository.removed_by(at, repository.resolve(newest)?, blocks, cancel)?
            }
        };
        let found = found.first().copied().flatten();
        found.map(|id| repository.commit(id)).transpose()
    }
}
