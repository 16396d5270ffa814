//! Collects requirements from the files of a project. Requirements may have markers (PEP 508), which restrict them to
//! some Python versions or systems. A requirement is ignored if requirements of the same package were found earlier and
//! cover all its Python versions and systems.

use std::str::FromStr;

use pep508_rs::{ExtraName, MarkerTree, PackageName, Requirement};

use super::covering::{Covering, lines};
use super::line::parse;
use super::model::{Purpose, Requirements};
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

/// The file name after the option `-r` or `--requirement` (with `=`, a space or nothing), without a comment. `None` if
/// the line does not begin with this option.
pub(super) fn included_file(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("-r")
        .or_else(|| line.strip_prefix("--requirement"))?;
    let name = rest.split(" #").next().unwrap_or(rest);
    Some(name.trim().trim_start_matches('=').trim())
}

/// The path of `file`, which is named in a file in `folder`: `../base.txt` in `requirements/dev` is
/// `requirements/base.txt`.
fn joined(folder: &str, file: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The requirements that were found so far.
pub(super) struct Collector<'a> {
    tree: &'a SourceTree,
    /// The project's own name.
    own: Option<PackageName>,
    /// The extras and groups to collect.
    groups: Vec<ExtraName>,
    runtime: Covering,
    tests: Covering,
    pytest: Vec<Requirement>,
}

impl<'a> Collector<'a> {
    pub fn new(tree: &'a SourceTree, own: Option<PackageName>) -> Self {
        let groups = TEST_GROUPS.iter().filter_map(|name| name.parse().ok());
        Self {
            tree,
            own,
            groups: groups.collect(),
            runtime: Covering::default(),
            tests: Covering::default(),
            pytest: Vec::new(),
        }
    }

    /// The collected requirements.
    pub fn finish(self) -> Requirements {
        let tests = self.tests.found.iter();
        let tests = tests.filter(|requirement| !self.runtime.covers(requirement));
        Requirements {
            tree: self.tree.clone(),
            own: self.own,
            runtime: lines(&self.runtime.found),
            tests: lines(tests),
            named_pytest: lines(&self.pytest),
            ..Requirements::default()
        }
    }

    /// Whether anything but pytest is required for tests.
    pub fn has_test_requirements(&self) -> bool {
        !self.tests.found.is_empty()
    }

    /// Whether anything but pytest is required for the project itself.
    pub fn has_runtime_requirements(&self) -> bool {
        !self.runtime.found.is_empty()
    }

    /// Adds the requirement in a line, if there is one.
    pub fn require(&mut self, line: &str, purpose: Purpose) {
        self.require_where(line, &MarkerTree::TRUE, purpose);
    }

    /// Adds the requirement in a line, if there is one, with the further condition `marker`.
    pub fn require_where(&mut self, line: &str, marker: &MarkerTree, purpose: Purpose) {
        if let Some(mut requirement) = parse(line) {
            requirement.marker.and(marker.clone());
            if !requirement.marker.is_false() {
                self.add(requirement, purpose);
            }
        }
    }

    /// Adds a requirement, unless earlier requirements of the same package and purpose cover its marker. If the package
    /// is the project itself, no requirement is added, but the extras that it names are collected.
    fn add(&mut self, requirement: Requirement, purpose: Purpose) {
        if self.own.as_ref() == Some(&requirement.name) {
            for extra in &requirement.extras {
                self.want_group(extra.as_ref());
            }
        } else if requirement.name.as_ref() == "pytest" {
            if !self.pytest.contains(&requirement) {
                self.pytest.push(requirement);
            }
        } else if purpose == Purpose::Runtime {
            self.runtime.add(requirement);
        } else {
            self.tests.add(requirement);
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
        let least = least.trim_matches(['"', '\'']);
        self.require(&format!("pytest>={least}"), Purpose::Tests);
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
            self.require(word, Purpose::Tests);
        }
    }

    /// Reads the requirements file `name` and the files that it includes with `-r`. `depth` is 0 for the first file,
    /// and 1 higher for each further inclusion. Missing files are skipped, and so are files deeper than `MAX_DEPTH`.
    pub fn read_file(&mut self, name: &str, depth: u8, purpose: Purpose) {
        let text = self.tree.small_text(name).unwrap_or_default();
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        for line in text.lines().map(str::trim) {
            match included_file(line) {
                Some(other) if depth < MAX_DEPTH => {
                    self.read_file(&joined(folder, other), depth + 1, purpose);
                }
                Some(_) => {}
                None => self.require(line, purpose),
            }
        }
    }
}
