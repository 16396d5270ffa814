//! The messages between a driver and the runner in its session.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::report::{Killed, Outcome};
use crate::benchmark::vocabulary;
use crate::environment::Toolchain;

/// The first message: the settings that all runs of the session share.
#[derive(Debug, Serialize)]
pub(super) struct Hello<'a> {
    pub root: &'a str,
    pub scratch: &'a [&'static str],
    pub disk: u64,
    /// Whether each run gets its own namespaces and mounts.
    pub isolated: bool,
    pub environment: serde_json::Map<String, Value>,
    /// The top-level modules of the project. No library may shadow them.
    pub own_modules: &'a [String],
    /// What runs need in addition to the interpreter: a field `java` for tests in Java, no field for tests in Python.
    #[serde(flatten)]
    pub toolchain: Option<&'a Toolchain>,
}

/// A file; its bytes follow the header.
#[derive(Debug, Serialize)]
pub(super) struct FileHeader<'a> {
    pub path: &'a str,
    pub mode: u32,
    pub size: usize,
}

/// The limits that the runner enforces.
#[derive(Debug, Serialize)]
pub(super) struct RunLimits {
    pub total_seconds: f64,
    pub test_seconds: Option<f64>,
    pub memory: u64,
    /// Whether the run is ended as soon as pytest has reported failed tests.
    pub end_when_failed: bool,
    /// The limit of each process's address space in bytes, if no control group limits the memory.
    pub address_space: Option<u64>,
}

/// A request to the runner.
#[derive(Debug, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(super) enum Request<'a> {
    /// Take a project's files.
    Project {
        files: Vec<FileHeader<'a>>,
        folders: Vec<&'a str>,
    },
    /// Make a run.
    Run {
        files: Vec<FileHeader<'a>>,
        target: &'a str,
        tests: &'a [String],
        arguments: Vec<&'a str>,
        import_roots: &'a [String],
        limits: RunLimits,
        /// The target's body in the reference, to look for copies of it in the environment.
        inventory: Option<&'a str>,
        loaded: &'a Loaded,
        without_libraries: bool,
    },
}

/// What a run of the reference has loaded. Sessions import these modules and compile these files before later runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// Modules from outside the project, in the order of loading.
    pub modules: Vec<String>,
    /// The project's own files.
    pub files: Vec<LoadedFile>,
}

/// A file of the project that was loaded as a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedFile {
    /// Its path from the project's root.
    pub path: String,
    /// Whether pytest rewrote its assertions.
    pub rewritten: bool,
}

/// The place and reason of a syntax error in a target's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyntaxError {
    /// The 1-based line.
    pub line: u32,
    /// The interpreter's message.
    pub message: String,
}

/// A message from the runner.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(super) enum Reply {
    /// The test program is loaded.
    Ready {},
    /// The session cannot be used.
    Broken { message: String },
    /// The project's files are there.
    Staged {},
    /// The target's file does not parse; the run was not made.
    Syntax(SyntaxError),
    /// Bytes that the run printed follow.
    Log {},
    /// A report from the run. It comes from a process that also runs the completion, so it cannot be trusted.
    Report { message: Value },
    /// The run has ended.
    Ended(Ended),
}

/// How a run ended.
#[derive(Debug, Deserialize)]
pub(super) struct Ended {
    pub code: Option<i64>,
    pub signal: Option<i64>,
    /// Whether the run was isolated and got its files. Otherwise no code of the project has run.
    pub started: bool,
    pub killed: Option<Killed>,
    pub running: Option<String>,
    pub foreign_reports: bool,
    pub seconds: f64,
    /// How many processes the kernel killed because they were out of memory, if the runner can see that.
    pub oom_kills: u64,
    /// Whether libraries were loaded before the run.
    pub libraries: bool,
}

/// What a phase of a test raised.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TestFailure {
    /// `setup`, `call` or `teardown`.
    #[serde(default)]
    pub when: String,
    /// The exception's type.
    #[serde(default)]
    pub error: String,
    /// Its message, as pytest shortens it.
    #[serde(default)]
    pub message: String,
    /// The limit that the exception reports: `memory`, `disk`, `processes`.
    #[serde(default)]
    pub limit: Option<String>,
    /// The frames of the traceback: file (relative to the project's root if inside it), line, function.
    #[serde(default)]
    pub frames: Vec<(String, u32, String)>,
    /// The traceback as Python prints it, shortened.
    #[serde(default)]
    pub text: String,
}

impl TestFailure {
    /// Whether an assertion of the test was not met.
    pub fn is_unmet(&self) -> bool {
        self.when == "call" && (self.error.contains("Assert") || self.error.contains("Fail"))
    }
}

/// What a run reports about its tests.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(super) enum TestEvent {
    /// A test begins.
    Begin { id: String },
    /// A phase of a test has ended.
    Phase {
        id: String,
        when: Phase,
        outcome: Outcome,
        seconds: f64,
        #[serde(default)]
        failure: Option<TestFailure>,
    },
    /// A file or class cannot be collected.
    Collect {
        id: String,
        message: String,
        text: String,
    },
    /// pytest's session has ended in order.
    Finish { status: i64 },
    /// An error inside pytest.
    Internal { text: String },
    /// What a run of the reference has loaded.
    Inventory {
        copies: Vec<String>,
        #[serde(flatten)]
        loaded: Loaded,
    },
}

vocabulary! {
    /// A phase of a test.
    Phase: "a phase of a test" {
        /// Before the test.
        Setup = "setup",
        /// The test itself.
        Call = "call",
        /// After it.
        Teardown = "teardown",
    }
}
