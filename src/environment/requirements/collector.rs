//! Collects requirements from the files of a project. Requirements may have markers (PEP 508), which restrict them to
//! some Python versions or systems. A requirement is ignored if requirements of the same package were found earlier and
//! cover all its Python versions and systems.

use std::collections::BTreeMap;
use std::str::FromStr;

use pep440_rs::{VersionSpecifier, VersionSpecifiers};
use pep508_rs::{ExtraName, MarkerTree, PackageName, Requirement};

use super::line::{parse, with_pkg_resources};
use super::model::Requirements;
use super::pytest::asks_for_newer;
use crate::history::SourceTree;

/// The usual names of extras and dependency groups that contain the requirements of tests.
pub(super) const TEST_GROUPS: [&str; 6] = [
    "test",
    "tests",
    "testing",
    "tests_require",
    "dev",
    "develop",
];

/// The maximum depth of requirements files that include each other.
const MAX_DEPTH: u8 = 4;

/// The file name after the option `-r` or `--requirement` (with `=` or a space), without a comment.
fn file_name(rest: &str) -> &str {
    let name = rest.split(" #").next().unwrap_or(rest);
    name.trim().trim_start_matches('=').trim()
}

/// The requirements that were found so far.
pub(super) struct Collector<'a> {
    tree: &'a SourceTree,
    /// The project's own name.
    own: Option<PackageName>,
    /// The extras and groups to collect.
    groups: Vec<ExtraName>,
    /// The Python version: `3.9`.
    python: Option<String>,
    found: Vec<Requirement>,
    /// For each package, the marker that combines the markers of its collected requirements.
    covered: BTreeMap<PackageName, MarkerTree>,
}

impl<'a> Collector<'a> {
    pub fn new(tree: &'a SourceTree, own: Option<PackageName>) -> Self {
        let groups = TEST_GROUPS.iter().filter_map(|name| name.parse().ok());
        Self {
            tree,
            own,
            groups: groups.collect(),
            python: None,
            found: Vec::new(),
            covered: BTreeMap::new(),
        }
    }

    /// The collected requirements.
    pub fn finish(self) -> Requirements {
        Requirements {
            tree: self.tree.clone(),
            python: self.python,
            found: self.found.iter().map(ToString::to_string).collect(),
            ..Requirements::default()
        }
    }

    /// Adds the requirement in a line, if there is one.
    pub fn require(&mut self, line: &str) {
        if let Some(requirement) = parse(line) {
            self.add(requirement);
        }
    }

    /// Adds a requirement, unless earlier requirements of the same package cover its marker. If the package is the
    /// project itself, no requirement is added, but the extras that it names are collected. Ignores pytest, unless a
    /// newer version than the default is required. Limits setuptools with [`with_pkg_resources`].
    fn add(&mut self, requirement: Requirement) {
        if self.own.as_ref() == Some(&requirement.name) {
            for extra in &requirement.extras {
                self.want_group(extra.as_ref());
            }
            return;
        }
        let requirement = match requirement.name.as_ref() {
            "pytest" if !asks_for_newer(&requirement) => return,
            "setuptools" => with_pkg_resources(requirement),
            _ => requirement,
        };
        let covered = self.covered.entry(requirement.name.clone());
        let covered = covered.or_insert(MarkerTree::FALSE);
        if !covered.negate().is_disjoint(&requirement.marker) {
            covered.or(requirement.marker.clone());
            self.found.push(requirement);
        }
    }

    /// Sets the Python version to the lower bound of the specifiers, unless they have none or a version is already set.
    /// Only the first two numbers are used: `3.9` for `>=3.9.1`.
    pub fn python_at_least(&mut self, specifiers: Option<&VersionSpecifiers>) {
        let bounds = specifiers.into_iter().flat_map(|all| all.iter());
        let lowest = bounds
            .filter(|bound| bound.has_lower_bound())
            .map(VersionSpecifier::version)
            .max();
        if let (None, Some(lowest)) = (&self.python, lowest) {
            let numbers = lowest.release().iter().take(2).map(ToString::to_string);
            self.python = Some(numbers.collect::<Vec<_>>().join("."));
        }
    }

    /// The extras and groups to collect.
    pub fn groups(&self) -> &[ExtraName] {
        &self.groups
    }

    /// Whether the extra or group is to be collected.
    pub fn wants(&self, name: &str) -> bool {
        ExtraName::from_str(name).is_ok_and(|name| self.groups.contains(&name))
    }

    /// Adds an extra or group to [`Self::groups`].
    pub fn want_group(&mut self, name: &str) {
        if !self.wants(name) {
            self.groups.extend(ExtraName::from_str(name));
        }
    }

    /// Requires at least the pytest version `least`, the value of the pytest setting `minversion`.
    pub fn pytest_at_least(&mut self, least: &str) {
        self.require(&format!("pytest>={}", least.trim_matches(['"', '\''])));
    }

    /// Adds the plugins in a line of the pytest setting `required_plugins`. Blanks separate the plugins, as in a shell:
    /// `pytest-django>=3.0,<4 'pytest-html >= 3'`.
    pub fn require_plugins(&mut self, line: &str) {
        let mut quote = None;
        let words = line.split(|c: char| match quote {
            None if matches!(c, '\'' | '"') => {
                quote = Some(c);
                true
            }
            None => c.is_whitespace(),
            Some(open) if c == open => {
                quote = None;
                true
            }
            Some(_) => false,
        });
        for word in words.filter(|word| !word.is_empty()) {
            self.require(word);
        }
    }

    /// Reads the requirements file `name` and the files that it includes with `-r`. `depth` is 0 for the first file,
    /// and 1 higher for each further inclusion. Missing files are skipped, and so are files deeper than `MAX_DEPTH`.
    pub fn read_file(&mut self, name: &str, depth: u8) {
        let text = self.tree.small_text(name).unwrap_or_default();
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        for line in text.lines().map(str::trim) {
            let other = line
                .strip_prefix("-r")
                .or_else(|| line.strip_prefix("--requirement"));
            match other.map(file_name) {
                Some(other) if depth < MAX_DEPTH => {
                    let separator = if folder.is_empty() { "" } else { "/" };
                    self.read_file(&format!("{folder}{separator}{other}"), depth + 1);
                }
                Some(_) => {}
                None => self.require(line),
            }
        }
    }
}
