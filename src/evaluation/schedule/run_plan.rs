//! The plan of a run, its settings and events, and how it is cancelled and paused.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::baseline::Baseline;
use super::super::sandbox::Limits;
use super::super::subject::{Subject, Submission};
use super::super::verdict::CompletionVerdict;
use crate::benchmark::{Format, TaskId};
use crate::environment::Environment;
use crate::error::Cancel;

/// The settings of a run, including deviations from the official limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// How many completions run in parallel; at least 1.
    pub jobs: usize,
    /// How many pairs of runs must agree for a pass; at least 1.
    pub rounds: u32,
    /// How often a reference is run to find flaky tests; at least 1.
    pub repeats: u32,
    /// The time limit of a task's list of tests in seconds; `None` means the official limit.
    pub seconds: Option<u64>,
    /// The memory limit in bytes; `None` means the official limit.
    pub memory: Option<u64>,
    /// The maximum number of processes and threads of a run.
    pub processes: u32,
    /// The size of the scratch space in bytes.
    pub disk: u64,
}

impl Default for Settings {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            jobs: 1,
            rounds: 1,
            repeats: 2,
            seconds: None,
            memory: None,
            processes: limits.processes,
            disk: limits.disk,
        }
    }
}

impl Settings {
    /// The limits of a task with this many tests.
    pub fn limits(&self, format: Format, tests: usize) -> Limits {
        let official = format.time_limits(tests);
        let own = |seconds| (Duration::from_secs(seconds), None);
        let (total, each_test) = self.seconds.map_or(official, own);
        Limits {
            memory: self.memory.unwrap_or(Limits::default().memory),
            processes: self.processes,
            disk: self.disk,
            total,
            each_test,
        }
    }

    /// The settings that a baseline depends on, as text for its key.
    pub(super) fn identity(&self) -> String {
        format!(
            "{:?} {:?} {} {} {}",
            self.seconds, self.memory, self.processes, self.disk, self.repeats
        )
    }
}

/// What to evaluate, and in which environments.
pub struct RunPlan {
    /// The run's name, stored in its records.
    pub run: String,
    /// The completions.
    pub submissions: Vec<Submission>,
    /// Tasks with a baseline to report.
    pub baselines: Vec<Arc<Subject>>,
    /// Each project's environment, by [`ProjectFiles::name`].
    pub environments: HashMap<String, Environment>,
    /// The settings.
    pub settings: Settings,
}

/// What happens during a run. Plain data; text from a sandbox is raw and hostile.
#[derive(Debug, Clone)]
pub enum RunEvent {
    /// The run has been planned.
    Queued {
        /// The number of completions, plus the number of baselines to report.
        total: usize,
        /// The number of completions that already have a verdict in the store.
        known: usize,
    },
    /// A task's baseline is being found.
    Preparing {
        /// The task.
        task: TaskId,
        /// The current step.
        step: PreparingStep,
    },
    /// The baseline of a task in [`RunPlan::baselines`].
    Baseline {
        /// The task.
        task: TaskId,
        /// What its reference and stub showed.
        baseline: Box<Baseline>,
        /// Whether it was in the store.
        known: bool,
    },
    /// Completions of a task cannot be evaluated.
    Unusable {
        /// The task.
        task: TaskId,
        /// Why.
        reason: String,
    },
    /// A completion is being run.
    Started {
        /// The submission's number.
        number: usize,
    },
    /// A completion printed something.
    Log {
        /// The submission's number.
        number: usize,
        /// Raw bytes.
        bytes: Vec<u8>,
    },
    /// A completion has its verdict.
    Verdict {
        /// The submission's number.
        number: usize,
        /// The verdict with its evidence.
        verdict: Box<CompletionVerdict>,
        /// Whether it was in the store.
        known: bool,
    },
    /// A message for the user: a limit that could not be set.
    Notice(String),
}

/// A step in finding a task's baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreparingStep {
    /// A run that finds the task's tests.
    FindingTests {
        /// The run's number, from 1.
        run: usize,
        /// How many runs there are.
        of: usize,
        /// The run's time limit in seconds.
        limit: u64,
    },
    /// A run of an instance's tests at its base commit.
    AtBase,
    /// The runs of the reference, the stub and the changed tests.
    Baseline,
}

impl PreparingStep {
    /// The step for a task, in words.
    pub fn of_task(self, task: &TaskId) -> String {
        match self {
            Self::FindingTests { run, of, limit } => {
                format!("finding tests of {task}: run {run} of {of}, each of at most {limit} s")
            }
            Self::AtBase => format!("{task}: running its tests at the base commit"),
            Self::Baseline => {
                format!("{task}: running the reference, the stub and the counter-test")
            }
        }
    }

    /// Whether this step begins a search for tests, which may take minutes.
    pub fn begins_search(self) -> bool {
        matches!(self, Self::FindingTests { run: 1, .. })
    }
}

/// Cancels and pauses a run.
#[derive(Debug, Clone, Default)]
pub struct Control {
    /// Cancels the run. Evoscope does not discard the verdicts so far.
    pub cancel: Cancel,
    paused: Arc<AtomicBool>,
}

impl Control {
    /// Pauses the run before its next piece of work, or resumes it.
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    /// Whether the run is paused.
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }
}
