//! The input of the search for counter-tests: changed tests that right code must fail.

use indexmap::IndexMap;

use super::super::runner::{Outcome, TestReport};
use crate::benchmark::Language;

/// The report of each test in a run, by test id, in the order in which the tests began.
pub type Outcomes = IndexMap<String, TestReport>;

/// Whether the test with this id was reported with the outcome `how`.
pub(super) fn has_ended(outcomes: &Outcomes, id: &str, how: Outcome) -> bool {
    outcomes.get(id).is_some_and(|test| test.outcome == how)
}

/// The tests of a task, and their outcomes before the search changes them.
#[derive(Debug, Clone, Copy)]
pub struct TestedTask<'a> {
    /// The language of the tests.
    pub language: Language,
    /// The entries of the task's list of tests: tests, classes or files. Every run executes all of them.
    pub entries: &'a [String],
    /// The ids of the tests that the reference passes.
    pub expected: &'a [String],
    /// The ids of the tests that the reference passes only in some runs.
    pub flaky: &'a [String],
    /// The name of the target function.
    pub target: &'a str,
    /// The outcomes with the stub, a body that only raises an error. A test that the stub passes does not
    /// depend on the target, so the search does not change it. In other tests, the search does not change assertions
    /// before the line at which the stub fails.
    pub stub: &'a Outcomes,
}
