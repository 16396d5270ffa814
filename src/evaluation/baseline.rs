//! A task's baseline: the results of its tests with the reference code and with a stub, in one environment. It
//! is computed before any completion is evaluated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::counter_test::CounterTests;
use super::instance_outcomes::BaseOutcome;
use super::runner::Loaded;
use super::test_discovery::DiscoveredTests;
use super::varying_tests::VaryingTests;

/// A task's baseline in one environment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about the task"
)]
pub struct Baseline {
    /// The ids of the tests that the reference passed in every run. A completion must pass these tests.
    pub expected: Vec<String>,
    /// The ids of the tests that the reference passed only in some runs. The verdict ignores these tests.
    pub flaky: Vec<String>,
    /// The tests whose ids differ between runs of the reference.
    #[serde(default)]
    pub varying: VaryingTests,
    /// Whether the reference passed.
    pub reference_ok: bool,
    /// Whether the stub failed.
    pub stub_fails: bool,
    /// Why the task is unusable; `None` if completions of the task can be evaluated.
    pub unusable: Option<String>,
    /// Whether each entry of the task's list of tests is run in its own process. True if the reference fails when all
    /// entries share one process.
    pub separate: bool,
    /// Further arguments that pytest needs for this project in this environment.
    pub arguments: Vec<String>,
    /// Whether the reference passes only if no library is loaded before pytest starts.
    pub without_preload: bool,
    /// The tests with a changed expectation, which correct code must fail. Empty if no test can be changed.
    pub counter_tests: CounterTests,
    /// The tests that Evoscope found by running the task's test files; `None` if the task names its tests.
    #[serde(default)]
    pub discovered: Option<DiscoveredTests>,
    /// The outcome of each test at the base commit with the test patch, by test name; `None` if no tests were run at a
    /// base commit.
    #[serde(default)]
    pub at_base: Option<BTreeMap<String, BaseOutcome>>,
    /// The modules and files that the reference's first passing run loaded.
    #[serde(default)]
    pub loaded: Loaded,
    /// Wall-clock seconds of the reference's first passing run.
    pub seconds: f64,
}
