//! The requirements of a project.

use crate::history::SourceTree;

/// What an environment must contain: the requirements declared in `evoscope.toml`, and, if none are declared, those
/// found in the project's files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Requirements {
    /// The Python version: `3.9`.
    pub python: Option<String>,
    /// Declared packages, in the syntax of pip. If one cannot be installed, the build fails.
    pub packages: Vec<String>,
    /// Packages that were found (PEP 508). If one cannot be installed, it is left out, and the log reports it.
    pub found: Vec<String>,
    /// Commands that run after the packages are installed.
    pub setup: Vec<String>,
    /// The project's files. The setup commands run in a copy of them.
    pub tree: SourceTree,
    /// The container image to start from.
    pub image: Option<String>,
}

impl Requirements {
    /// Whether only pytest is required.
    pub(crate) fn is_empty(&self) -> bool {
        self.packages.is_empty() && self.found.is_empty() && self.setup.is_empty()
    }
}
