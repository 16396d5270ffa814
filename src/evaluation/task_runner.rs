//! Runs of one task: which files, which tests, in how many processes.

use std::borrow::Cow;
use std::sync::Arc;

use super::counter_test::{CounterTests, Variant, stub_body};
use super::runner::{RunFile, RunReport, RunRequest, Runner};
use super::sandbox::Limits;
use super::subject::Subject;
use crate::benchmark::RepoPath;
use crate::code::import_roots;
use crate::error::Result;

use super::baseline::Baseline;

/// Runs of one task.
pub(super) struct TaskRunner<'a> {
    pub task: &'a Arc<Subject>,
    pub limits: Limits,
    pub runner: &'a mut dyn Runner,
    /// How often the reference is run, to find flaky tests.
    pub repeats: u32,
}

/// What replaces the target.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body<'a> {
    /// Nothing: every file is as it is in the project that the host is prepared for.
    Untouched,
    /// The developers' own code.
    Reference,
    /// What raises an exception.
    Stub,
    /// A model's code.
    Completion(&'a str),
}

/// One run of a task, in as many processes as its baseline asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskRun<'a> {
    pub body: Body<'a>,
    /// Test files with other texts.
    pub changed: &'a [(RepoPath, String)],
    /// The entries of the task's list that are run.
    pub entries: &'a [String],
    /// Whether the run reports what it has loaded.
    pub inventory: bool,
    /// Whether what a failed test leaves running is not waited for: in a run that has to fail. How the process ends is seen
    /// in the run of the tests as written.
    pub end_when_failed: bool,
}

impl<'a> TaskRun<'a> {
    /// A run of some code with these entries as written.
    pub fn of(body: Body<'a>, entries: &'a [String]) -> Self {
        Self {
            body,
            changed: &[],
            entries,
            inventory: false,
            end_when_failed: false,
        }
    }

    /// A run that has to fail.
    pub fn failing(body: Body<'a>, entries: &'a [String]) -> Self {
        Self {
            end_when_failed: true,
            ..Self::of(body, entries)
        }
    }
}

impl TaskRunner<'_> {
    /// Makes a run.
    pub fn run(&mut self, run: TaskRun, baseline: &Baseline) -> Result<RunReport> {
        self.run_logged(run, baseline, &mut |_| {})
    }

    /// A run of some code with a variant of the task's tests.
    pub fn run_variant(
        &mut self,
        body: Body,
        baseline: &Baseline,
        (tests, variant): (&CounterTests, &Variant),
        log: &mut dyn FnMut(&[u8]),
    ) -> Result<RunReport> {
        let run = TaskRun {
            changed: &tests.files(variant, &**self.task)?,
            end_when_failed: variant.changes_all(),
            ..TaskRun::of(body, &self.task.tests)
        };
        self.run_logged(run, baseline, log)
    }

    /// Makes a run, with what it prints reported at once. Where each entry has a process of its own, one report of all.
    fn run_logged(
        &mut self,
        run: TaskRun,
        baseline: &Baseline,
        log: &mut dyn FnMut(&[u8]),
    ) -> Result<RunReport> {
        if !baseline.separate {
            return self.run_together(run, baseline, log);
        }
        let mut whole: Option<RunReport> = None;
        for entry in run.entries {
            let entries = std::slice::from_ref(entry);
            let report = self.run_together(TaskRun { entries, ..run }, baseline, log)?;
            whole = Some(match whole {
                None => report,
                Some(before) => before.joined(report),
            });
        }
        Ok(whole.unwrap_or_default())
    }

    /// All entries in one process.
    pub fn run_together(
        &mut self,
        run: TaskRun,
        baseline: &Baseline,
        log: &mut dyn FnMut(&[u8]),
    ) -> Result<RunReport> {
        let task = self.task;
        let target = match run.body {
            Body::Untouched => None,
            Body::Reference => Some(task.with_code(None)?),
            Body::Stub => Some(task.with_code(Some(stub_body(task.language)))?),
            Body::Completion(text) => Some(task.with_code(Some(text))?),
        };
        let body = run.inventory.then(|| task.reference_body()).transpose()?;
        let mut files: Vec<RunFile> = Vec::new();
        files.extend(target.map(|text| self.file(&task.path, Cow::Owned(text))));
        for (path, text) in run.changed {
            files.retain(|file| file.path != path);
            files.push(self.file(path, Cow::Borrowed(text.as_bytes())));
        }
        let request = RunRequest {
            target: &task.path,
            files,
            tests: run.entries,
            arguments: &baseline.arguments,
            import_roots: &import_roots(&task.project.tree, &task.path),
            limits: self.limits,
            end_when_failed: run.end_when_failed,
            inventory: body.as_deref(),
            loaded: &baseline.loaded,
            without_libraries: baseline.without_preload,
        };
        self.runner.cancel().check()?;
        self.runner.run(&request, log)
    }

    fn file<'f>(&self, path: &'f RepoPath, text: Cow<'f, [u8]>) -> RunFile<'f> {
        RunFile {
            path,
            text,
            executable: self.task.project.is_executable(path),
        }
    }
}
