//! A task's baseline: what its reference code and an empty stub show in one environment, before any completion is evaluated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::counter_test::CounterTests;
use super::instance_outcomes::BaseOutcome;
use super::runner::Loaded;
use super::test_discovery::DiscoveredTests;

/// What the reference and the stub showed of a task in one environment. Completions are compared with it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about the task"
)]
pub struct Baseline {
    /// The ids that the reference passed, each time; what a completion must pass.
    pub expected: Vec<String>,
    /// Ids that the reference passed only sometimes; they are left out.
    pub flaky: Vec<String>,
    /// Whether the reference passed.
    pub reference_ok: bool,
    /// Whether the stub failed.
    pub stub_fails: bool,
    /// Why completions of the task cannot be evaluated, if they cannot.
    pub unusable: Option<String>,
    /// Whether each entry of the task's list needs a process of its own, because the reference passes only so.
    pub separate: bool,
    /// Further arguments for pytest that the project needs here.
    pub arguments: Vec<String>,
    /// Whether the reference passes only where no library is loaded before pytest starts.
    pub without_preload: bool,
    /// The changed forms of the task's tests.
    pub counter_tests: CounterTests,
    /// The task's tests, where they were found by runs before and with the production patch.
    #[serde(default)]
    pub discovered: Option<DiscoveredTests>,
    /// How an instance's tests end at its base commit with the test patch, by their names.
    #[serde(default)]
    pub at_base: Option<BTreeMap<String, BaseOutcome>>,
    /// What the reference has loaded.
    #[serde(default)]
    pub loaded: Loaded,
    /// Wall seconds of the reference's run.
    pub seconds: f64,
}
