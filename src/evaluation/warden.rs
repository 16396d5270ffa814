//! The driver of a warden: sends it runs, reads what it reports, and never waits longer than the limits allow.

mod order;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use self::order::{CompiledFile, Order, OwnFile};
use super::program::ENVIRONMENT;
use super::sandbox::{Ending, Recipe, Sandbox, Session};
use super::verdict::SyntaxFault;
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Error, Result};

/// How long a session may take to come up.
const START: Duration = Duration::from_mins(2);
/// How long a session may be silent beyond a run's own limits.
const GRACE: Duration = Duration::from_secs(15);
/// How much of a run's log is kept.
const LOG_KEPT: usize = 256 << 10;
/// How often a waiting driver looks at the cancel flag.
const BEAT: Duration = Duration::from_millis(50);

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
    /// The modules from outside the project, when asked for.
    pub modules: Vec<String>,
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
        self.modules.extend(next.modules);
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

/// A session with a warden that answers.
pub struct Warden {
    session: Box<dyn Session>,
    buffer: Vec<u8>,
    lines: VecDeque<Value>,
    /// The interpreter's version.
    pub python: String,
    /// pytest's version.
    pub pytest: String,
}

impl Warden {
    /// Opens a session and waits until its interpreter has loaded pytest and `preload`.
    pub fn open(
        sandbox: &dyn Sandbox,
        recipe: &Recipe,
        preload: &[String],
        cancel: &Cancel,
    ) -> Result<Self> {
        let mut warden = Self::begin(sandbox, recipe, preload, cancel)?;
        warden.greeted(cancel)?;
        Ok(warden)
    }

    /// Opens a session and does not wait; nothing may be asked of it before it has [`greeted`](Self::greeted).
    pub fn begin(
        sandbox: &dyn Sandbox,
        recipe: &Recipe,
        preload: &[String],
        cancel: &Cancel,
    ) -> Result<Self> {
        let session = sandbox.open(recipe, cancel)?;
        let mut warden = Self {
            session,
            buffer: Vec::new(),
            lines: VecDeque::new(),
            python: String::new(),
            pytest: String::new(),
        };
        let root = warden.root();
        warden.tell(&json!({"alone": true, "preload": preload, "root": root}))?;
        Ok(warden)
    }

    /// Waits until the interpreter has loaded what it was to load.
    pub fn greeted(&mut self, cancel: &Cancel) -> Result<()> {
        let answer = self.answer(Instant::now() + START, cancel)?;
        match answer["op"].as_str() {
            Some("ready") => {}
            Some("broken") => {
                return Err(Error::sandbox(
                    answer["what"]
                        .as_str()
                        .unwrap_or("the interpreter does not work")
                        .to_owned(),
                )
                .hint("name an image or an environment that has pytest"));
            }
            _ => return Err(self.astray(&answer)),
        }
        answer["python"]
            .as_str()
            .unwrap_or_default()
            .clone_into(&mut self.python);
        answer["pytest"]
            .as_str()
            .unwrap_or_default()
            .clone_into(&mut self.pytest);
        Ok(())
    }

    /// Limits that this machine could not set.
    pub fn missing_limits(&self) -> &[String] {
        self.session.missing()
    }

    /// Loads further modules into the warm interpreter.
    pub fn preload(&mut self, names: &[String], cancel: &Cancel) -> Result<()> {
        self.tell(&json!({"op": "preload", "names": names}))?;
        let answer = self.answer(Instant::now() + START, cancel)?;
        if answer["op"] == "preloaded" {
            Ok(())
        } else {
            Err(self.astray(&answer))
        }
    }

    /// Makes one run. An error means that the run did not begin or was cancelled; a session that is lost in mid-run
    /// is part of the report.
    pub fn run(
        &mut self,
        order: &Order,
        live: &mut dyn FnMut(Live),
        cancel: &Cancel,
    ) -> Result<RunReport> {
        let kills = self.session.oom_kills();
        let code: Vec<(&RepoPath, Vec<u8>)> = order
            .code
            .iter()
            .filter_map(|file| Some((&file.path, STANDARD.decode(&file.data).ok()?)))
            .collect();
        let header = self.header(order, &code);
        let texts = order.files.iter().map(|(_, text)| text.as_slice());
        let payload: Vec<u8> = texts
            .chain(code.iter().map(|(_, data)| data.as_slice()))
            .flatten()
            .copied()
            .collect();
        let nonce = format!("{:032x}", rand::random::<u128>());
        let mut bytes = framed(&header)?;
        bytes.extend(payload);
        // The forked process takes the payload, the warden what follows it.
        bytes.extend(framed(&json!({"nonce": nonce}))?);
        self.send(&bytes)?;
        let answer = self.answer(Instant::now() + START, cancel)?;
        if answer["op"] != "forked" {
            return Err(self.astray(&answer));
        }
        let mut report = RunReport::default();
        let until = Instant::now() + order.limits.total + GRACE;
        loop {
            match self.answer(until, cancel) {
                Ok(message) if message["n"] != nonce.as_str() => report.forged = true,
                Ok(message) if message["op"] == "end" => {
                    absorb_end(&mut report, &message);
                    break;
                }
                Ok(message) => absorb(&mut report, &message, live),
                Err(why) => {
                    cancel.check()?;
                    report.loss = Some(self.loss(&why));
                    break;
                }
            }
        }
        if let (Some(before), Some(after)) = (kills, self.session.oom_kills()) {
            report.oom_kills = report.oom_kills.max(after.saturating_sub(before));
        }
        Ok(report)
    }

    fn loss(&mut self, why: &Error) -> Loss {
        match self.session.ending() {
            Ending::OutOfMemory => Loss::OutOfMemory,
            Ending::EngineGone => Loss::Engine,
            Ending::Silent if why.what() == SILENT => Loss::Silent,
            Ending::Silent | Ending::Died => Loss::Died,
        }
    }

    /// Where the project's copy lies inside.
    fn root(&self) -> String {
        format!("{}/project", self.session.scratch()[0])
    }

    fn header(&self, order: &Order, code: &[(&RepoPath, Vec<u8>)]) -> Value {
        let scratch = self.session.scratch();
        let root = self.root();
        let code: Vec<_> = code
            .iter()
            .map(|(path, data)| json!([path.as_str(), data.len()]))
            .collect();
        let files: Vec<_> = order
            .files
            .iter()
            .map(|(path, text)| json!([path.as_str(), text.len()]))
            .collect();
        // What is withheld holds references: it is not to pass through the warden, compiled or not.
        let wanted: Vec<&str> = order
            .files
            .iter()
            .filter(|(path, _)| order.list_code && !order.project.withheld.contains(path))
            .map(|(path, _)| path.as_str())
            .collect();
        let mut limits = self.session.inner_limits();
        limits.insert("memory".into(), order.limits.memory.into());
        limits.insert(
            "total_seconds".into(),
            order.limits.total.as_secs_f64().into(),
        );
        limits.insert(
            "test_seconds".into(),
            json!(order.limits.each_test.map(|limit| limit.as_secs_f64())),
        );
        let mut arguments: Vec<String> = ["-p", "no:cacheprovider", "-s", "--color=no", "--tb=native"]
            .map(str::to_owned)
            .to_vec();
        arguments.extend(order.arguments.iter().cloned());
        let environment: serde_json::Map<_, _> = ENVIRONMENT
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        json!({
            "op": "run", "base": format!("{}/{}", self.session.base(), order.project.name), "root": root,
            "scratch": scratch, "files": files, "paths": order.import_roots, "tests": order.tests,
            "own_modules": order.project.own_modules(order.import_roots), "args": arguments, "limits": limits,
            "check": order.check.as_str(), "env": environment, "list_modules": order.list_modules,
            "ahead": order.ahead, "conftest": order.project.has_conftest(), "code": code, "list_code": wanted,
            "reference": order.reference.map(<[u32; 2]>::from),
        })
    }

    fn tell(&mut self, header: &Value) -> Result<()> {
        self.send(&framed(header)?)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.session.send(bytes).map_err(|why| self.explain(why))
    }

    /// The next message, or an error when none came until then.
    fn answer(&mut self, until: Instant, cancel: &Cancel) -> Result<Value> {
        loop {
            if let Some(message) = self.lines.pop_front() {
                return Ok(message);
            }
            cancel.check()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::sandbox(SILENT));
            }
            match self.session.receive(left.min(BEAT)) {
                Ok(Some(bytes)) => self.take(&bytes),
                Ok(None) => {}
                Err(why) => return Err(self.explain(why)),
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        while let Some(end) = memchr::memchr(b'\n', &self.buffer) {
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            self.lines
                .push_back(serde_json::from_slice(&line).unwrap_or(Value::Null));
        }
    }

    fn explain(&self, why: Error) -> Error {
        let complaints = self.session.complaints();
        let lines = || complaints.trim().lines();
        let told = lines().find_map(|line| line.strip_prefix("evoscope: "));
        match told.or_else(|| lines().last()) {
            Some(last) => {
                Error::sandbox(format!("{}: {last}", why.what())).hint(why.advice().unwrap_or(
                    "see that the interpreter works and has pytest, or use another --sandbox",
                ))
            }
            None => why,
        }
    }

    fn astray(&self, answer: &Value) -> Error {
        self.explain(Error::sandbox(format!(
            "the sandbox answered out of turn: {answer}"
        )))
    }
}

/// A header as the warden reads it: its length in four bytes, then JSON.
fn framed(header: &Value) -> Result<Vec<u8>> {
    let header = header.to_string().into_bytes();
    let length = u32::try_from(header.len()).map_err(|_| Error::internal("a header beyond 4 GB"))?;
    let mut bytes = length.to_be_bytes().to_vec();
    bytes.extend(header);
    Ok(bytes)
}

const SILENT: &str = "the sandbox does not answer";

fn absorb(report: &mut RunReport, message: &Value, live: &mut dyn FnMut(Live)) {
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

fn absorb_end(report: &mut RunReport, message: &Value) {
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
    let tail = STANDARD
        .decode(message["tail"].as_str().unwrap_or_default())
        .unwrap_or_default();
    if !tail.is_empty() {
        report.log.extend_from_slice(b"\n[...]\n");
        report.log.extend_from_slice(&tail);
    }
}
