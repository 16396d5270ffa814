//! The requirements of a project.

use crate::history::SourceTree;

/// What an environment must contain: the requirements that `evoscope.toml` declares or, if it declares none, the
/// requirements that the project's files name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Requirements {
    /// The Python version: `3.9`. `None` for any version.
    pub python: Option<String>,
    /// Declared packages, in the syntax of pip. If a package cannot be installed, the build fails.
    pub packages: Vec<String>,
    /// Packages that the project's files name (PEP 508). If a package cannot be installed, the build leaves it out and
    /// the log reports this.
    pub found: Vec<String>,
    /// Commands that run after the packages are installed.
    pub setup: Vec<String>,
    /// The project's files. The setup commands run in a copy of these files.
    pub tree: SourceTree,
    /// The container image to build on. `None` for the default image.
    pub image: Option<String>,
}

impl Requirements {
    /// Whether only pytest is required.
    pub(crate) fn is_empty(&self) -> bool {
        self.packages.is_empty() && self.found.is_empty() && self.setup.is_empty()
    }
}
