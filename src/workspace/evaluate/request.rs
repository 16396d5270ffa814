//! What an evaluation is asked for, what it reports, and what it adds up to.

use std::path::PathBuf;
use std::time::Duration;

use super::candidates::Candidate;
use super::result_line::ResultLine;
use crate::benchmark::{TaskId, Verdict};
use crate::cluster::JobOptions;
use crate::error::{Error, Result};
use crate::evaluation::{
    Baseline, CompletionVerdict, DiscoveredTests, InstanceOutcome, PreparingStep,
};
use crate::workspace::{StartingSandbox, TaskRef};

/// What is evaluated.
pub enum EvaluationInput {
    /// Only the baselines of these tasks: whether each task can be evaluated here, and why not.
    Baselines(Vec<TaskRef>),
    /// Completions. Events number them by their index.
    Completions(Vec<Candidate>),
}

/// An evaluation.
pub struct EvaluationRequest {
    /// What is evaluated.
    pub input: EvaluationInput,
    /// Where it runs.
    pub sandbox: StartingSandbox,
    /// How it runs.
    pub options: EvaluationOptions,
}

/// How an evaluation runs.
#[derive(Debug, Clone)]
pub struct EvaluationOptions {
    /// How many completions run in parallel; at least 1.
    pub jobs: usize,
    /// How often each completion is run with each variant of its tests; at least 1.
    pub rounds: u32,
    /// The container image, instead of the one that `evoscope.toml` names.
    pub image: Option<String>,
    /// Seconds for a task's tests, instead of the benchmark's own limit.
    pub seconds: Option<u64>,
    /// Bytes of memory, instead of the benchmark's own limit.
    pub memory: Option<u64>,
    /// The result file to write, in the official format with our fields added. An existing one is continued.
    pub results: Option<PathBuf>,
    /// The file to write in the form of CoderEval's released samples with verdicts; one that exists is replaced.
    pub released: Option<PathBuf>,
    /// Whether the rows of an existing result file are dropped instead.
    pub overwrite: bool,
    /// Whether results hold the official evaluator's verdict next to ours.
    pub as_official: bool,
    /// Whether all test files of a project decide, instead of the tests of its patch (HumanEvo).
    pub whole_tests: bool,
    /// The cluster that runs the completions, instead of this machine.
    pub cluster: Option<ClusterRequest>,
}

/// Where an evaluation runs that is done on a cluster.
#[derive(Debug, Clone)]
pub struct ClusterRequest {
    /// What the paths were that the workspace was opened from, absolute; none for the built-in sample.
    pub paths: Vec<PathBuf>,
    /// What is asked of the scheduler.
    pub jobs: JobOptions,
    /// Whether only the batch script is made.
    pub dry_run: bool,
    /// How often the state is looked at.
    pub every: Duration,
}

/// How far an evaluation on a cluster is.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct ClusterProgress {
    /// The run's folder.
    pub run: PathBuf,
    /// The nodes that work.
    pub nodes: Vec<String>,
    /// Jobs that wait.
    pub queued: usize,
    /// Why they wait, in the scheduler's words.
    pub reason: Option<String>,
    /// Jobs that run.
    pub running: usize,
    /// Completions with a verdict.
    pub finished: usize,
    /// All completions.
    pub total: usize,
    /// The pieces that the run is divided into; all are 0 where nothing had to be submitted.
    pub pieces: PieceCounts,
    /// Workers that could not run a completion, in the order in which that was seen.
    pub failures: Vec<FailedWorker>,
    /// Verdicts a minute since the command began.
    pub rate: f64,
    /// Seconds left at that rate.
    pub seconds_left: Option<f64>,
}

impl ClusterProgress {
    /// What the jobs do, for people: `3 jobs run on n1, n2; 1 waits (Resources); pieces: 5 of 40 finished, 3 running`.
    pub fn jobs_line(&self) -> String {
        let (jobs, run) = if self.running == 1 {
            ("job", "runs")
        } else {
            ("jobs", "run")
        };
        // A message has one line, and a cluster may have hundreds of nodes.
        let shown: Vec<&str> = self.nodes.iter().take(4).map(String::as_str).collect();
        let on = match self.nodes.len() - shown.len() {
            _ if shown.is_empty() => String::new(),
            0 => format!(" on {}", shown.join(", ")),
            more => format!(" on {} and {more} more nodes", shown.join(", ")),
        };
        let mut parts = vec![format!("{} {jobs} {run}{on}", self.running)];
        if self.queued > 0 {
            let wait = if self.queued == 1 { "waits" } else { "wait" };
            let reason = self.reason.as_ref().map(|why| format!(" ({why})"));
            parts.push(format!(
                "{} {wait}{}",
                self.queued,
                reason.unwrap_or_default()
            ));
        }
        if self.pieces.total() > 0 {
            let PieceCounts {
                running, finished, ..
            } = self.pieces;
            let total = self.pieces.total();
            parts.push(format!(
                "pieces: {finished} of {total} finished, {running} running"
            ));
        }
        parts.join("; ")
    }

    /// How far the run is, in a line.
    pub fn line(&self) -> String {
        let left = self
            .seconds_left
            .map(|seconds| format!(", {:.0} min left", seconds / 60.0));
        format!(
            "{} of {} finished, {:.0} a minute{}; {}",
            self.finished,
            self.total,
            self.rate,
            left.unwrap_or_default(),
            self.jobs_line()
        )
    }
}

/// What became of the pieces of a run on a cluster.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct PieceCounts {
    /// No worker has taken them.
    pub queued: usize,
    /// A worker has taken them, and they are not finished.
    pub running: usize,
    /// All their completions have verdicts.
    pub finished: usize,
}

impl PieceCounts {
    /// All pieces.
    pub fn total(&self) -> usize {
        self.queued + self.running + self.finished
    }
}

/// A worker on a node that could not run a completion.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FailedWorker {
    /// The worker's name.
    pub worker: String,
    /// Its node, where its name says so.
    pub node: Option<String>,
    /// Why it could not. Text from a sandbox, raw.
    pub reason: String,
    /// The file that its job writes its messages to.
    pub log: PathBuf,
}

impl Default for EvaluationOptions {
    fn default() -> Self {
        Self {
            jobs: 1,
            rounds: 1,
            image: None,
            seconds: None,
            memory: None,
            results: None,
            released: None,
            overwrite: false,
            as_official: false,
            whole_tests: false,
            cluster: None,
        }
    }
}

/// What happens during an evaluation. Text from a sandbox is raw and hostile.
pub enum EvaluationEvent<'a> {
    /// The sandbox is open.
    Sandbox {
        /// Its name.
        name: &'static str,
        /// Why containers, the first choice, are not used.
        instead: Option<Error>,
    },
    /// A task cannot be evaluated.
    TaskExcluded {
        /// Its completions.
        numbers: Vec<usize>,
        /// Why.
        why: Error,
    },
    /// The environments of projects cannot be built, all for the same reason.
    ProjectsExcluded {
        /// The projects, as evaluation names them.
        projects: Vec<String>,
        /// Their completions.
        numbers: Vec<usize>,
        /// The step that failed.
        why: Error,
    },
    /// A step of building a project's environment.
    Building {
        /// A task of the project.
        task: TaskRef,
        /// What is done.
        step: &'a str,
    },
    /// The completions begin to run.
    Queued {
        /// How many there are.
        total: usize,
        /// How many of them have a verdict from an earlier run.
        known: usize,
    },
    /// A step on the way to a task's baseline.
    Preparing(TaskId, PreparingStep),
    /// A task's baseline shows that it cannot be used.
    Unusable(TaskId, String),
    /// What a task's baseline showed, where only baselines are run.
    Baseline(BaselineReport),
    /// A completion is being run.
    Started(usize),
    /// It printed something.
    Printed(usize, Vec<u8>),
    /// It has its verdict.
    Verdict {
        /// Its number.
        number: usize,
        /// The verdict and what led to it.
        judgement: &'a CompletionVerdict,
        /// Whether it is from an earlier run.
        known: bool,
        /// Its line in the result file.
        line: &'a ResultLine<'a>,
    },
    /// The batch script, where only that is asked for.
    Script(String),
    /// How far an evaluation on a cluster is.
    Cluster(&'a ClusterProgress),
    /// A retry, or a limit that could not be set.
    Notice(String),
}

/// What a task's baseline showed.
#[derive(Debug, Clone, serde::Serialize)]
pub struct BaselineReport {
    /// The task.
    pub task: TaskId,
    /// Whether its completions can be evaluated here.
    pub usable: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The setting that would make it usable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// Whether the reference code passes.
    pub reference_ok: bool,
    /// Whether the empty stub fails.
    pub stub_fails: bool,
    /// In how many of its tests an expectation can be changed.
    pub counter_tests: u32,
    /// The tests that were found for it, where its record names none.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub discovered: Option<DiscoveredTests>,
    /// How the tests of an instance end at its base commit and with the production patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<Vec<InstanceOutcome>>,
}

impl BaselineReport {
    pub(super) fn new(task: TaskId, baseline: &Baseline) -> Self {
        Self {
            task,
            usable: baseline.unusable.is_none(),
            reason: baseline.unusable.clone(),
            suggestion: None,
            reference_ok: baseline.reference_ok,
            stub_fails: baseline.stub_fails,
            counter_tests: u32::try_from(baseline.counter_tests.count()).unwrap_or(u32::MAX),
            discovered: baseline.discovered.clone(),
            tests: baseline.instance_outcomes(),
        }
    }
}

/// Takes events of an evaluation; an error cancels it.
pub type Report<'a> = &'a mut dyn FnMut(EvaluationEvent<'_>) -> Result<()>;

/// What an evaluation of completions added up to.
#[derive(Debug, Clone, Default)]
pub struct EvaluationSummary {
    /// How many completions were asked for.
    pub total: usize,
    /// How many of them could not be run, for their task or their project.
    pub left_out: usize,
    /// How many have each verdict; those without any are absent.
    pub verdicts: Vec<(Verdict, usize)>,
    /// For how many the official verdict differs.
    pub official_differs: usize,
}

impl EvaluationSummary {
    /// How many have a verdict.
    pub fn finished(&self) -> usize {
        self.verdicts.iter().map(|(_, count)| count).sum()
    }

    /// How many have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        let found = self.verdicts.iter().find(|(own, _)| *own == verdict);
        found.map_or(0, |(_, count)| *count)
    }

    pub(super) fn add(&mut self, judgement: &CompletionVerdict) {
        self.official_differs += usize::from(judgement.differs.is_some());
        match self
            .verdicts
            .iter_mut()
            .find(|(own, _)| *own == judgement.verdict)
        {
            Some((_, count)) => *count += 1,
            None => self.verdicts.push((judgement.verdict, 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_on_a_cluster_names_jobs_nodes_and_pieces() {
        let mut progress = ClusterProgress {
            total: 40,
            ..ClusterProgress::default()
        };
        assert_eq!(progress.line(), "0 of 40 finished, 0 a minute; 0 jobs run");
        progress.nodes = (1..=6).map(|number| format!("n{number}")).collect();
        (progress.running, progress.queued) = (6, 1);
        progress.reason = Some("Resources".to_owned());
        progress.pieces = PieceCounts {
            queued: 1,
            running: 6,
            finished: 3,
        };
        assert_eq!(
            progress.jobs_line(),
            "6 jobs run on n1, n2, n3, n4 and 2 more nodes; 1 waits (Resources); pieces: 3 of 10 finished, 6 running"
        );
    }
}
