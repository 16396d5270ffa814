//! The requirements of a project.

use pep508_rs::PackageName;

use super::line::{parse, with_pkg_resources};
use super::pytest::USUAL_PYTEST;
use crate::environment::as_of::AsOf;
use crate::history::SourceTree;

/// What a requirement is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The project itself.
    Runtime,
    /// The project's tests or its development.
    Tests,
}

/// What an environment must contain: the requirements that `evoscope.toml` declares or, if it declares none, the
/// requirements that the project's files name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Requirements {
    /// The Python version that `evoscope.toml` or a record names: `3.9` or `3.9.18`. `None` for one that the
    /// project supports.
    pub python: Option<String>,
    /// Declared packages, in the syntax of pip. If a package cannot be installed, the build fails.
    pub packages: Vec<String>,
    /// Whether `packages` names all packages, so that no others are looked for.
    pub is_complete: bool,
    /// Packages that the project itself requires, according to its files (PEP 508). Without pytest.
    pub runtime: Vec<String>,
    /// Further packages that the project's tests or its development require, according to its files (PEP 508). Without
    /// pytest, and without requirements that those in `runtime` cover.
    pub tests: Vec<String>,
    /// All requirements of pytest that the project's files name (PEP 508), in the order in which they were found. See
    /// [`Self::pytest`] and [`Self::own_pytest`].
    pub named_pytest: Vec<String>,
    /// The name of the distribution that the project itself builds. `None` if the project's files do not name it.
    pub own: Option<PackageName>,
    /// The date up to which the package index is believed.
    pub as_of: AsOf,
    /// Whether the user or a record names the date. If not, packages of today are used where uv cannot be had.
    pub is_date_named: bool,
    /// Commands that run after the packages are installed.
    pub setup: Vec<String>,
    /// The project's files. The setup commands run in a copy of these files.
    pub tree: SourceTree,
    /// The container image to build on. `None` for the default image.
    pub image: Option<String>,
}

impl Requirements {
    /// The packages that the project's files name: first those for the project itself, then those for its tests.
    pub fn found(&self) -> Vec<&str> {
        let all = self.runtime.iter().chain(&self.tests);
        all.map(String::as_str).collect()
    }

    /// Removes the packages that the project's files name, because [`Self::packages`] is complete.
    pub fn forget_packages(&mut self) {
        self.is_complete = true;
        self.runtime.clear();
        self.tests.clear();
        self.named_pytest.clear();
    }

    /// Whether only [`USUAL_PYTEST`] is required.
    pub(crate) fn is_empty(&self) -> bool {
        self.packages.is_empty()
            && self.found().is_empty()
            && self.setup.is_empty()
            && self.pytest() == USUAL_PYTEST
    }

    /// Limits setuptools, where the project's files name it, to versions that still have `pkg_resources`. This is for
    /// environments of today: the versions of a past date have it.
    #[must_use]
    pub fn with_pkg_resources(mut self) -> Self {
        for line in self.runtime.iter_mut().chain(&mut self.tests) {
            let setuptools = parse(line).filter(|found| found.name.as_ref() == "setuptools");
            if let Some(requirement) = setuptools {
                *line = with_pkg_resources(requirement).to_string();
            }
        }
        self
    }
}
