use std::slice;
use std::sync::Arc;

use super::super::Runner;
use super::*;
use crate::error::Cancel;
use crate::evaluation::subject::Subject;
use crate::evaluation::warden::{Killed, Left, Order, Traces, Warmth};
use crate::evaluation::{Limits, SandboxKind};

#[test]
fn a_counter_test_that_was_never_reported_says_nothing() {
    let mutant = Mutant {
        ids: vec!["a.py::test_a".to_owned(), "a.py::test_b".to_owned()],
        ..Mutant::default()
    };
    let (a, b) = ("a.py::test_a", "a.py::test_b");
    let failed = RunReport::of(&[(a, Outcome::Failed), (b, Outcome::Failed)]);
    assert_eq!(answer(&mutant, &failed), Answer::Fails);
    let passed = RunReport::of(&[(a, Outcome::Failed), (b, Outcome::Passed)]);
    assert_eq!(answer(&mutant, &passed), Answer::Passes(b));
    let some = RunReport::of(&[(a, Outcome::Failed), (b, Outcome::Unreported)]);
    for mut nothing in [
        RunReport::of(&[]),
        RunReport::of(&[(a, Outcome::Unreported)]),
        some,
    ] {
        assert_eq!(answer(&mutant, &nothing), Answer::Nothing(Sign::Lasting));
        nothing.killed = Some(Killed::Timeout);
        assert_eq!(answer(&mutant, &nothing), Answer::Nothing(Sign::Silence));
    }
}

#[test]
fn a_counter_test_leaves_what_the_references_own_leaves() {
    let traces = |count| Traces::from([("files of /tmp".to_owned(), count)]);
    let mutant = Mutant {
        usual: Usual {
            traces: vec![traces(8), traces(7)],
            disturbs: false,
        },
        ..Mutant::default()
    };
    let turn = Turn {
        own_sessions: false,
        counter_first: true,
        is_first: true,
    };
    let sign = |count| {
        let mut report = RunReport::default();
        report.left.traces = traces(count);
        second_sign(&mutant, turn, &report, true)
    };
    assert_eq!((sign(7), sign(8)), (Sign::None, Sign::None));
    assert_eq!(sign(6), Sign::OfTheSession);
}

#[test]
fn what_lasts_outweighs_what_a_session_hides() {
    assert_eq!(Sign::None.or(Sign::OfTheSession), Sign::OfTheSession);
    assert_eq!(Sign::OfTheSession.or(Sign::Lasting), Sign::Lasting);
    assert_eq!(Sign::Lasting.or(Sign::Silence), Sign::Lasting);
    assert_eq!(Sign::Silence.or(Sign::OfTheSession), Sign::Silence);
    assert_eq!(Sign::OfTheSession.or(Sign::None), Sign::OfTheSession);
    assert_eq!(Sign::None.or(Sign::None), Sign::None);
}

/// A completion that passes its test and fails the changed one.
struct Scripted<'a> {
    /// What each run leaves; those after the last leave nothing.
    runs: &'a [Left],
    made: usize,
    renewed: usize,
    cancel: Cancel,
}

impl Runner for Scripted<'_> {
    fn run(&mut self, order: &Order, _: &mut dyn FnMut(Live)) -> Result<RunReport> {
        let is_changed = !order.files.is_empty();
        let outcome = if is_changed {
            Outcome::Failed
        } else {
            Outcome::Passed
        };
        let mut report = RunReport {
            finished: Some(i64::from(is_changed)),
            code: Some(i64::from(is_changed)),
            ..RunReport::of(&[(TEST, outcome)])
        };
        report.left = self.runs.get(self.made).cloned().unwrap_or_default();
        self.made += 1;
        Ok(report)
    }

    fn warm(&mut self, _: Option<&Warmth>) {}

    fn cool(&mut self) -> bool {
        false
    }

    fn renew(&mut self) {
        self.renewed += 1;
    }

    fn kind(&self) -> SandboxKind {
        SandboxKind::Local
    }

    fn missing_limits(&self) -> Vec<String> {
        Vec::new()
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

const TEST: &str = "a.py::test";

/// In how many pairs such a completion is heard, with how many sessions of their own.
fn heard(runs: &[Left], fresh: bool) -> (u32, usize) {
    let footing = Footing {
        expected: vec![TEST.to_owned()],
        counter: Some(Mutant {
            files: vec![(RepoPath::new("a.py"), "changed".to_owned())],
            ids: vec![TEST.to_owned()],
            ..Mutant::default()
        }),
        ..Footing::default()
    };
    let mut runner = Scripted {
        runs,
        made: 0,
        renewed: 0,
        cancel: Cancel::default(),
    };
    let mut bench = Bench {
        subject: &Arc::new(Subject::of_tests(&[TEST])),
        limits: Limits::default(),
        runner: &mut runner,
        repeats: 1,
        fresh,
        pairs: 1,
        follows: false,
    };
    let case = Case {
        footing: &footing,
        files: &[],
    };
    let hearing = bench.hear(&case, &mut |_| {}).unwrap();
    assert_eq!(hearing.reading.verdict, Verdict::Pass);
    assert_eq!(hearing.counter_test, CounterTest::Failed);
    (hearing.pairs, runner.renewed)
}

fn fetched(fetched: Fetched) -> Left {
    Left {
        fetched,
        ..Left::default()
    }
}

fn moved(name: &str) -> Left {
    Left {
        traces: Traces::from([(name.to_owned(), 9_999)]),
        ..Left::default()
    }
}

#[test]
fn a_pair_with_a_sign_that_no_session_hides_is_heard_anew_in_the_same_until_one_has_none() {
    let nothing = Left::default;
    assert_eq!(heard(&[], false), (1, 0));
    for sign in [
        fetched(Fetched::Pages),
        fetched(Fetched::Reads),
        moved("pipes of the machine"),
    ] {
        assert_eq!(heard(slice::from_ref(&sign), false), (2, 0));
        assert_eq!(heard(&[nothing(), sign.clone()], false), (2, 0));
        let second = [sign.clone(), nothing(), nothing(), sign.clone()];
        assert_eq!(heard(&second, false), (3, 0));
        assert_eq!(heard(&vec![sign; 99], false), (HEARINGS, 0));
    }
}

#[test]
fn a_sign_that_a_session_hides_is_heard_anew_in_sessions_of_their_own() {
    assert_eq!(heard(&[moved("network")], false), (1, 2));
}

#[test]
fn in_sessions_of_their_own_runs_wait_for_what_is_in_memory_already() {
    assert_eq!(heard(&vec![fetched(Fetched::Pages); 99], true), (1, 2));
    assert_eq!(heard(&[fetched(Fetched::Reads)], true), (2, 4));
    let reads = vec![fetched(Fetched::Reads); 99];
    assert_eq!(heard(&reads, true), (FETCHES, 2 * FETCHES as usize));
}
