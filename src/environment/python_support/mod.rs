//! The Python versions that a project supports, according to its files. The files are read; no code of the project
//! runs.

mod choice;
mod continuous_integration;
mod minor;
mod specifiers;
mod tox;

use std::collections::BTreeSet;

use pep440_rs::{Version, VersionSpecifier, VersionSpecifiers};
use toml::{Table, Value};

pub use self::choice::{Candidate, choose_pythons};
pub use self::minor::PythonMinor;
use self::specifiers::lenient;
use super::requirements::{alternatives, at, ini_list};
use crate::benchmark::Language;
use crate::code::{NamedValues, parse};
use crate::history::SourceTree;

/// The prefix of the classifiers that name a Python version.
const CLASSIFIER: &str = "Programming Language :: Python :: ";

/// The Python versions that a project's files name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PythonSupport {
    /// The version specifiers of `requires-python`. `None` if the project has none that can be read.
    pub requires: Option<VersionSpecifiers>,
    /// The versions that classifiers, tox and the files of continuous integration list: the project was tested with
    /// these.
    pub tested: BTreeSet<PythonMinor>,
    /// Whether classifiers, tox and the files of continuous integration list only versions of Python 2.
    pub only_python2: bool,
}

impl PythonSupport {
    /// Reads `requires-python` (`pyproject.toml`, `setup.cfg`, `setup.py`), classifiers, the environments of tox, and
    /// the files of continuous integration where they are plain data.
    pub fn read(tree: &SourceTree) -> Self {
        let text = |name| tree.small_text(name).unwrap_or_default();
        let (pyproject, setup_cfg, setup_py) =
            (text("pyproject.toml"), text("setup.cfg"), text("setup.py"));
        let table = pyproject.parse::<Table>().unwrap_or_default();
        let mut listed = Listed::default();
        for text in [&pyproject, &setup_cfg, &setup_py] {
            listed.add_classifiers(text);
        }
        tox::add_environments(tree, &table, &mut listed);
        continuous_integration::add_versions(tree, &mut listed);
        let requires = in_pyproject(&table)
            .or_else(|| lenient(&ini_list(&setup_cfg, "options", "python_requires").join(",")))
            .or_else(|| in_setup_py(&setup_py));
        Self {
            requires,
            only_python2: listed.python2 && !listed.python3 && listed.minors.is_empty(),
            tested: listed.minors,
        }
    }

    /// Whether `requires-python` allows a release of this version. True if there is no `requires-python`.
    pub fn allows(&self, minor: PythonMinor) -> bool {
        let Some(requires) = &self.requires else {
            return true;
        };
        // A bound such as `>=3.6.1` excludes only some releases.
        let releases = (0..=30).map(|patch| Version::new([3, u64::from(minor.0), patch]));
        releases
            .into_iter()
            .any(|release| requires.contains(&release))
    }

    /// This support without the versions below `lowest`, such as `3.9`. Unchanged if `lowest` is not a version.
    #[must_use]
    pub fn at_least(mut self, lowest: &str) -> Self {
        if let Ok(lowest) = lowest.parse() {
            let bound = VersionSpecifier::greater_than_equal_version(lowest);
            let all = self
                .requires
                .into_iter()
                .flat_map(|all| all.iter().cloned().collect::<Vec<_>>());
            self.requires = Some(all.chain([bound]).collect());
        }
        self
    }
}

/// The versions that were found so far.
#[derive(Default)]
struct Listed {
    minors: BTreeSet<PythonMinor>,
    python2: bool,
    /// Whether Python 3 is listed without a minor version.
    python3: bool,
}

impl Listed {
    /// Adds a version: `3.7`, `3`, `2.7.1`. Other text, such as `3.9-dev`, is ignored.
    fn add(&mut self, version: &str) {
        match version {
            "3" => self.python3 = true,
            "2" => self.python2 = true,
            _ if version.starts_with("2.") => self.python2 = true,
            _ => self.minors.extend(PythonMinor::of_version(version)),
        }
    }

    /// Adds the versions in the classifiers of a file. Comments are ignored.
    fn add_classifiers(&mut self, text: &str) {
        for line in text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'))
        {
            for (at, _) in line.match_indices(CLASSIFIER) {
                let rest = &line[at + CLASSIFIER.len()..];
                let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
                // `3 :: Only` is the version 3.
                self.add(&rest[..end.unwrap_or(rest.len())]);
            }
        }
    }
}

fn in_pyproject(table: &Table) -> Option<VersionSpecifiers> {
    let (project, tool) = (table.get("project"), table.get("tool"));
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let requires = text(at(project, &["requires-python"]))
        .or_else(|| text(at(tool, &["flit", "metadata", "requires-python"])))
        .and_then(|requires| lenient(&requires));
    let poetry = || text(at(tool, &["poetry", "dependencies", "python"]));
    requires.or_else(|| poetry().and_then(|constraint| for_python3(&constraint)))
}

/// The last alternative of a constraint of Poetry that allows a version of Python 3, or else the last alternative.
fn for_python3(constraint: &str) -> Option<VersionSpecifiers> {
    let mut alternatives = alternatives(constraint);
    let allows = |requires: &VersionSpecifiers| {
        let support = PythonSupport {
            requires: Some(requires.clone()),
            ..PythonSupport::default()
        };
        PythonMinor::known().any(|minor| support.allows(minor))
    };
    let last = alternatives.iter().rposition(allows);
    let last = last.or(alternatives.len().checked_sub(1))?;
    Some(alternatives.swap_remove(last))
}

/// The value of the first `python_requires` in `setup.py` that is a string, or a variable with a string as its value.
fn in_setup_py(text: &str) -> Option<VersionSpecifiers> {
    let tree = parse(Language::Python, text.as_bytes())?;
    let pairs = NamedValues::of(&tree, text);
    let mut named = pairs
        .found
        .iter()
        .filter(|(name, _)| *name == "python_requires");
    named.find_map(|(_, value)| lenient(pairs.strings(*value).first()?))
}

#[cfg(test)]
mod tests;
