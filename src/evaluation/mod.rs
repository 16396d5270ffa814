//! The evaluation of completions: baseline, counter-tests, runs in a sandbox, verdict.
//!
//! A [`Subject`] is a task prepared for evaluation, and a [`Submission`] is a completion for it. [`evaluate`] takes a
//! [`RunPlan`] and a [`Sandbox`], and works in these steps. [`threat_model`] describes what each step defends against.
//!
//! 0. **Tests** ([`TestDiscovery`]), if a task names only test files: the verdict depends on the tests that fail before
//!    the production patch and pass with it, and on those that pass both times.
//! 1. **Baseline** ([`Baseline`]), once for a task and an environment, stored: the reference code runs twice (ids that
//!    pass both times are expected, others are flaky), and an empty stub must fail. Otherwise the task is unusable,
//!    with a reason and the setting that would fix it (`diagnosis`).
//! 2. **Counter-tests** ([`CounterTests`]): every test function in which an expectation can be changed has one changed form,
//!    which the reference fails. They are found with the baseline.
//! 3. **A pair of runs** for each completion (`completion_runs`): the first changes a random subset of the test
//!    functions, the second the others. Each run is a fresh process that shares no memory, file or process with
//!    another. The completion passes when each unchanged test passed and each changed test failed, in both runs. A
//!    changed test that passes makes the verdict `tampered`. The second run is skipped when the first shows a failure.
//! 4. **The verdict** ([`CompletionVerdict`]) holds the number of changed test functions, and the probability that code
//!    passes which can pass or fail any test at will and guesses which tests are changed. A pass without any changed
//!    form is unconfirmed.
//!
//! All of this is the same for every language. A session for Java keeps a compiler in memory, which executes nothing
//! that it compiles, and starts a fresh JVM for each run (`python/evoscope_runner/java_session.py`, `java`).
//!
//! After an error of the sandbox, the run is repeated once in a new session. If it fails again, it is reported as an
//! infrastructure failure, which is not a verdict and not stored.
//!
//! The modules: `schedule` queues the work and runs a session for each job; `task_runner`, `baseline` and
//! `completion_runs` decide which runs are made; `runner` sends one run to the program inside the sandbox
//! (`python/evoscope_runner`) and reads its reports; `docker` and `local` are the sandboxes; `store` holds verdicts and
//! baselines.

mod baseline;
mod baseline_search;
mod completion_runs;
mod content_key;
mod counter_test;
mod diagnosis;
mod docker;
mod instance_outcomes;
mod local;
mod runner;
mod sandbox;
mod schedule;
mod store;
mod subject;
mod task_runner;
mod test_discovery;
#[doc = include_str!("threat_model.md")]
pub mod threat_model {}
mod verdict;

pub use baseline::Baseline;
pub use content_key::ContentKey;
pub use counter_test::{ChangedFunction, CounterTests};
pub use docker::DockerSandbox;
pub use instance_outcomes::{BaseOutcome, InstanceOutcome, PatchedOutcome};
pub use local::{LocalSandbox, STAGE_COMMAND, run_stage};
pub use runner::{Outcome, SyntaxError, TestFailure, TestReport};
pub use sandbox::{Limits, Loss, Recipe, Sandbox, SandboxChoice, SandboxKind, Session};
pub use schedule::{Control, PreparingStep, RunEvent, RunPlan, Settings, evaluate};
pub use store::{LatestVerdict, LatestVerdicts, VerdictStore};
pub use subject::{Subject, Submission, completion_key};
pub use test_discovery::{DiscoveredTests, TestDiscovery};
pub use verdict::CompletionVerdict;

/// The Java sources of the runner, which an environment for Java compiles.
pub fn java_runner_sources() -> Vec<crate::environment::RunnerSource> {
    runner::java_sources()
}
