//! What is known of a run. Plain data, so that no runner's types are needed.

use std::collections::HashMap;

use crate::benchmark::Language;

/// A body without an implementation: a test that passes with it does not test the target.
pub fn stub_body(language: Language) -> &'static str {
    match language {
        Language::Python => "raise NotImplementedError\n",
        Language::Java => "throw new UnsupportedOperationException();\n",
    }
}

/// The outcomes of a run by test id.
pub type Outcomes = HashMap<String, Observed>;

/// The outcome of one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observed {
    /// It passed.
    Passed,
    /// It failed.
    Failed(ObservedFailure),
    /// It was skipped, is an expected failure, could not be run.
    Other,
}

/// Why a test failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObservedFailure {
    /// Whether an assertion of the test was not met.
    pub unmet: bool,
    /// The file, from the project's root, and the line of each frame of the traceback, the outermost first.
    pub frames: Vec<(String, u32)>,
}

impl ObservedFailure {
    /// By the phase that failed (`setup`, `call`, `teardown`), the type of the error and the frames.
    pub fn new(phase: &str, error: &str, frames: Vec<(String, u32)>) -> Self {
        Self {
            unmet: phase == "call" && (error.contains("Assert") || error.contains("Fail")),
            frames,
        }
    }
}

pub(super) fn passed(outcomes: &Outcomes, id: &str) -> bool {
    outcomes.get(id) == Some(&Observed::Passed)
}

pub(super) fn failed(outcomes: &Outcomes, id: &str) -> bool {
    matches!(outcomes.get(id), Some(Observed::Failed(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_before_an_assertion_is_not_an_unmet_assertion() {
        let unmet = |phase, error| ObservedFailure::new(phase, error, Vec::new()).unmet;
        assert!(unmet("call", "AssertionError") && unmet("call", "Failed"));
        assert!(!unmet("setup", "AssertionError") && !unmet("call", "FileNotFoundError"));
    }
}
