//! Runners: programs inside a sandbox that build, run and report the tests of one language.
//!
//! A runner knows nothing of verdicts. It takes a project's files once, then makes one run for each [`RunRequest`] and
//! returns a [`RunReport`] with each test by id.

mod driver;
mod frame;
mod java;
mod message;
mod package;
mod report;

use std::borrow::Cow;

pub(super) use self::driver::SessionRunner;
pub(super) use self::java::java_sources;
pub use self::message::{Loaded, SyntaxError, TestFailure};
pub(super) use self::package::program;

pub use self::report::{Killed, Outcome, RunReport, TestReport};
use super::sandbox::{Limits, SandboxKind};
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Result};

/// A file that replaces the project's own during one run.
#[derive(Debug, Clone)]
pub(super) struct RunFile<'a> {
    /// Its path from the project's root.
    pub path: &'a RepoPath,
    /// Its content.
    pub text: Cow<'a, [u8]>,
    /// Whether it may be executed as a program.
    pub executable: bool,
}

/// One run to make.
#[derive(Debug, Clone)]
pub(super) struct RunRequest<'a> {
    /// The file that holds the target; it must parse before any test is run.
    pub target: &'a RepoPath,
    /// Files in place of the project's own.
    pub files: Vec<RunFile<'a>>,
    /// The ids to run.
    pub tests: &'a [String],
    /// Further arguments for the test program.
    pub arguments: &'a [String],
    /// Folders for the import path, relative to the project's root.
    pub import_roots: &'a [String],
    /// The limits of this run.
    pub limits: Limits,
    /// Whether the run is ended as soon as failed tests are reported, without waiting for threads that they have left.
    /// The completion does not learn this.
    pub end_when_failed: bool,
    /// The target's body as the developers wrote it, where the run is of the reference and has to report what it has
    /// loaded. Never set for a run of a completion.
    pub inventory: Option<&'a str>,
    /// What the reference has loaded: what the session prepares for the run.
    pub loaded: &'a Loaded,
    /// Whether no library is loaded before the run starts.
    pub without_libraries: bool,
}

/// What makes runs, in a session that is opened when it is needed, and again when it is lost.
pub(super) trait Runner {
    /// Makes a run; `log` takes what it prints, raw and hostile.
    fn run(&mut self, request: &RunRequest, log: &mut dyn FnMut(&[u8])) -> Result<RunReport>;
    /// The kind of the sandbox.
    fn kind(&self) -> SandboxKind;
    /// Limits that this machine could not set, in words.
    fn missing_limits(&self) -> Vec<String>;
    /// The flag that ends everything.
    fn cancel(&self) -> &Cancel;
}
