//! The driver of a warden: sends it runs, reads what it reports, and never waits longer than the limits allow.

mod code;
mod message;
mod modules;
mod order;
mod report;

use std::collections::{HashMap, HashSet, VecDeque};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::message::{ARGUMENTS, Ground, Message};
pub use self::modules::Stock;
use self::modules::{Loaded, program_name};
pub use self::order::{CompiledFile, Order, OwnFile, Pattern, Warmth};
#[cfg(test)]
pub use self::report::Left;
pub use self::report::{
    Failure, Fetched, Killed, Live, Loss, Outcome, RunReport, TestReport, Traces,
};
use self::report::{absorb, absorb_end};
use super::ledger::{Ledger, LedgerKey};
use super::program::PROGRAM;
use super::sandbox::{Ending, Recipe, Sandbox, SandboxKind, Session};
use crate::benchmark::RepoPath;
use crate::environment::{Interpreter, ProjectFiles};
use crate::error::{Cancel, Error, Result};

/// How long a session may take to come up.
const START: Duration = Duration::from_mins(2);
/// How long a session may be silent beyond a run's own limits.
const GRACE: Duration = Duration::from_secs(15);
/// How often a waiting driver looks at the cancel flag.
const BEAT: Duration = Duration::from_millis(50);

/// A session with a warden that answers.
pub struct Warden {
    session: Box<dyn Session>,
    buffer: Vec<u8>,
    lines: VecDeque<Value>,
    /// The path inside of the environment's interpreter that the next order is for.
    here: String,
    laid: Laid,
    /// What files that come with runs compile to, as far as it was asked for; `None` for one that does not compile.
    brought: HashMap<LedgerKey, Option<CompiledFile>>,
    /// Whose stock the next answer about modules is of.
    stocked: LedgerKey,
    /// What was no part of a stock, until it is in the ledger.
    loaded: Vec<Loaded>,
    /// The interpreter's version.
    pub python: String,
    /// pytest's version.
    pub pytest: String,
}

/// What lies in the sandbox, as far as it is known from here.
#[derive(Default)]
struct Laid {
    /// The project's name.
    project: Option<String>,
    /// Its files that the last run had others in place of: they are away.
    owed: Vec<RepoPath>,
    /// The ground that the last run was forked from.
    ground: Option<Ground>,
    /// Its files whose code is there.
    compiled: HashSet<OwnFile>,
}

impl Warden {
    /// Opens a session and waits until its interpreter has loaded pytest. What its trunk has loaded before is found while
    /// the session comes up.
    pub fn open(
        sandbox: &dyn Sandbox,
        recipe: &Recipe,
        stock: impl FnOnce() -> Result<Stock> + Send,
        cancel: &Cancel,
    ) -> Result<Self> {
        let (session, stock) = thread::scope(|scope| {
            let stock = scope.spawn(stock);
            let session = sandbox.open(recipe, cancel)?;
            let stock = stock
                .join()
                .unwrap_or_else(|_| Err(Error::internal("the reading of modules panicked")))?;
            Ok::<_, Error>((session, stock))
        })?;
        let mut warden = Self::with(session, sandbox.kind(), recipe, &stock)?;
        warden.greeted(cancel)?;
        Ok(warden)
    }

    /// Opens a session, with what its trunk has loaded before, and does not wait; nothing may be asked of it before it
    /// has [`greeted`](Self::greeted).
    pub fn begin(
        sandbox: &dyn Sandbox,
        recipe: &Recipe,
        stock: &Stock,
        cancel: &Cancel,
    ) -> Result<Self> {
        let session = sandbox.open(recipe, cancel)?;
        Self::with(session, sandbox.kind(), recipe, stock)
    }

    /// The warden of an open session, which is sent its program.
    fn with(
        session: Box<dyn Session>,
        kind: SandboxKind,
        recipe: &Recipe,
        stock: &Stock,
    ) -> Result<Self> {
        let mut warden = Self {
            here: session.python(&recipe.trunk),
            session,
            buffer: Vec::new(),
            lines: VecDeque::new(),
            laid: Laid::default(),
            brought: HashMap::new(),
            stocked: stock.key,
            loaded: Vec::new(),
            python: String::new(),
            pytest: String::new(),
        };
        let hello = json!({
            "alone": true, "root": warden.root(), "args": ARGUMENTS, "processor": recipe.processor,
        });
        let mut message = Message::empty();
        message.add_block(program_name().as_bytes())?;
        message.add_block(PROGRAM.as_bytes())?;
        // A container's files are known by the identity of its image and its volumes.
        message.add_number(usize::from(kind == SandboxKind::Local))?;
        message.add_number(stock.len())?;
        stock.add_to(&mut message)?;
        message.append(&Message::new(&hello)?);
        warden.send(&message)?;
        Ok(warden)
    }

    /// Turns to another of the session's environments. What was loaded for the last one is forgotten.
    pub fn enter(&mut self, environment: &Interpreter) {
        let there = self.session.python(environment);
        if there != self.here {
            self.here = there;
            self.laid = Laid::default();
        }
    }

    /// Waits until the interpreter has loaded pytest.
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
        self.note_loaded(&answer["modules"]);
        Ok(())
    }

    /// Limits that this machine could not set.
    pub fn missing_limits(&self) -> &[String] {
        self.session.missing()
    }

    /// Has more ready in the warm interpreter.
    pub fn preload(&mut self, warmth: &Warmth, stock: &Stock, cancel: &Cancel) -> Result<()> {
        self.ask_to_preload(warmth, stock)?;
        self.preloaded(cancel)
    }

    /// Asks for more to be ready, without waiting until it [is](Self::preloaded).
    pub fn ask_to_preload(&mut self, warmth: &Warmth, stock: &Stock) -> Result<()> {
        let mut message = Message::new(&json!({
            "op": "preload", "python": self.here, "names": warmth.modules, "patterns": warmth.patterns,
            "carried": stock.len(),
        }))?;
        stock.add_to(&mut message)?;
        self.stocked = stock.key;
        self.send(&message)
    }

    /// Has another of the session's environments come up beside the runs of this one, with what it will load ready.
    pub fn ahead(
        &mut self,
        environment: &Interpreter,
        warmth: &Warmth,
        stock: &Stock,
    ) -> Result<()> {
        let mut message = Message::new(&json!({
            "op": "ahead", "python": self.here, "next": self.session.python(environment),
            "names": warmth.modules, "patterns": warmth.patterns, "carried": stock.len(),
        }))?;
        stock.add_to(&mut message)?;
        self.send(&message)
    }

    /// Waits until what was asked for is ready.
    pub fn preloaded(&mut self, cancel: &Cancel) -> Result<()> {
        let answer = self.answer(Instant::now() + START, cancel)?;
        if answer["op"] != "preloaded" {
            return Err(self.astray(&answer));
        }
        self.note_loaded(&answer["modules"]);
        Ok(())
    }

    /// Makes one run. An error means that the run did not begin or was cancelled; a session that is lost in mid-run
    /// is part of the report. Code that was compiled ahead is taken from the ledger and kept there.
    pub fn run(
        &mut self,
        order: &Order,
        ledger: &Ledger,
        live: &mut dyn FnMut(Live),
        cancel: &Cancel,
    ) -> Result<RunReport> {
        let kills = self.session.oom_kills();
        let nonce = format!("{:032x}", rand::random::<u128>());
        let disturbed = self.begin_run(order, &nonce, ledger, cancel)?;
        let mut report = RunReport::default();
        report.left.disturbed = disturbed;
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

    /// Sends an order, with whatever of its project is not there yet, and waits until its process is forked. Gives whether
    /// the last run had left the project's files otherwise than it found them.
    fn begin_run(
        &mut self,
        order: &Order,
        nonce: &str,
        ledger: &Ledger,
        cancel: &Cancel,
    ) -> Result<bool> {
        self.keep_loaded(ledger)?;
        let code = self.brought_code(order, ledger, cancel)?;
        let known: Vec<_> = code
            .iter()
            .filter_map(|key| self.brought.get(key)?.as_ref())
            .collect();
        let ground = Ground::of(order);
        let mut run = self.order(order, ground.as_ref(), &known)?;
        // The forked process takes the files, the warden what follows them.
        run.append(&Message::new(
            &json!({"nonce": nonce, "follows": order.follows}),
        )?);
        if self.laid.project.as_deref() != Some(&order.project.name) {
            self.laid = Laid::default();
        }
        for again in [false, true] {
            let mut bytes = self.prelude(order, ground.as_ref(), ledger)?;
            bytes.append(&run);
            self.send(&bytes)?;
            let answer = self.begun(order, ledger, cancel)?;
            if answer["op"] == "forked" {
                self.laid.owed = replaced(order);
                return Ok(again || answer["disturbed"] != false);
            }
            if answer["op"] != "unlaid" {
                return Err(self.astray(&answer));
            }
            self.laid = Laid::default();
        }
        Err(Error::sandbox(
            "the project's files do not stay where they are laid",
        ))
    }

    /// The next answer that is not about code.
    fn begun(&mut self, order: &Order, ledger: &Ledger, cancel: &Cancel) -> Result<Value> {
        loop {
            let answer = self.answer(Instant::now() + START, cancel)?;
            if answer["op"] != "compiled" {
                return Ok(answer);
            }
            for file in answer["files"].as_array().into_iter().flatten() {
                self.keep_code(order.project, file, ledger)?;
            }
        }
    }

    /// Where the project's files lie inside.
    fn root(&self) -> String {
        format!("{}/project", self.session.scratch()[0])
    }

    fn send(&mut self, message: &Message) -> Result<()> {
        self.session
            .send(message.bytes())
            .map_err(|why| self.explain(why))
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
        let advice = lines().find_map(|line| line.trim().strip_prefix("hint: "));
        match told.or_else(|| lines().last()) {
            Some(last) => Error::sandbox(format!("{}: {last}", why.what())).hint(
                advice.or_else(|| why.advice()).unwrap_or(
                    "see that the interpreter works and has pytest, or use another --sandbox",
                ),
            ),
            None => why,
        }
    }

    fn astray(&self, answer: &Value) -> Error {
        self.explain(Error::sandbox(format!(
            "the sandbox answered out of turn: {answer}"
        )))
    }
}

/// The project's own files that an order has others in place of.
fn replaced(order: &Order) -> Vec<RepoPath> {
    let paths = order.files.iter().map(|(path, _)| path);
    paths
        .filter(|path| !order.project.withheld.contains(path))
        .cloned()
        .collect()
}

const SILENT: &str = "the sandbox does not answer";
