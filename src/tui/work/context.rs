//! Gathering the context.

use super::WorkerState;
use crate::context::PromptSetting;
use crate::error::{Cancel, Result};
use crate::history::Snapshot;
use crate::tui::message::{Answer, News};
use crate::tui::state::context::{Setting, Shown, Tree};
use crate::workspace::{ContextRequest, Contexts, TaskRef, Workspace};

impl WorkerState {
    /// Gathers the context of a task in a setting, from a tree, for a wording of its requirement.
    pub(super) fn context(
        &self,
        task: TaskRef,
        wanted: &PromptSetting,
        cancel: &Cancel,
        report: &(dyn Fn(News) + Sync),
    ) -> Result<Answer> {
        let what = (task, wanted.clone());
        if wanted.setting == Setting::WithoutContext {
            return Ok(Answer::Context(what, Shown::default()));
        }
        let request = ContextRequest {
            task,
            setting: wanted.setting,
            at: wanted.moment(),
            retrieval: None,
            masks: &[],
            mask_target: false,
            requirement: wanted.requirement,
        };
        let mut last = 0;
        let mut progress = |done: usize, all: usize| {
            if done >= last + 50 {
                last = done;
                report(News::Words(format!("indexing {done} of {all} files")));
            }
        };
        let workspace = self.workspace()?;
        let context = workspace.context(self.contexts(), request, &mut progress, cancel)?;
        let shown = Shown::new(context.gathered.listing);
        Ok(Answer::Context(what, shown))
    }

    /// The tree of a task's project.
    pub(super) fn snapshot(
        &self,
        workspace: &Workspace,
        task: TaskRef,
        tree: &Tree,
        cancel: &Cancel,
    ) -> Result<Snapshot> {
        workspace.snapshot(self.contexts(), task, tree, cancel)
    }

    /// What retrieval has read; stored between runs unless this is for pictures and tests, or the cache cannot be opened.
    pub(super) fn contexts(&self) -> &Contexts {
        self.contexts.get_or_init(|| {
            if !self.remembers || Contexts::cache_is_refused() {
                return Contexts::default();
            }
            Contexts::cached(&self.places.cache).0
        })
    }
}
