//! Tasks made ready to be evaluated: from what is open to what the evaluation room takes.

use std::collections::HashMap;
use std::sync::Arc;

use super::benchmarks::TaskRef;
use super::open::Workspace;
use crate::benchmark::{Language, RepoPath};
use crate::code::AnchorState;
use crate::error::{Cancel, Error, Result};
use crate::evaluation::{ProjectFiles, Subject};

/// Makes subjects; tasks of the same project share its file list.
pub struct Subjects<'a> {
    workspace: &'a Workspace,
    projects: HashMap<(u32, Arc<str>), Arc<ProjectFiles>>,
    cancel: Cancel,
}

impl<'a> Subjects<'a> {
    /// A maker for tasks of `workspace`.
    pub fn new(workspace: &'a Workspace, cancel: &Cancel) -> Self {
        Self {
            workspace,
            projects: HashMap::new(),
            cancel: cancel.clone(),
        }
    }

    /// The task made ready. Errors where it cannot be evaluated: no sources at hand, no target found in them, no tests,
    /// a language other than Python.
    pub fn subject(&mut self, at: TaskRef) -> Result<Arc<Subject>> {
        let task = self.workspace.task(at);
        if task.language != Language::Python {
            return Err(
                Error::user(format!("'{}' is not a Python task", task.id)).hint(
                    "evaluation runs Python tasks; released verdicts of the others can be scored",
                ),
            );
        }
        let source = self.workspace.source_text(at)?;
        let anchor = source.anchor(task);
        let (Some(place), true) = (anchor.position(), anchor.state != AnchorState::Missing) else {
            return Err(Error::data(format!(
                "the target of '{}' is not in {}",
                task.id, task.path
            ))
            .at(source.path()));
        };
        let detail = self.workspace.detail(at)?;
        let line = source.line(place.signature.first());
        let column = line.len() - line.trim_start().len();
        let indent = detail
            .indent
            .unwrap_or_else(|| u32::try_from(column + 4).unwrap_or(4));
        Ok(Arc::new(Subject {
            id: task.id.clone(),
            namespace: task.namespace.clone(),
            format: self.workspace.benchmark(at).format(),
            project: self.project(at)?,
            path: task.path.clone(),
            body: place.body,
            indent,
            tests: detail.tests,
        }))
    }

    fn project(&mut self, at: TaskRef) -> Result<Arc<ProjectFiles>> {
        let name = &self.workspace.task(at).project;
        let key = (at.benchmark, Arc::clone(name));
        if let Some(project) = self.projects.get(&key) {
            return Ok(Arc::clone(project));
        }
        let benchmark = self.workspace.benchmark(at);
        let root = self
            .workspace
            .source_root(at)
            .ok_or_else(|| Error::internal("a task with a source and without a root"))?;
        let targets: Vec<RepoPath> = benchmark
            .tasks()
            .iter()
            .filter(|task| task.project == *name)
            .map(|task| task.path.clone())
            .collect();
        let label = format!("{}-{name}", benchmark.name());
        let project = Arc::new(ProjectFiles::list(&label, &root, &targets, &self.cancel)?);
        self.projects.insert(key, Arc::clone(&project));
        Ok(project)
    }
}
