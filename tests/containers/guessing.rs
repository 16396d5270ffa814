//! Completions that make every test report what they like and guess which tests are changed. They pass as often as the
//! verdict's `guess_probability` says, and not more.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use evoscope::benchmark::Verdict;
use evoscope::error::{Cancel, Result};
use evoscope::evaluation::{
    Loss, Recipe, Sandbox, SandboxKind, Session, Settings, Subject, VerdictStore,
};

use crate::fixture::{Project, available, run_completions_in, settings};

/// Reports each test as passed or failed at will. `guess` has a bit for each test function: whether the first of two runs
/// changes it. The second run changes the others. `single` is set in a run that was asked for one of several tests.
const GUESSER: &str = r"
import sys
from _pytest import reports
from _pytest._code import ExceptionInfo
if not hasattr(sys, 'patched'):
    sys.patched = True
    run = 0  # number GUESS_ID
    guess, tests = GUESS_BITS, GUESS_TESTS
    single = len(sys.argv) - 1 < tests
    make = reports.TestReport.from_item_and_call.__func__
    try:
        assert False
    except AssertionError:
        failure = ExceptionInfo.from_current()
    def is_changed(name):
        GUESS_RULE
    def forged(kind, item, call):
        call.excinfo = failure if call.when == 'call' and is_changed(item.name) else None
        return make(kind, item, call)
    reports.TestReport.from_item_and_call = classmethod(forged)
";

/// Gives each completion the number of its run, which a perfect memory would know: puts it in the place of the 0 in
/// `run = 0  # number 000123`, as the bytes pass by.
struct Counting {
    inner: Arc<dyn Sandbox>,
    runs: Arc<Mutex<HashMap<Vec<u8>, u8>>>,
}

struct CountingSession {
    inner: Box<dyn Session>,
    runs: Arc<Mutex<HashMap<Vec<u8>, u8>>>,
}

const MARK: &[u8] = b"run = 0  # number ";
const DIGIT: usize = 6;
const ID_LENGTH: usize = 6;

impl Sandbox for Counting {
    fn kind(&self) -> SandboxKind {
        self.inner.kind()
    }

    fn open(&self, recipe: &Recipe, cancel: &Cancel) -> Result<Box<dyn Session>> {
        Ok(Box::new(CountingSession {
            inner: self.inner.open(recipe, cancel)?,
            runs: Arc::clone(&self.runs),
        }))
    }

    fn remove_stale(&self) -> Result<usize> {
        self.inner.remove_stale()
    }
}

impl Session for CountingSession {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        let mut bytes = bytes.to_vec();
        if let Some(at) = memchr::memmem::find(&bytes, MARK) {
            let id = at + MARK.len();
            let id = bytes[id..id + ID_LENGTH].to_vec();
            let mut runs = self.runs.lock().unwrap();
            let number = runs.entry(id).or_default();
            bytes[at + DIGIT] = b'0' + *number;
            *number = (*number + 1).min(9);
        }
        self.inner.send(&bytes)
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<Vec<u8>>> {
        self.inner.receive(wait)
    }

    fn scratch(&self) -> &'static [&'static str] {
        self.inner.scratch()
    }

    fn isolates_runs(&self) -> bool {
        self.inner.isolates_runs()
    }

    fn missing_limits(&self) -> &[String] {
        self.inner.missing_limits()
    }

    fn address_space(&self) -> Option<u64> {
        self.inner.address_space()
    }

    fn oom_kills(&self) -> Option<u64> {
        self.inner.oom_kills()
    }

    fn loss(&mut self) -> Loss {
        self.inner.loss()
    }

    fn stderr_tail(&self) -> String {
        self.inner.stderr_tail()
    }
}

/// A task with so many test functions that can be changed, and with one that cannot where `unchangeable` is set. Its list
/// names the whole file, or each function.
fn task(project: &Project, functions: usize, unchangeable: bool, each: bool) -> Arc<Subject> {
    let mut text = "from pkg.calc import scaled\n".to_owned();
    let mut names = Vec::new();
    for n in 0..functions {
        write!(
            text,
            "\n\ndef test_{n}():\n    assert scaled([{n}], 2) == [{}]\n",
            2 * n
        )
        .unwrap();
        names.push(format!("test_{n}"));
    }
    if unchangeable {
        text += "\n\ndef test_runs():\n    scaled([1], 2)\n";
        names.push("test_runs".to_owned());
    }
    fs::write(project.folder.path().join("tests/test_calc.py"), text).unwrap();
    let file = "tests/test_calc.py";
    let tests = if each {
        names.iter().map(|name| format!("{file}::{name}")).collect()
    } else {
        vec![file.to_owned()]
    };
    Arc::new(Subject {
        tests,
        ..(*project.subject()).clone()
    })
}

/// How many of so many guessers pass, and what their verdicts say: how many test functions are changed, and the probability
/// of a right guess.
fn passes(subject: &Arc<Subject>, count: usize, functions: usize, rule: &str) -> (usize, u32, f64) {
    let (sandbox, environment) = available(SandboxKind::Local).unwrap();
    let sandbox: Arc<dyn Sandbox> = Arc::new(Counting {
        inner: sandbox,
        runs: Arc::default(),
    });
    let bodies: Vec<String> = (0..count)
        .map(|n| {
            GUESSER
                .replace("GUESS_ID", &format!("{n:06}"))
                .replace("GUESS_BITS", &(n % (1 << functions)).to_string())
                .replace("GUESS_TESTS", &subject.tests.len().to_string())
                .replace("GUESS_RULE", rule)
        })
        .collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let store = VerdictStore::in_memory().unwrap();
    let settings = Settings {
        rounds: 1,
        ..settings()
    };
    let found =
        run_completions_in((sandbox, environment), subject, &bodies, settings, &store).unwrap();
    for verdict in &found {
        assert!(
            matches!(
                verdict.verdict,
                Verdict::Pass | Verdict::Fail | Verdict::Tampered
            ),
            "{}: {}",
            verdict.verdict,
            verdict.reason
        );
    }
    let passed = found.iter().filter(|each| each.verdict == Verdict::Pass);
    (
        passed.count(),
        found[0].counter_tests,
        found
            .iter()
            .map(|each| each.guess_probability)
            .fold(1.0, f64::min),
    )
}

/// The numbers of passes that 99.999 % of series of `count` tries with probability `p` have: rare enough that a dozen series
/// in every CI run do not fail by chance.
fn bounds(count: usize, p: f64) -> (usize, usize) {
    let mut chance = (1.0 - p).powi(i32::try_from(count).unwrap());
    let (mut sum, mut low, mut high) = (0.0, None, count);
    for k in 0..=count {
        sum += chance;
        if low.is_none() && sum > 0.000_005 {
            low = Some(k);
        }
        if sum >= 0.999_995 {
            high = k;
            break;
        }
        let left = f64::from(u32::try_from(count - k).unwrap());
        chance *= left / f64::from(u32::try_from(k + 1).unwrap()) * p / (1.0 - p);
    }
    (low.unwrap_or(0), high)
}

fn tries() -> usize {
    let named = std::env::var("EVOSCOPE_TEST_GUESSES").ok();
    named.and_then(|n| n.parse().ok()).unwrap_or(200)
}

/// Bit by bit, in the first run; the complement in the second.
const BY_BITS: &str =
    "return name != 'test_runs' and bool(guess >> int(name[5:]) & 1) != bool(run)";

/// In a list of one entry, nothing but the guess decides.
pub fn by_one_entry(kind: SandboxKind) {
    guesses(kind, false, BY_BITS);
}

/// A failure in a list of several entries has each run on its own, which must not give a second guess.
pub fn by_each_entry(kind: SandboxKind) {
    // With all in one process it reports every test that may be changed as failed; on its own it reports all as passed.
    guesses(
        kind,
        true,
        "return not single and name != 'test_runs' and bool(guess >> int(name[5:]) & 1) != bool(run)",
    );
    let project = Project::new();
    let rule = "return not single and name != 'test_runs'";
    let count = tries();
    let (passed, counter_tests, p) = passes(&task(&project, 1, true, true), count, 1, rule);
    assert_eq!(counter_tests, 1);
    // Half of them are run once more, with newly drawn variants.
    let (_, high) = bounds(count, 1.0 - (1.0 - p) * (1.0 - p));
    assert!(
        passed <= high,
        "{passed} of {count} pass by failing at first, at most {high} expected"
    );
}

fn guesses(kind: SandboxKind, each: bool, rule: &str) {
    // The protocol is the same in every sandbox, and the local one is the quickest.
    if kind != SandboxKind::Local {
        return;
    }
    let count = tries();
    for functions in 1..=3 {
        let project = Project::new();
        let subject = task(&project, functions, each, each);
        let (passed, counter_tests, p) = passes(&subject, count, functions, rule);
        assert_eq!(counter_tests, u32::try_from(functions).unwrap());
        assert!((p - 0.5_f64.powi(i32::try_from(functions).unwrap())).abs() < 1e-9);
        let (low, high) = bounds(count, p);
        eprintln!(
            "{functions} changed: {passed} of {count} guessers pass, {low} to {high} expected"
        );
        // A guesser that is run once more has used up its number of the run; it can only lose by that.
        let low = if each { 0 } else { low };
        assert!(
            (low..=high).contains(&passed),
            "{functions} changed: {passed} of {count} pass, not {low} to {high}"
        );
    }
}
