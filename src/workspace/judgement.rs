//! The result of a completion's evaluation, as both faces show it. This file re-exports the types of the evaluation
//! module, so that a change of these types touches this file and the code that runs an evaluation, but neither face.

use crate::benchmark::Verdict;
pub use crate::evaluation::{
    BaseOutcome, CompletionVerdict, Control, DiscoveredTests, InstanceOutcome, Outcome,
    PatchedOutcome, SandboxKind, SyntaxError, TestFailure, TestReport,
};

/// What the counter-tests of a verdict say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterTestNote {
    /// The note in words.
    pub text: String,
    /// Whether to warn the reader that the verdict is not confirmed.
    pub warns: bool,
}

/// What the counter-tests of a verdict say about it.
pub fn counter_test_note(verdict: &CompletionVerdict) -> CounterTestNote {
    let count = verdict.counter_tests;
    let functions = if count == 1 { "function" } else { "functions" };
    let chance = 100.0 * verdict.guess_probability;
    let (warns, text) = match verdict.verdict {
        _ if count == 0 => (
            verdict.is_unconfirmed(),
            "none: no expectation of the tests can be changed".to_owned(),
        ),
        Verdict::Pass => (
            false,
            format!(
                "{count} changed test {functions} failed, as they must; the probability of a pass by guessing is {chance:.2} %"
            ),
        ),
        Verdict::Tampered => (
            true,
            "a changed test passed, which right code never does".to_owned(),
        ),
        _ => (false, "not needed: the tests did not pass".to_owned()),
    };
    CounterTestNote { text, warns }
}

/// A note for readers of a verdict's log: some of the failures in it may come from changed tests. `None` where the log
/// is empty, or no test was changed.
pub fn log_note(verdict: &CompletionVerdict) -> Option<&'static str> {
    let changed = verdict.counter_tests > 0 && !verdict.log.trim().is_empty();
    changed.then_some("log of a run with changed tests: right code fails these")
}

/// A verdict for Evoscope's own tests. It lists no test results. A pass counts as confirmed.
#[cfg(test)]
pub(crate) fn sample_judgement(verdict: Verdict) -> CompletionVerdict {
    let official = crate::benchmark::OfficialResult::Pass;
    CompletionVerdict {
        reference_ok: true,
        stub_fails: true,
        counter_tests: 1,
        guess_probability: 0.5,
        ..CompletionVerdict::new(verdict, String::new(), SandboxKind::Local, official)
    }
}
