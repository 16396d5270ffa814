//! Runs of one task: which files, which tests, in how many processes.

use std::borrow::Cow;
use std::sync::Arc;

use super::counter_test::{CounterTests, Observed, ObservedFailure, Outcomes, Variant, stub_body};
use super::runner::{Live, Outcome, RunFile, RunReport, RunRequest};
use super::sandbox::{Limits, SandboxKind};
use super::subject::Subject;
use crate::benchmark::{Language, RepoPath};
use crate::error::{Cancel, Result};

use super::baseline::Baseline;

/// Where runs are made: a session that is opened when it is needed, and again when it is lost.
pub(super) trait RunHost {
    /// Makes a run.
    fn run(&mut self, request: &RunRequest, live: &mut dyn FnMut(Live)) -> Result<RunReport>;
    /// Has these libraries loaded before further runs start; `None` for none at all.
    fn use_libraries(&mut self, modules: Option<&[String]>);
    /// Has no library loaded before further runs start. False where none was.
    fn discard_libraries(&mut self) -> bool;
    /// The kind of the sandbox.
    fn kind(&self) -> SandboxKind;
    /// Limits that this machine could not set, in words.
    fn missing_limits(&self) -> Vec<String>;
    /// The flag that ends everything.
    fn cancel(&self) -> &Cancel;
}

/// Runs of one task.
pub(super) struct TaskRunner<'a> {
    pub task: &'a Arc<Subject>,
    pub limits: Limits,
    pub host: &'a mut dyn RunHost,
    /// How often the reference is run, to find flaky tests.
    pub repeats: u32,
}

/// What replaces the target.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body<'a> {
    /// The developers' own code.
    Reference,
    /// What raises an exception.
    Stub,
    /// A model's code.
    Completion(&'a str),
}

impl Body<'_> {
    /// The text; `None` where the target stays as it is.
    pub fn text(&self, language: Language) -> Option<&str> {
        match self {
            Self::Reference => None,
            Self::Stub => Some(stub_body(language)),
            Self::Completion(text) => Some(text),
        }
    }
}

/// The entries of a task's list that are run, and whether the run reports what it has loaded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tests<'a> {
    entries: &'a [String],
    inventory: bool,
    end_when_failed: bool,
}

impl<'a> Tests<'a> {
    pub fn all(entries: &'a [String]) -> Self {
        Self {
            entries,
            inventory: false,
            end_when_failed: false,
        }
    }

    /// The tests of a task in a run that has to fail: what a failed test leaves running is not waited for. How the process
    /// ends is seen in the run of the tests as written.
    pub fn failing(entries: &'a [String]) -> Self {
        Self {
            end_when_failed: true,
            ..Self::all(entries)
        }
    }

    /// The tests of a task for a run of a variant.
    pub fn of_variant(entries: &'a [String], variant: &Variant) -> Self {
        Self {
            end_when_failed: variant.changes_all(),
            ..Self::all(entries)
        }
    }

    pub fn with_inventory(entries: &'a [String]) -> Self {
        Self {
            entries,
            inventory: true,
            end_when_failed: false,
        }
    }
}

impl TaskRunner<'_> {
    /// A run of some code with some test files changed, in as many processes as the baseline asks for.
    pub fn run(
        &mut self,
        body: Body,
        baseline: &Baseline,
        changed: &[(RepoPath, String)],
        tests: Tests,
    ) -> Result<RunReport> {
        self.run_live(body, baseline, changed, tests, &mut |_| {})
    }

    /// A run of a variant of the task's tests.
    pub fn run_variant(
        &mut self,
        body: Body,
        baseline: &Baseline,
        counter_tests: &CounterTests,
        variant: &Variant,
    ) -> Result<RunReport> {
        let task = self.task;
        let changed = counter_tests.files(variant, &**task)?;
        let tests = Tests::of_variant(&task.tests, variant);
        self.run(body, baseline, &changed, tests)
    }

    /// The same as [`Self::run`], with what happens reported at once.
    pub fn run_live(
        &mut self,
        body: Body,
        baseline: &Baseline,
        changed: &[(RepoPath, String)],
        tests: Tests,
        live: &mut dyn FnMut(Live),
    ) -> Result<RunReport> {
        if baseline.separate {
            self.run_separately(body, baseline, changed, tests, live)
        } else {
            self.run_together(body, baseline, changed, tests, live)
        }
    }

    /// A process for each entry, up to the first that fails unless all are wanted; one report of all.
    pub fn run_separately(
        &mut self,
        body: Body,
        baseline: &Baseline,
        changed: &[(RepoPath, String)],
        tests: Tests,
        live: &mut dyn FnMut(Live),
    ) -> Result<RunReport> {
        let mut whole: Option<RunReport> = None;
        for entry in tests.entries {
            let one = Tests {
                entries: std::slice::from_ref(entry),
                ..tests
            };
            let report = self.run_together(body, baseline, changed, one, live)?;
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
        body: Body,
        baseline: &Baseline,
        changed: &[(RepoPath, String)],
        tests: Tests,
        live: &mut dyn FnMut(Live),
    ) -> Result<RunReport> {
        let task = self.task;
        let import_roots = task.project.import_roots(&task.path);
        let target = task.with_code(body.text(task.language))?;
        let reference = if tests.inventory {
            Some(task.reference_body()?)
        } else {
            None
        };
        let mut files = vec![self.file(&task.path, Cow::Owned(target))];
        for (path, text) in changed {
            files.retain(|file| file.path != path);
            files.push(self.file(path, Cow::Borrowed(text.as_bytes())));
        }
        let request = RunRequest {
            target: &task.path,
            files,
            tests: tests.entries,
            arguments: &baseline.arguments,
            import_roots: &import_roots,
            limits: self.limits,
            end_when_failed: tests.end_when_failed,
            inventory: reference.as_deref(),
        };
        self.host.cancel().check()?;
        self.host.run(&request, live)
    }

    pub(super) fn file<'f>(&self, path: &'f RepoPath, text: Cow<'f, [u8]>) -> RunFile<'f> {
        RunFile {
            path,
            text,
            executable: self.task.project.is_executable(path),
        }
    }
}

/// The outcomes of a run, as the counter-tests need them.
pub(super) fn outcomes(report: &RunReport) -> Outcomes {
    let outcomes = report.tests.values().map(|test| {
        let observed = match test.outcome {
            Outcome::Passed => Observed::Passed,
            Outcome::Failed => {
                let failure = test.failure.clone().unwrap_or_default();
                let places = failure.frames.into_iter();
                let places = places.map(|(file, line, _)| (file, line)).collect();
                Observed::Failed(ObservedFailure::new(&failure.when, &failure.error, places))
            }
            _ => Observed::Other,
        };
        (test.id.clone(), observed)
    });
    outcomes.collect()
}

/// Whether a reference's run shows nothing but passes and skips, and at least one pass.
pub(super) fn reference_passes(report: &RunReport) -> bool {
    let mut outcomes = report.tests.values().map(|test| test.outcome);
    ended_well(report) && outcomes.any(|outcome| outcome == Outcome::Passed)
}

/// Whether a run ended in order and nothing in it failed. pytest's status may be a failure all the same: a plugin may
/// have counted one that is no test's, as of too little coverage.
pub(super) fn ended_well(report: &RunReport) -> bool {
    let fine = |outcome| {
        matches!(
            outcome,
            Outcome::Passed | Outcome::Skipped | Outcome::Xfailed | Outcome::Xpassed
        )
    };
    let in_order = report.code == Some(0) || report.code == Some(1) && report.finished == Some(1);
    in_order
        && report.loss.is_none()
        && report.killed.is_none()
        && !report.foreign_reports
        && report.collection_errors.is_empty()
        && report.tests.values().all(|test| fine(test.outcome))
}
