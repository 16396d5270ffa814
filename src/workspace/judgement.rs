//! What became of a completion, as both faces show it. The types of the evaluation module pass through here, so that a
//! change of them touches this file and those that run an evaluation.

pub use crate::evaluation::{
    CompletionVerdict, Control, Failure, Outcome, SandboxKind, SyntaxFault, TestReport,
};

use crate::evaluation::CounterTest;

/// What the counter-tests of a judgement showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterTestNote {
    /// In words.
    pub text: String,
    /// Whether the reader should know that the verdict is not confirmed.
    pub warns: bool,
}

/// What the counter-tests of a judgement showed.
pub fn counter_test_note(judgement: &CompletionVerdict) -> CounterTestNote {
    let (warns, text) = match judgement.counter_test {
        CounterTest::Failed if judgement.pairs > 1 => {
            let text = format!("failed, as it must, in {} pairs of runs", judgement.pairs);
            return CounterTestNote { text, warns: false };
        }
        CounterTest::Failed if judgement.own_sessions => {
            (false, "failed, as it must, in a session of its own")
        }
        CounterTest::Failed => (false, "failed, as it must"),
        CounterTest::Passed => (true, "passed, which no right code does"),
        CounterTest::Silent => (true, "silent: no changed test was reported"),
        CounterTest::NotNeeded => (false, "not needed: the tests did not pass"),
        CounterTest::None => (true, "none can be made for the task"),
    };
    CounterTestNote {
        text: text.to_owned(),
        warns,
    }
}

/// A judgement for tests: without tests, confirmed where it passes.
#[cfg(test)]
pub(crate) fn sample_judgement(verdict: crate::benchmark::Verdict) -> CompletionVerdict {
    use crate::benchmark::{OfficialResult, Verdict};
    let passed = verdict == Verdict::Pass;
    CompletionVerdict {
        verdict,
        reason: String::new(),
        tests: Vec::new(),
        seconds: 0.0,
        test_seconds: 0.0,
        sandbox: SandboxKind::Local,
        reference_ok: true,
        stub_fails: true,
        counter_test: if passed {
            CounterTest::Failed
        } else {
            CounterTest::NotNeeded
        },
        own_sessions: false,
        pairs: 0,
        official: OfficialResult::Pass,
        differs: None,
        syntax: None,
        over_indented: false,
        without_addopts: false,
        missing_limits: Vec::new(),
        log: String::new(),
    }
}
