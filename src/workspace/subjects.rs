//! Tasks prepared for evaluation: from what is open to what the evaluation module takes.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::benchmarks::TaskRef;
use super::open::Workspace;
use crate::benchmark::{Language, LineSpan, RepoPath};
use crate::code::AnchorState;
use crate::environment::ProjectFiles;
use crate::error::{Cancel, Error, Result};
use crate::evaluation::Subject;

/// Makes subjects; tasks of the same project share its file list.
pub struct Subjects<'a> {
    workspace: &'a Workspace,
    projects: HashMap<(u32, Arc<str>), Arc<ProjectFiles>>,
    cancel: Cancel,
}

impl Workspace {
    /// The name by which evaluation knows the task's project.
    pub(super) fn project_label(&self, at: TaskRef) -> String {
        format!("{}-{}", self.benchmark(at).name(), self.task(at).project)
    }
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

    /// The task, prepared. Errors where it cannot be evaluated: no sources, no target found in them, no tests,
    /// a language other than Python.
    pub fn subject(&mut self, at: TaskRef) -> Result<Arc<Subject>> {
        let target = TargetPlace::find(self.workspace, at)?;
        self.made(at, target)
    }

    /// The tasks, prepared; their sources are read in parallel. Each as [`subject`](Self::subject) makes it.
    pub fn subjects(&mut self, tasks: &[TaskRef]) -> Vec<Result<Arc<Subject>>> {
        let (workspace, cancel) = (self.workspace, &self.cancel);
        let targets: Vec<Result<TargetPlace>> = tasks
            .par_iter()
            .map(|at| {
                cancel.check()?;
                TargetPlace::find(workspace, *at)
            })
            .collect();
        let found = tasks.iter().zip(targets);
        found.map(|(at, target)| self.made(*at, target?)).collect()
    }

    fn made(&mut self, at: TaskRef, target: TargetPlace) -> Result<Arc<Subject>> {
        let task = self.workspace.task(at);
        Ok(Arc::new(Subject {
            id: task.id.clone(),
            namespace: task.namespace.clone(),
            format: self.workspace.benchmark(at).format(),
            project: self.project(at)?,
            path: task.path.clone(),
            body: target.body,
            indent: target.indent,
            tests: target.tests,
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
        let label = self.workspace.project_label(at);
        let mut files = ProjectFiles::list(&label, &root, &targets, &self.cancel)?;
        if let Some(entry) = benchmark.projects.entry(name) {
            files = files.with_folders(&entry.folders)?;
            if let Some(folder) = &entry.files {
                files = files.with_files(folder, &self.cancel)?;
            }
        }
        let project = Arc::new(files);
        self.projects.insert(key, Arc::clone(&project));
        Ok(project)
    }
}

/// Where a task's target is, and what tests it.
struct TargetPlace {
    body: LineSpan,
    indent: u32,
    tests: Vec<String>,
}

impl TargetPlace {
    fn find(workspace: &Workspace, at: TaskRef) -> Result<Self> {
        let task = workspace.task(at);
        if task.language != Language::Python {
            return Err(
                Error::user(format!("'{}' is not a Python task", task.id)).hint(
                    "evaluation runs Python tasks; released verdicts of the others can be scored",
                ),
            );
        }
        let source = workspace.source_text(at)?;
        let anchor = source.anchor(task);
        let (Some(place), true) = (anchor.position(), anchor.state != AnchorState::Missing) else {
            return Err(Error::data(format!(
                "the target of '{}' is not in {}",
                task.id, task.path
            ))
            .at(source.path()));
        };
        let detail = workspace.detail(at)?;
        let line = source.line(place.signature.first());
        let column = line.len() - line.trim_start().len();
        let indent = detail
            .indent
            .unwrap_or_else(|| u32::try_from(column + 4).unwrap_or(4));
        Ok(Self {
            body: place.body,
            indent,
            tests: detail.tests,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_prepared_in_parallel_equal_those_prepared_in_sequence() {
        let workspace = Workspace::sample().unwrap();
        let cancel = Cancel::default();
        let tasks: Vec<TaskRef> = workspace.tasks().map(|(at, _)| at).collect();
        let together = Subjects::new(&workspace, &cancel).subjects(&tasks);
        let mut subjects = Subjects::new(&workspace, &cancel);
        let in_turn: Vec<_> = tasks.iter().map(|at| subjects.subject(*at)).collect();
        let texts = |made: &[Result<Arc<Subject>>]| -> Vec<String> {
            let texts = made.iter().map(|subject| match subject {
                Ok(subject) => format!("{} {:?} {:?}", subject.id, subject.body, subject.tests),
                Err(why) => why.to_string(),
            });
            texts.collect()
        };
        assert_eq!(texts(&together), texts(&in_turn));
        assert!(together.iter().any(Result::is_ok));
    }
}
