//! What is given to the search.

use indexmap::IndexMap;

use super::super::runner::{Outcome, TestReport};
use crate::benchmark::Language;

/// What a run showed of each test, by id.
pub type Outcomes = IndexMap<String, TestReport>;

/// Whether a test was reported to have ended so.
pub(super) fn has_ended(outcomes: &Outcomes, id: &str, how: Outcome) -> bool {
    outcomes.get(id).is_some_and(|test| test.outcome == how)
}

/// A body without an implementation: a test that passes with it does not test the target.
pub fn stub_body(language: Language) -> &'static str {
    match language {
        Language::Python => "raise NotImplementedError\n",
        Language::Java => "throw new UnsupportedOperationException();\n",
    }
}

/// The tests of a task, and what is known of them as written.
#[derive(Debug, Clone, Copy)]
pub struct TestedTask<'a> {
    /// The language of the tests.
    pub language: Language,
    /// The task's list, which every run is asked for: ids of tests, classes or files.
    pub entries: &'a [String],
    /// The ids that the reference passes.
    pub expected: &'a [String],
    /// The ids that it passes now and then.
    pub flaky: &'a [String],
    /// The name of the target function.
    pub target: &'a str,
    /// What the stub shows. A test that it passes does not depend on the target, and neither do the assertions before the
    /// line in which it fails; they are not changed.
    pub stub: &'a Outcomes,
}
