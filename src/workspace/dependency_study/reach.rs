//! How far each task's code reaches, and the dependency level that follows from it.

use serde::Serialize;

use crate::benchmark::{Language, Level, Verdict};
use crate::code::{DependencyResolver, DependencyScope, reach_of_code};
use crate::error::{Cancel, Result};
use crate::workspace::{Analyses, TaskRef, Workspace};

/// What a reach was determined from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReachSource {
    /// The target in its project.
    Project,
    /// The reference code alone.
    ReferenceCode,
    /// A passing sample alone, where no reference code is known.
    PassingSample,
}

/// How far a task's code reaches, and its level.
#[derive(Debug, Clone)]
pub struct ReachStudy {
    /// How far it reaches.
    pub reach: DependencyScope,
    /// What it was determined from.
    pub source: ReachSource,
    /// The level that follows, in the scale of the task's label; without a label, in `CoderEval`'s scale.
    pub level: Level,
}

/// The level of a reach, in the scale of `labelled`; without a label, in `CoderEval`'s scale.
pub(super) fn level_like(labelled: Option<Level>, reach: &DependencyScope) -> Level {
    match labelled {
        Some(Level::Standalone | Level::IntraClass | Level::InterClass) => reach.human_evo(),
        _ => reach.coder_eval(),
    }
}

impl Analyses {
    /// How far a task's code reaches. `None` where there are no sources, no reference code and no passing sample.
    /// Errors when a record or a completion cannot be read.
    pub fn reach(
        &self,
        workspace: &Workspace,
        at: TaskRef,
        cancel: &Cancel,
    ) -> Result<Option<ReachStudy>> {
        let found = match self.reach_in_project(workspace, at, cancel) {
            Some(reach) => Some((reach, ReachSource::Project)),
            None => reach_alone(workspace, at)?,
        };
        let label = workspace.task(at).level;
        Ok(found.map(|(reach, source)| ReachStudy {
            level: level_like(label, &reach),
            reach,
            source,
        }))
    }

    /// What the target reaches in its project; `None` where the sources or the target are missing.
    fn reach_in_project(
        &self,
        workspace: &Workspace,
        at: TaskRef,
        cancel: &Cancel,
    ) -> Option<DependencyScope> {
        workspace.source_root(at)?;
        if workspace.task(at).language == Language::Java {
            return Some(self.java(workspace, at, cancel).ok()?.1);
        }
        let target = self.target(workspace, at, cancel).ok()?;
        DependencyResolver::new(&target.project).reach(&target.path, &target.definition, None)
    }
}

/// How far the reference code reaches, or else a passing sample, as far as that can be seen without the project.
fn reach_alone(
    workspace: &Workspace,
    at: TaskRef,
) -> Result<Option<(DependencyScope, ReachSource)>> {
    let language = workspace.task(at).language;
    if let Some(code) = workspace.detail(at)?.reference_code {
        let reach = reach_of_code(language, &code, None);
        return Ok(Some((reach, ReachSource::ReferenceCode)));
    }
    let mut completions = workspace.completions(at)?.iter();
    let passing = completions.find(|completion| completion.released == Some(Verdict::Pass));
    let code = passing.map(|completion| workspace.completion_text(at, completion));
    let code = code.transpose()?;
    Ok(code.map(|code| {
        let reach = reach_of_code(language, &code, None);
        (reach, ReachSource::PassingSample)
    }))
}
