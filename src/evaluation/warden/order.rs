//! What a warden is asked for.

use serde::{Deserialize, Serialize};

use super::super::sandbox::Limits;
use crate::benchmark::{LineSpan, RepoPath};
use crate::environment::ProjectFiles;

/// One run to make: a project with some files in place of its own, and the tests to run.
#[derive(Debug, Clone)]
pub struct Order<'a> {
    /// The project.
    pub project: &'a ProjectFiles,
    /// Every withheld file and those of the task's tests, changed or not, with their bytes.
    pub files: &'a [(RepoPath, Vec<u8>)],
    /// The files of the task's tests and of its counter-test; each run writes them anew, changed or not.
    pub renewed: &'a [RepoPath],
    /// Folders for the interpreter's path, relative to the root.
    pub import_roots: &'a [String],
    /// The ids to run.
    pub tests: &'a [String],
    /// Further arguments for pytest.
    pub arguments: &'a [String],
    /// The spliced file; it must parse before any test is run.
    pub check: &'a RepoPath,
    /// Limits of this run.
    pub limits: Limits,
    /// Whether to list the modules that came from outside the project, the project's own files and what they compiled.
    pub list_modules: bool,
    /// The project's own files that are worth compiling ahead.
    pub ahead: &'a [OwnFile],
    /// Files among `files` that are compiled already, where the code is at hand.
    pub code: &'a [CompiledFile],
    /// Whether to hand back what `files` compile to. Only for runs of trusted code.
    pub list_code: bool,
    /// Whether a run of the same completion came before: what that could have left in the machine's counts is blurred.
    pub follows: bool,
    /// Where the reference's body stands in the checked file, to look for copies of it in the environment. Only for runs
    /// of the reference. The warden itself never sees the text.
    pub reference: Option<LineSpan>,
}

/// A file of the project that its tests load, and whether pytest rewrites its assertions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OwnFile(pub String, pub bool);

/// What a file compiles to, in the warden's own form; it holds for one Python and one pytest, and says which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompiledFile {
    /// The file.
    pub path: RepoPath,
    /// Base64 of the warden's form.
    pub data: String,
}

/// A regular expression as Python's `re` was given it: its text, its flags, and whether it is one over bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pattern(pub String, pub i64, pub bool);

/// What a reference's run has loaded that is not its project's own. A warm interpreter has it ready.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Warmth {
    /// Modules, in the order they were loaded.
    pub modules: Vec<String>,
    /// Regular expressions that it compiled.
    #[serde(default)]
    pub patterns: Vec<Pattern>,
}
