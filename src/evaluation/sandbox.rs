//! What every sandbox offers: a warm interpreter behind a pair of pipes, under limits, cut off from everything else.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::environment::Interpreter;
use crate::error::{Cancel, Result};

/// Which sandbox ran a completion; stands in every result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxKind {
    /// A container of Docker.
    Docker,
    /// A container of Podman.
    Podman,
    /// Linux namespaces, from this binary alone.
    Local,
}

impl SandboxKind {
    /// The word for it in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Podman => "podman",
            Self::Local => "local",
        }
    }
}

/// What one run may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of memory, all processes of the run together.
    pub memory: u64,
    /// Processes and threads.
    pub processes: u32,
    /// Bytes of scratch space (project copy and `/tmp` each).
    pub disk: u64,
    /// Wall time of a task's whole list of tests.
    pub total: Duration,
    /// Wall time of each test, where the benchmark limits that.
    pub each_test: Option<Duration>,
}

impl Limits {
    /// The same with so many times the time.
    #[must_use]
    pub fn longer(self, times: u32) -> Self {
        Self {
            total: self.total.saturating_mul(times),
            each_test: self.each_test.map(|each| each.saturating_mul(times)),
            ..self
        }
    }
}

impl Default for Limits {
    /// DevEval's limits: 60 s for the list, 5 GB of memory (`pass_k.py`).
    fn default() -> Self {
        Self {
            memory: 5 << 30,
            processes: 256,
            disk: 1 << 30,
            total: Duration::from_mins(1),
            each_test: None,
        }
    }
}

/// What a sandbox is called in itself.
pub(super) const HOSTNAME: &str = "sandbox";
/// What `/etc/hosts` tells there.
pub(super) const HOSTS: &str = "127.0.0.1 localhost sandbox\n::1 localhost\n";

/// What a session is opened with.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The interpreter that starts it.
    pub trunk: Interpreter,
    /// The environments whose tests it may be asked to run, the trunk's own among them. They have its Python and its
    /// pytest, to the byte.
    pub environments: Vec<Interpreter>,
    /// The limits; a session's own memory is counted in.
    pub limits: Limits,
    /// Which of the machine's processors its own processes keep to, counted round; `None` where they go wherever the
    /// kernel puts them. Runs may use all.
    pub processor: Option<usize>,
}

/// Why a session ended that should not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The sandbox is still there; it only does not answer.
    Silent,
    /// Its processes were ended from inside, or ended by themselves.
    Died,
    /// The kernel ended it for want of memory.
    OutOfMemory,
    /// The engine that holds it is gone.
    EngineGone,
}

/// A running sandbox: bytes in, bytes out. Dropping it ends every process in it and removes what it left, beside other
/// work; [`Sandbox::settle`] waits for that.
pub trait Session: Send {
    /// Writes to the warden's standard input.
    fn send(&mut self, bytes: &[u8]) -> Result<()>;

    /// The next bytes from the warden's standard output; `None` when none came within `wait`.
    /// An error once the stream has ended.
    fn receive(&mut self, wait: Duration) -> Result<Option<Vec<u8>>>;

    /// The path inside of an environment's interpreter.
    fn python(&self, of: &Interpreter) -> String;

    /// The scratch folders inside, the first of which takes the project's files.
    fn scratch(&self) -> &[&'static str];

    /// Limits that this machine could not set, in words.
    fn missing(&self) -> &[String];

    /// Further fields of a run's limits, which only the inside can set.
    fn inner_limits(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::new()
    }

    /// How many processes the kernel has ended for want of memory, where only the outside can tell.
    fn oom_kills(&self) -> Option<u64> {
        None
    }

    /// After the stream has ended or went silent: what became of it.
    fn ending(&mut self) -> Ending;

    /// What the warden wrote to its standard error, the last few thousand bytes.
    fn complaints(&self) -> String;
}

/// A way to run untrusted code.
pub trait Sandbox: Send + Sync {
    /// Which one it is.
    fn kind(&self) -> SandboxKind;

    /// Opens a session and starts the warden in it.
    fn open(&self, recipe: &Recipe, cancel: &Cancel) -> Result<Box<dyn Session>>;

    /// Waits until what closed sessions had is gone.
    fn settle(&self) {}

    /// Whether a session lives on when the thread that opened it has ended.
    fn outlives_threads(&self) -> bool {
        false
    }

    /// Removes what dead runs left behind; gives how many things it removed.
    fn sweep(&self) -> Result<usize>;
}
