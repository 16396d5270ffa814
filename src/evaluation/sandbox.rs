//! The interface of all sandboxes. A session of a sandbox is an isolated interpreter with limits, which exchanges bytes
//! with Evoscope. A session makes many runs. A run executes the tests of one task with one completion.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::benchmark::vocabulary;
use crate::environment::Interpreter;
use crate::error::{Cancel, Error, Result};

vocabulary! {
    /// The kind of a sandbox. Every result names the kind of the sandbox that ran the completion.
    SandboxKind: "a sandbox" {
        /// A container of Docker.
        Docker = "docker",
        /// A container of Podman.
        Podman = "podman",
        /// Linux namespaces, set up by this binary alone.
        Local = "local",
    }
}

vocabulary! {
    /// The values of the option `--sandbox`.
    SandboxChoice: "a sandbox" {
        /// Docker, or Podman if Docker is not running. Local if neither is available, or if all tasks are in Java and
        /// no image is named.
        Auto = "auto",
        /// Docker or Podman containers.
        Docker = "docker",
        /// Linux namespaces, without a container engine.
        Local = "local",
    }
}

impl SandboxChoice {
    /// The kind of sandbox that the value names; `None` for `auto`. The value `docker` allows Podman too.
    pub fn kind(self) -> Option<SandboxKind> {
        match self {
            Self::Auto => None,
            Self::Docker => Some(SandboxKind::Docker),
            Self::Local => Some(SandboxKind::Local),
        }
    }

    /// The description of the value in the help of `--sandbox`.
    pub fn help(self) -> &'static str {
        match self {
            Self::Auto => {
                "Docker, or Podman if Docker is not running. Local if neither is available, or if all tasks are in Java \
                 and no image is named"
            }
            Self::Docker => "Docker or Podman containers",
            Self::Local => "Linux namespaces, without a container engine",
        }
    }
}

/// The limits of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The memory of all processes of the run together, in bytes.
    pub memory: u64,
    /// The number of processes and threads.
    pub processes: u32,
    /// The size of each scratch folder in bytes: the folder with the project's files, and `/tmp`.
    pub disk: u64,
    /// The wall-clock time for a task's whole list of tests.
    pub total: Duration,
    /// The wall-clock time for each test; `None` if the benchmark does not limit this time.
    pub each_test: Option<Duration>,
}

impl Limits {
    /// These limits with all wall-clock times multiplied by `times`.
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
    /// DevEval's limits of time and memory: 60 s for a task's list of tests, and 5 GB (`pass_k.py`). The other limits
    /// are Evoscope's own.
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

/// The host name inside a sandbox.
pub(super) const HOSTNAME: &str = "sandbox";
/// The content of `/etc/hosts` in the local sandbox.
pub(super) const ETC_HOSTS: &str = "127.0.0.1 localhost sandbox\n::1 localhost\n";

/// The program that an interpreter runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The arguments of the interpreter.
    pub arguments: Vec<String>,
    /// The environment variables of the interpreter.
    pub environment: Vec<(&'static str, &'static str)>,
}

/// The configuration of a session.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The interpreter to start.
    pub interpreter: Interpreter,
    /// The program that the interpreter runs.
    pub program: Program,
    /// The limits of a run. The limits of the sandbox are higher, because the session has processes of its own.
    pub limits: Limits,
}

/// Why a session was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The session's processes have ended.
    Died,
    /// The kernel killed the session because memory ran out.
    OutOfMemory,
    /// The session is still running, but did not answer in time.
    Silent,
    /// The container engine no longer answers.
    Engine,
}

/// The last 8,192 bytes of a program's standard error, shared between threads.
#[derive(Debug, Clone, Default)]
pub(super) struct StderrTail(Arc<Mutex<Vec<u8>>>);

impl StderrTail {
    /// Appends bytes, and drops the oldest bytes if there are more than 8,192.
    pub fn push(&self, bytes: &[u8]) {
        let mut tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(bytes);
        let surplus = tail.len().saturating_sub(8192);
        tail.drain(..surplus);
    }

    /// The bytes as text. Invalid UTF-8 is replaced.
    pub fn text(&self) -> String {
        let tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&tail).into_owned()
    }
}

/// The next bytes from a thread that reads a program's output; `None` if none arrive within `wait`. Returns an error of
/// kind sandbox if the thread has ended.
pub(super) fn next_output(output: &Receiver<Vec<u8>>, wait: Duration) -> Result<Option<Vec<u8>>> {
    match output.recv_timeout(wait) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(Error::sandbox("the sandbox has ended")),
    }
}

/// A running sandbox. Dropping the session ends all its processes and removes its resources.
pub trait Session: Send {
    /// Writes all bytes to the program's standard input. Returns an error if the program no longer reads from the
    /// input.
    fn send(&mut self, bytes: &[u8]) -> Result<()>;

    /// The next bytes from the program's standard output; `None` if none arrive within `wait`. Returns an error if the
    /// stream has ended.
    fn receive(&mut self, wait: Duration) -> Result<Option<Vec<u8>>>;

    /// The scratch folders inside the sandbox. The first folder contains the project's files.
    fn scratch(&self) -> &'static [&'static str];

    /// Whether the program in this session has the privileges to give each run its own namespaces and mounts.
    fn isolates_runs(&self) -> bool {
        false
    }

    /// The limits that this machine cannot set, in words.
    fn missing_limits(&self) -> &[String];

    /// The limit for the address space of each process of a run, in bytes; `None` if the sandbox limits the memory in
    /// another way.
    fn address_space(&self) -> Option<u64> {
        None
    }

    /// How many processes of the session the kernel has killed because memory ran out; `None` if unknown.
    fn oom_kills(&self) -> Option<u64> {
        None
    }

    /// Why the session was lost. Must be called only if the standard output has ended, or if the session did not answer
    /// in time.
    fn loss(&mut self) -> Loss;

    /// The last bytes of the program's standard error, as text.
    fn stderr_tail(&self) -> String;
}

/// A kind of isolation in which untrusted code can run.
pub trait Sandbox: Send + Sync {
    /// The kind of this sandbox.
    fn kind(&self) -> SandboxKind;

    /// Opens a session and starts the program of `recipe` in the session.
    fn open(&self, recipe: &Recipe, cancel: &Cancel) -> Result<Box<dyn Session>>;

    /// Removes the folders, control groups and containers of Evoscope processes that have ended. Returns the number of
    /// removed objects.
    fn remove_stale(&self) -> Result<usize>;
}
