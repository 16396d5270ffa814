//! A task's baseline: the results of its reference code and of an empty stub in one environment, found before any
//! completion is evaluated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::counter_test::CounterTests;
use super::instance_outcomes::BaseOutcome;
use super::runner::Loaded;
use super::test_discovery::DiscoveredTests;

/// A task's baseline in one environment. Completions are compared with it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about the task"
)]
pub struct Baseline {
    /// The ids that the reference passed in every run. A completion must pass them.
    pub expected: Vec<String>,
    /// The ids that the reference passed only in some runs. They are ignored.
    pub flaky: Vec<String>,
    /// Whether the reference passed.
    pub reference_ok: bool,
    /// Whether the stub failed.
    pub stub_fails: bool,
    /// Why the task is unusable; `None` if completions can be evaluated.
    pub unusable: Option<String>,
    /// Whether each entry of the task's list needs a process of its own, because the reference fails if they share one.
    pub separate: bool,
    /// Further arguments for pytest that the project needs here.
    pub arguments: Vec<String>,
    /// Whether the reference passes only if no library is loaded before pytest starts.
    pub without_preload: bool,
    /// The changed forms of the task's tests.
    pub counter_tests: CounterTests,
    /// The task's tests, if they had to be found by runs.
    #[serde(default)]
    pub discovered: Option<DiscoveredTests>,
    /// The outcomes of an instance's tests at its base commit with the test patch, by test name.
    #[serde(default)]
    pub at_base: Option<BTreeMap<String, BaseOutcome>>,
    /// What the reference has loaded.
    #[serde(default)]
    pub loaded: Loaded,
    /// Wall seconds of the reference's first run.
    pub seconds: f64,
}
