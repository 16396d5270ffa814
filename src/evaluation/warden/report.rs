//! What a run reports.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::verdict::SyntaxFault;
use super::order::{CompiledFile, OwnFile, Pattern};
use crate::benchmark::RepoPath;

/// How much of a run's log is kept.
const LOG_KEPT: usize = 256 << 10;

/// How one test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Its call phase passed, and so did set-up and tear-down.
    Passed,
    /// A phase failed.
    Failed,
    /// It was skipped.
    Skipped,
    /// It failed as it was expected to.
    Xfailed,
    /// It passed though it was expected to fail.
    Xpassed,
    /// It began, and nothing more was heard of it.
    Unreported,
}

/// What a failing phase raised.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Failure {
    /// `setup`, `call` or `teardown`.
    #[serde(default)]
    pub when: String,
    /// The exception's type.
    #[serde(default)]
    pub error: String,
    /// Its message, as pytest shortens it.
    #[serde(default)]
    pub message: String,
    /// Which limit it speaks of: `memory`, `disk`, `processes`.
    #[serde(default)]
    pub limit: Option<String>,
    /// The traceback's places: file (from the project's root where inside it), line, function.
    #[serde(default)]
    pub frames: Vec<(String, u32, String)>,
    /// The traceback as pytest prints it, shortened.
    #[serde(default)]
    pub text: String,
}

/// One test id as reported in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestReport {
    /// pytest's id.
    pub id: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Seconds in all phases.
    pub seconds: f64,
    /// What its first failing phase raised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// Why a run was ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Killed {
    /// A time limit.
    Timeout,
    /// The memory limit.
    Memory,
}

/// What became of the session in mid-run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The run took the warden with it.
    Died,
    /// The kernel ended the whole sandbox for want of memory.
    OutOfMemory,
    /// The warden went silent beyond every limit.
    Silent,
    /// The engine is gone.
    Engine,
}

/// Counters by name, with how far a run has moved each.
pub type Traces = BTreeMap<String, u64>;

/// What of files has come into the machine's memory during a run, through whomever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fetched {
    #[default]
    Nothing,
    /// Some process had to wait for a page. In a sandbox whose root is a file system of the user's space it may have come from
    /// the machine's memory, and stay for as long as the session does.
    Pages,
    /// Something was read from storage: it stays, whatever session asks.
    Reads,
}

/// What a run has left in its session, or found in it.
#[derive(Debug, Clone, Default)]
pub struct Left {
    /// How far it has moved the counters that no wiping resets, and the files with such counters that it has opened.
    pub traces: Traces,
    /// What of files has come into the machine's memory meanwhile.
    pub fetched: Fetched,
    /// Whether the run before it had left the project's files otherwise than it found them.
    pub disturbed: bool,
    /// Whether one of the runs that are joined here has done so to the next.
    pub disturbs: bool,
    /// Whether it is a second try, the first having taken its session with it.
    pub retried: bool,
}

impl Left {
    fn join(&mut self, next: Self) {
        for (name, count) in next.traces {
            let sum = self.traces.entry(name).or_default();
            *sum = sum.saturating_add(count);
        }
        self.fetched = self.fetched.max(next.fetched);
        self.disturbs |= next.disturbed | next.disturbs;
        self.retried |= next.retried;
    }
}

/// Everything that one run showed.
#[derive(Debug, Clone, Default)]
pub struct RunReport {
    /// Tests by id, in the order they began.
    pub tests: IndexMap<String, TestReport>,
    /// The ids that pytest collected.
    pub collected: Vec<String>,
    /// Collection errors: node, last line, text.
    pub collection_errors: Vec<(String, String, String)>,
    /// Where the spliced file does not parse.
    pub syntax: Option<SyntaxFault>,
    /// An error inside pytest.
    pub internal_error: Option<String>,
    /// pytest's own exit status, when its session ended in order.
    pub finished: Option<i64>,
    /// The process's exit code.
    pub code: Option<i64>,
    /// The signal that ended it.
    pub signal: Option<i64>,
    /// Whether and why it was ended from outside.
    pub killed: Option<Killed>,
    /// The test that was running when it ended.
    pub running: Option<String>,
    /// Whether anything was written to the report channel that the judge did not write.
    pub forged: bool,
    /// Processes that the kernel ended for want of memory.
    pub oom_kills: u64,
    /// Wall seconds from the word to go to the end.
    pub seconds: f64,
    /// CPU seconds of the process.
    pub cpu_seconds: f64,
    /// Bytes that it printed.
    pub logged: u64,
    /// What it printed: the first part, and the last when there was more.
    pub log: Vec<u8>,
    /// Processes that outlived the run and were killed.
    pub survivors: u64,
    /// Whether the warden itself was tampered with from outside; the session is not used again.
    pub marked: bool,
    /// What of it a later run of its session could find.
    pub left: Left,
    /// The modules from outside the project, when asked for.
    pub modules: Vec<String>,
    /// The regular expressions that it compiled, when asked for.
    pub patterns: Vec<Pattern>,
    /// The project's own files that were loaded, when asked for.
    pub own: Vec<OwnFile>,
    /// Files of the environment that hold the reference's body, when asked for.
    pub copies: Vec<String>,
    /// What the order's files compiled to, when asked for.
    pub compiled: Vec<CompiledFile>,
    /// Set when the session was lost in mid-run.
    pub loss: Option<Loss>,
}

impl RunReport {
    /// Whether every id was reported passed, and the session ended in order.
    pub fn passed(&self, expected: &[String]) -> bool {
        !expected.is_empty()
            && !self.forged
            && self.loss.is_none()
            && self.killed.is_none()
            && expected.iter().all(|id| {
                self.tests
                    .get(id)
                    .is_some_and(|test| test.outcome == Outcome::Passed)
            })
    }

    /// The ids that were reported passed, however the run has ended.
    pub fn passed_ids(&self) -> Vec<String> {
        self.tests
            .values()
            .filter(|test| test.outcome == Outcome::Passed)
            .map(|test| test.id.clone())
            .collect()
    }

    /// This run with a further one of the same files and other tests: both reports as one.
    #[must_use]
    pub fn joined(mut self, next: Self) -> Self {
        self.tests.extend(next.tests);
        self.collected.extend(next.collected);
        self.collection_errors.extend(next.collection_errors);
        self.syntax = self.syntax.or(next.syntax);
        self.internal_error = self.internal_error.or(next.internal_error);
        if self.code == Some(0) {
            (self.code, self.signal, self.finished) = (next.code, next.signal, next.finished);
        }
        self.killed = self.killed.or(next.killed);
        self.running = next.running.or(self.running);
        self.forged |= next.forged;
        self.oom_kills += next.oom_kills;
        self.seconds += next.seconds;
        self.cpu_seconds += next.cpu_seconds;
        self.logged += next.logged;
        self.log.extend(next.log);
        self.log.truncate(LOG_KEPT);
        self.survivors += next.survivors;
        self.marked |= next.marked;
        self.left.join(next.left);
        self.modules.extend(next.modules);
        self.patterns.extend(next.patterns);
        self.own.extend(next.own);
        self.copies.extend(next.copies);
        self.compiled.extend(next.compiled);
        self.loss = self.loss.or(next.loss);
        self
    }
}

/// What a run shows while it goes on.
#[derive(Debug)]
pub enum Live<'a> {
    /// Raw bytes that it printed; hostile.
    Log(&'a [u8]),
    /// A test's outcome so far.
    Test(&'a TestReport),
}

pub(super) fn absorb(report: &mut RunReport, message: &Value, live: &mut dyn FnMut(Live)) {
    let text = |field: &str| message[field].as_str().unwrap_or_default().to_owned();
    match message["op"].as_str() {
        Some("log") => {
            let bytes = STANDARD.decode(text("data")).unwrap_or_default();
            live(Live::Log(&bytes));
            let room = LOG_KEPT.saturating_sub(report.log.len());
            report
                .log
                .extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
        Some("collected") => {
            report.collected = serde_json::from_value(message["ids"].clone()).unwrap_or_default();
        }
        Some("syntax") => {
            let at = message["line"]
                .as_u64()
                .and_then(|line| u32::try_from(line).ok())
                .unwrap_or(1);
            report.syntax = Some(SyntaxFault {
                line: at,
                message: text("message"),
            });
        }
        Some("collect") => {
            report
                .collection_errors
                .push((text("id"), text("message"), text("text")));
        }
        Some("internal") => report.internal_error = Some(text("text")),
        Some("finish") => report.finished = message["status"].as_i64(),
        Some("modules") => {
            report.modules = serde_json::from_value(message["names"].clone()).unwrap_or_default();
            report.copies = serde_json::from_value(message["copies"].clone()).unwrap_or_default();
            report.patterns =
                serde_json::from_value(message["patterns"].clone()).unwrap_or_default();
            report.own = serde_json::from_value(message["own"].clone()).unwrap_or_default();
        }
        Some("code") => report.compiled.push(CompiledFile {
            path: RepoPath::new(&text("path")),
            data: text("data"),
        }),
        Some("begin") => {
            let id = text("id");
            report.tests.entry(id.clone()).or_insert(TestReport {
                id,
                outcome: Outcome::Unreported,
                seconds: 0.0,
                failure: None,
            });
        }
        Some("test") => absorb_test(report, message, live),
        _ => report.forged = true,
    }
}

fn absorb_test(report: &mut RunReport, message: &Value, live: &mut dyn FnMut(Live)) {
    let (Some(id), Some(when)) = (message["id"].as_str(), message["when"].as_str()) else {
        report.forged = true;
        return;
    };
    let Ok(outcome) = Outcome::deserialize(&message["outcome"]) else {
        report.forged = true;
        return;
    };
    let Some(test) = report.tests.get_mut(id) else {
        report.forged = true;
        return;
    };
    // To the microsecond, so that what is written is read back as the same number.
    let sum = test.seconds + message["seconds"].as_f64().unwrap_or_default();
    test.seconds = (sum * 1e6).round() / 1e6;
    // A pass is a pass of the call phase; set-up and tear-down can only spoil it.
    match (when, outcome) {
        ("call", outcome) => test.outcome = outcome,
        (_, Outcome::Passed) => {}
        (_, outcome) => test.outcome = outcome,
    }
    if outcome == Outcome::Failed && test.failure.is_none() {
        let mut failure = Failure::deserialize(message).unwrap_or_default();
        when.clone_into(&mut failure.when);
        test.failure = Some(failure);
    }
    if when == "teardown" {
        live(Live::Test(test));
    }
}

/// A count that is none, which nothing but tampering gives, is one that no other run has.
fn traces(told: &Value) -> Traces {
    let told = told.as_object().into_iter().flatten();
    told.map(|(name, count)| (name.clone(), count.as_u64().unwrap_or(u64::MAX)))
        .collect()
}

#[cfg(test)]
impl RunReport {
    /// One in which these tests have ended so.
    pub fn of(tests: &[(&str, Outcome)]) -> Self {
        let report = |(id, outcome): &(&str, Outcome)| TestReport {
            id: (*id).to_owned(),
            outcome: *outcome,
            seconds: 0.1,
            failure: None,
        };
        let tests = tests.iter().map(report);
        Self {
            tests: tests.map(|test| (test.id.clone(), test)).collect(),
            ..Self::default()
        }
    }
}

pub(super) fn absorb_end(report: &mut RunReport, message: &Value) {
    report.code = message["code"].as_i64();
    report.signal = message["signal"].as_i64();
    report.killed = match message["killed"].as_str() {
        Some("memory") => Some(Killed::Memory),
        Some(_) => Some(Killed::Timeout),
        None => None,
    };
    report.running = message["running"].as_str().map(str::to_owned);
    report.forged |= message["forged"].as_bool().unwrap_or(true);
    report.oom_kills = message["oom_kills"].as_u64().unwrap_or_default();
    report.seconds = message["seconds"].as_f64().unwrap_or_default();
    report.cpu_seconds = message["cpu_seconds"].as_f64().unwrap_or_default();
    report.logged = message["logged"].as_u64().unwrap_or_default();
    report.survivors = message["survivors"].as_u64().unwrap_or_default();
    report.marked = message["marked"].as_bool().unwrap_or(true);
    report.left.traces = traces(&message["traces"]);
    report.left.fetched = match message["fetched"].as_str() {
        Some("nothing") => Fetched::Nothing,
        Some("pages") => Fetched::Pages,
        _ => Fetched::Reads,
    };
    let tail = STANDARD
        .decode(message["tail"].as_str().unwrap_or_default())
        .unwrap_or_default();
    if !tail.is_empty() {
        report.log.extend_from_slice(b"\n[...]\n");
        report.log.extend_from_slice(&tail);
    }
}
