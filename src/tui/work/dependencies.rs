//! Looks up the dependencies of a task in its project and in the project's history, and the dependencies of a
//! completion.

use std::sync::Arc;

use super::WorkerState;
use crate::benchmark::Namespace;
use crate::error::{Cancel, Error, Result};
use crate::tui::message::{Answer, News};
use crate::tui::state::document::Use;
use crate::tui::state::tree::Against;
use crate::workspace::{Need, TaskRef, compared};

impl WorkerState {
    /// The dependencies of the reference code, and their uses in the target, sorted by position. The dependencies that
    /// the benchmark labels come first. The dependencies that only the analysis finds follow.
    pub(super) fn dependencies(&self, task: TaskRef, cancel: &Cancel) -> Result<Answer> {
        let needs = self.studies.needs(&*self.workspace()?, task, cancel)?;
        let places = needs.iter().enumerate().flat_map(|(index, need)| {
            need.uses.iter().map(move |place| Use {
                line: place.line,
                bytes: place.columns.0 as usize..place.columns.1 as usize,
                dependency_type: need.dependency_type,
                dependency: index,
            })
        });
        let mut uses: Vec<Use> = places.collect();
        uses.sort_by_key(|place| (place.line, place.bytes.start));
        Ok(Answer::Dependencies(needs, uses))
    }

    /// The dependencies of the task's dependency `namespace`.
    pub(super) fn in_turn(
        &self,
        task: TaskRef,
        namespace: &Namespace,
        cancel: &Cancel,
    ) -> Result<Answer> {
        let workspace = self.workspace()?;
        let needs = self.studies.in_turn(&workspace, task, namespace, cancel)?;
        Ok(Answer::InTurn(namespace.clone(), needs))
    }

    /// The dependencies of a completion, compared with `needs`, the dependencies of the reference code.
    pub(super) fn against(
        &self,
        (task, completion): (TaskRef, usize),
        needs: &Arc<[Need]>,
        cancel: &Cancel,
    ) -> Result<Answer> {
        let workspace = self.workspace()?;
        let chosen = workspace
            .completions(task)?
            .get(completion)
            .ok_or_else(|| Error::internal("no such completion"))?;
        let text = workspace.completion_text(task, chosen)?;
        let written = self
            .studies
            .needs_of_completion(&workspace, task, &text, cancel)?;
        let used = written.map(|written| compared(needs, &written));
        Ok(Answer::Against(Against { completion, used }))
    }

    /// Looks up since when each dependency in `needs` exists, and reports the results one by one.
    pub(super) fn since(
        &self,
        task: TaskRef,
        needs: &Arc<[Need]>,
        cancel: &Cancel,
        report: &(dyn Fn(News) + Sync),
    ) -> Result<Answer> {
        let workspace = self.workspace()?;
        let mut report = |index: usize, since| {
            report(News::Since(needs[index].namespace.clone(), since));
        };
        workspace.since(self.contexts(), task, needs, cancel, &mut report)?;
        Ok(Answer::Since)
    }
}
