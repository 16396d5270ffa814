//! What a project needs, read from its files without running any of them.

mod pyproject;
mod pytest;
mod setup;
mod used;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use self::pyproject::{configured_in_pyproject, from_pipfile, from_pyproject};
use self::pytest::{NEWER_SETTINGS, asks_for_newer, by_configuration};
use self::setup::{
    from_requires_txt, from_setup_cfg, from_setup_py, ini_list, metadata, project_name,
};
pub(crate) use self::used::FIXTURES;
use self::used::from_test_files;

/// A project's needs: as declared in `evoscope.toml`, and as found in its files where nothing is declared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs {
    /// The Python version: `3.9`.
    pub python: Option<String>,
    /// Packages that were declared; that one cannot be installed is an error.
    pub packages: Vec<String>,
    /// Packages that were found; one that cannot be installed is left out, with a notice.
    pub found: Vec<String>,
    /// Commands run after the packages are there.
    pub setup: Vec<String>,
    /// The project's root, which the commands of `setup` run in a copy of.
    pub root: PathBuf,
    /// The container image to start from.
    pub image: Option<String>,
}

/// Extras and groups that hold what tests need.
const TEST_GROUPS: [&str; 6] = [
    "test",
    "tests",
    "testing",
    "tests_require",
    "dev",
    "develop",
];

/// Tools that no test imports, and pytest itself, whose line is Evoscope's unless the project rules that out.
const NOT_NEEDED: [&str; 25] = [
    "pytest",
    "tox",
    "nox",
    "black",
    "flake8",
    "mypy",
    "isort",
    "pylint",
    "twine",
    "wheel",
    "pip",
    "build",
    "pre-commit",
    "codecov",
    "coverage",
    "coveralls",
    "sphinx",
    "ruff",
    "bumpversion",
    "towncrier",
    "furo",
    "cogapp",
    "pytest-runner",
    "python",
    "virtualenv",
];

/// Reads what the project at `root` says that it and its tests need: `pyproject.toml` (PEP 621, dependency groups,
/// Poetry, PDM, Hatch, uv, Flit), `setup.cfg`, `setup.py` read as text, `tox.ini`, a Pipfile, requirements files, the
/// metadata of a source release, and the well-known testing tools that its tests use. The project itself is never among
/// its needs.
pub fn find_needs(root: &Path) -> Needs {
    let own = project_name(root).map(|name| normal(&name));
    let mut groups = TEST_GROUPS.map(str::to_owned).to_vec();
    loop {
        let found = read_all(root, own.clone(), groups.clone());
        if found.groups.len() == groups.len() {
            return Needs {
                python: found.python,
                found: found.packages,
                root: root.to_owned(),
                ..Needs::default()
            };
        }
        // An extra has named others of the project's own.
        groups = found.groups;
    }
}

fn read_all(root: &Path, own: Option<String>, groups: Vec<String>) -> Found {
    let mut found = Found {
        own,
        groups,
        ..Found::default()
    };
    let tox = read(root, "tox.ini").unwrap_or_default();
    for line in ini_list(&tox, "testenv", "extras") {
        found.group(after_condition(&line));
    }
    if let Some(text) = read(root, "pyproject.toml") {
        from_pyproject(&text, &mut found);
    }
    if let Some(text) = read(root, "setup.cfg") {
        from_setup_cfg(&text, &mut found);
    }
    if let Some(text) = read(root, "setup.py") {
        from_setup_py(&text, &mut found);
    }
    for line in ini_list(&tox, "testenv", "deps") {
        found.add(after_condition(&line), root);
    }
    for name in requirement_files(root) {
        found.file(root, &name, 0);
    }
    if let Some(text) = read(root, "Pipfile") {
        from_pipfile(&text, &mut found);
    }
    if let Some(text) = metadata(root) {
        from_requires_txt(&text, &mut found);
    }
    from_test_files(root, &mut found);
    by_pytests_configuration(root, &tox, &mut found);
    found
}

/// The pytest that its configuration asks for, where no requirement has named one.
fn by_pytests_configuration(root: &Path, tox: &str, found: &mut Found) {
    if let Some(text) = read(root, "pyproject.toml") {
        configured_in_pyproject(&text, found);
    }
    found.configured(tox, "pytest");
    found.configured(&read(root, "pytest.ini").unwrap_or_default(), "pytest");
    found.configured(&read(root, "setup.cfg").unwrap_or_default(), "tool:pytest");
}

/// A requirement of setuptools, below the version that took `pkg_resources` away: who names it uses that, as a rule.
fn with_pkg_resources(line: &str) -> String {
    let (specifier, marker) = line.split_once(';').unwrap_or((line, ""));
    if specifier.contains(['<', '~']) || specifier.contains("==") {
        return line.to_owned();
    }
    let lower = specifier.trim().trim_start_matches("setuptools").trim();
    let comma = if lower.is_empty() { "" } else { "," };
    let marker = if marker.is_empty() {
        String::new()
    } else {
        format!(";{marker}")
    };
    format!("setuptools{lower}{comma}<81{marker}")
}

/// A package's name as indexes compare it.
fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// Tox's `factor: package` without the factor: which factor would hold cannot be told here, so the package is taken.
fn after_condition(line: &str) -> &str {
    line.split_once(": ")
        .map_or(line, |(_, package)| package)
        .trim()
}

#[derive(Default)]
struct Found {
    /// The project's own name.
    own: Option<String>,
    /// The extras and groups that are wanted.
    groups: Vec<String>,
    python: Option<String>,
    packages: Vec<String>,
    /// The packages' names, each with the markers that it stands with; one without a marker holds always.
    names: BTreeMap<String, BTreeSet<String>>,
}

impl Found {
    fn requirement(&mut self, line: &str) {
        let line = line.split(" #").next().unwrap_or(line).trim();
        let name: String = line
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || "._-".contains(*c))
            .collect();
        let name = normal(&name);
        if self.own.as_deref() == Some(name.as_str()) {
            let extras = line
                .split_once('[')
                .and_then(|(_, rest)| rest.split_once(']'));
            for extra in extras.map_or("", |(extras, _)| extras).split(',') {
                self.group(extra.trim());
            }
            return;
        }
        let local = line.starts_with(['-', '.', '/', '#', '{', '$']) || line.contains("://");
        if name.is_empty()
            || local
            || NOT_NEEDED.contains(&name.as_str()) && !(name == "pytest" && asks_for_newer(line))
            || name.starts_with("sphinx")
        {
            return;
        }
        let line = if name == "setuptools" {
            with_pkg_resources(line)
        } else {
            line.to_owned()
        };
        // A package may be named again for other versions of Python.
        let marker = line.split_once(';').map_or("", |(_, marker)| marker);
        let marker = marker.replace(' ', "").replace('"', "'");
        let known = self.names.entry(name).or_default();
        if !known.contains("") && known.insert(marker) {
            self.packages.push(line);
        }
    }

    /// The pytest that its configuration in an INI file asks for.
    fn configured(&mut self, text: &str, section: &str) {
        let least = ini_list(text, section, "minversion").into_iter();
        for line in least.filter_map(|least| by_configuration(&least)) {
            self.requirement(&line);
        }
        self.settings(|name| !ini_list(text, section, name).is_empty());
    }

    /// The pytest that settings of its plugins ask for, of those that a configuration `has`.
    fn settings(&mut self, has: impl Fn(&str) -> bool) {
        for (name, line) in NEWER_SETTINGS {
            if has(name) {
                self.requirement(line);
            }
        }
    }

    /// A further extra or group that is wanted.
    fn group(&mut self, name: &str) {
        if !name.is_empty() && !self.groups.iter().any(|known| known == name) {
            self.groups.push(name.to_owned());
        }
    }

    /// A requirement, or `-r file`.
    fn add(&mut self, line: &str, root: &Path) {
        match line.strip_prefix("-r").map(|name| {
            name.trim_start_matches([' ', '='])
                .replace("{toxinidir}/", "")
        }) {
            Some(name) => self.file(root, &name, 1),
            None => self.requirement(line),
        }
    }

    fn file(&mut self, root: &Path, name: &str, depth: u8) {
        let Some(text) = read(root, name) else { return };
        let folder = name
            .rsplit_once('/')
            .map_or(String::new(), |(folder, _)| format!("{folder}/"));
        for line in text.lines() {
            match line.trim().strip_prefix("-r") {
                Some(other) if depth < 4 => {
                    self.file(root, &format!("{folder}{}", other.trim()), depth + 1);
                }
                _ => self.requirement(line.trim()),
            }
        }
    }
}

fn read(root: &Path, name: &str) -> Option<String> {
    let path = root.join(name);
    let small = fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() < 1 << 20);
    if small {
        fs::read(path)
            .ok()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    } else {
        None
    }
}

fn requirement_files(root: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["", "requirements/", "tests/", "test/"] {
        let Ok(entries) = fs::read_dir(root.join(folder)) else {
            continue;
        };
        for name in entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
        {
            let lower = name.to_ascii_lowercase();
            let requirements = lower.contains("requirements") || folder == "requirements/";
            let wanted = ["test", "base", "main", "common", "requirements.txt", "dev"]
                .iter()
                .any(|word| lower.contains(word));
            let text = Path::new(&lower)
                .extension()
                .is_some_and(|end| end == "txt" || end == "in");
            if text && requirements && wanted {
                names.push(format!("{folder}{name}"));
            }
        }
    }
    names.sort_by_key(|name| (name.contains("dev"), name.clone()));
    if names.iter().any(|name| name.contains("test")) {
        names.retain(|name| !name.contains("dev"));
    }
    names
}

#[cfg(test)]
mod tests;
