//! The input of the search for counter-tests.

use indexmap::IndexMap;

use super::super::runner::{Outcome, TestReport};
use crate::benchmark::Language;

/// The report of each test in a run, by id.
pub type Outcomes = IndexMap<String, TestReport>;

/// Whether a test was reported with this outcome.
pub(super) fn has_ended(outcomes: &Outcomes, id: &str, how: Outcome) -> bool {
    outcomes.get(id).is_some_and(|test| test.outcome == how)
}

/// The tests of a task, and their outcomes when unchanged.
#[derive(Debug, Clone, Copy)]
pub struct TestedTask<'a> {
    /// The language of the tests.
    pub language: Language,
    /// The task's list of tests, classes or files, which every run runs.
    pub entries: &'a [String],
    /// The ids that the reference passes.
    pub expected: &'a [String],
    /// The ids that the reference passes only in some runs.
    pub flaky: &'a [String],
    /// The name of the target function.
    pub target: &'a str,
    /// The stub's outcomes. A test that the stub passes does not depend on the target, nor do the assertions before the
    /// line at which the stub fails. These are not changed.
    pub stub: &'a Outcomes,
}
