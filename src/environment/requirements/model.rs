//! The requirements of a project.

use crate::history::SourceTree;

/// What an environment has to hold: as declared in `evoscope.toml`, and as found in the project's files where nothing is
/// declared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Requirements {
    /// The Python version: `3.9`.
    pub python: Option<String>,
    /// Declared packages, as pip takes them; one that cannot be installed is an error.
    pub packages: Vec<String>,
    /// Packages that were found (PEP 508); one that cannot be installed is left out, which the log reports.
    pub found: Vec<String>,
    /// Commands that run after the packages are installed.
    pub setup: Vec<String>,
    /// The project's files; the setup commands run in a copy of them.
    pub tree: SourceTree,
    /// The container image to start from.
    pub image: Option<String>,
}

impl Requirements {
    /// Whether nothing but pytest is required.
    pub(crate) fn is_empty(&self) -> bool {
        self.packages.is_empty() && self.found.is_empty() && self.setup.is_empty()
    }
}
