//! Finds the Python interpreters of this machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

use pep440_rs::Version;
use serde::Deserialize;

use super::interpreter::Interpreter;
use super::requirements::Requirements;
use crate::error::{Error, Result};

/// The versions to try, in this order, if no exact version is required. The versions that the benchmarks' official
/// environments use come first.
const VERSIONS: [&str; 8] = ["3.9", "3.10", "3.11", "3.12", "3.8", "3.13", "3.7", "3.14"];

/// The properties that an interpreter reports.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Python {
    pub executable: PathBuf,
    pub version: String,
    prefix: PathBuf,
    pub base_prefix: PathBuf,
    path: Vec<PathBuf>,
}

/// A Python program that prints the properties of its interpreter as JSON.
const QUESTION: &str = "
import json, os, sys
print(json.dumps({'executable': sys.executable, 'version': '%d.%d.%d' % sys.version_info[:3], 'prefix': sys.prefix,
    'base_prefix': sys.base_prefix, 'path': [os.path.abspath(p) for p in sys.path if p and os.path.isdir(p)]}))
";

impl Python {
    /// Starts an interpreter and reads its properties. `None` if the interpreter does not print its properties.
    fn ask(executable: &Path) -> Option<Self> {
        let output = Command::new(executable)
            .args(["-s", "-c", QUESTION])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        serde_json::from_slice(&output.stdout).ok()
    }

    /// The interpreter at this path. Returns an error of kind sandbox if the file is not an interpreter that runs.
    pub fn at(executable: &Path) -> Result<Self> {
        Self::ask(executable).ok_or_else(|| {
            let executable = executable.display();
            Error::sandbox(format!("{executable} is not a Python that runs"))
                .hint("check that the file is a Python 3 interpreter, or name another one")
        })
    }

    fn is_version(&self, version: &str) -> bool {
        let rest = self.version.strip_prefix(version);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    pub fn interpreter(&self) -> Interpreter {
        let mut folders = vec![self.base_prefix.clone()];
        for path in &self.path {
            let covered = folders.iter().any(|folder| path.starts_with(folder));
            if !covered && !path.starts_with(&self.prefix) {
                folders.push(path.clone());
            }
        }
        Interpreter::Host {
            python: self.executable.clone(),
            environment: (self.prefix != self.base_prefix).then(|| self.prefix.clone()),
            folders,
        }
    }
}

/// The interpreter at the path `python`, for the local sandbox. Returns an error of kind sandbox if the file is not an
/// interpreter that runs.
pub fn host_python(python: &Path) -> Result<Interpreter> {
    Python::at(python).map(|python| python.interpreter())
}

/// Chooses the Python for an environment. If `exact` is true and `requirements` has a version, only that version is
/// possible. Otherwise, the result is the first of [`VERSIONS`] that this machine has and that is not lower than the
/// required version. Returns an error of kind sandbox if this machine has no such Python.
pub(super) fn choose_python(requirements: &Requirements, exact: bool) -> Result<Python> {
    let candidates = candidates();
    let (unversioned, versioned): (Vec<_>, Vec<_>) =
        candidates.iter().partition(|(name, _)| name == "python3");
    let first: Vec<Python> = unversioned
        .iter()
        .filter_map(|(_, python)| Python::ask(python))
        .collect();
    // Starting an interpreter is slow. So an interpreter with a version in its name is started only if the name fits.
    let find = |version: &str| {
        let minor = minor_version(version);
        let named = versioned.iter().filter(|(name, _)| name.contains(minor));
        let mut named = named.filter_map(|(_, python)| Python::ask(python));
        let first = first.iter().find(|python| python.is_version(version));
        first
            .cloned()
            .or_else(|| named.find(|python| python.is_version(version)))
    };
    if let (Some(version), true) = (&requirements.python, exact) {
        return find(version).ok_or_else(|| {
            let hint = format!(
                "install Python {version}, name another version in evoscope.toml, or use --sandbox docker"
            );
            Error::sandbox(format!("this machine has no Python {version}")).hint(hint)
        });
    }
    let parsed = |version: &str| Version::from_str(version).ok();
    let lowest = requirements.python.as_deref().and_then(parsed);
    let mut versions = VERSIONS.iter().filter(|version| parsed(version) >= lowest);
    versions.find_map(|version| find(version)).ok_or_else(|| {
        let lowest = lowest.map_or_else(String::new, |lowest| format!(" {lowest} or later"));
        Error::sandbox(format!(
            "no Python{lowest} was found on PATH, below ~/.pyenv or below ~/.local/share/uv"
        ))
        .hint("install Python 3 (on Debian: apt install python3 python3-venv), or use --sandbox docker")
    })
}

/// The first two numbers of a version: `3.9` for `3.9.18`. Names of interpreters often have no third number.
fn minor_version(version: &str) -> &str {
    let second = version.match_indices('.').nth(1);
    second.map_or(version, |(at, _)| &version[..at])
}

/// (name, path) of each Python interpreter of this machine. First come the interpreters on the search path: `python3`,
/// then `python3.9` and so on. Then come the interpreters of pyenv and uv, named like their folders, such as `3.9.18`.
/// The shims of pyenv are skipped, because they start slowly.
fn candidates() -> Vec<(String, PathBuf)> {
    let search_path = env::var_os("PATH").unwrap_or_default();
    let names = VERSIONS.map(|version| format!("python{version}"));
    let mut found = Vec::new();
    for name in ["python3".to_owned()].iter().chain(&names) {
        let folders = env::split_paths(&search_path).filter(|folder| !folder.ends_with("shims"));
        found.extend(folders.map(|folder| (name.clone(), folder.join(name))));
    }
    let home = env::home_dir().unwrap_or_default();
    let pyenv = env::var_os("PYENV_ROOT").map_or_else(|| home.join(".pyenv"), PathBuf::from);
    for folder in [pyenv.join("versions"), home.join(".local/share/uv/python")] {
        for version in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = version.file_name().to_string_lossy().into_owned();
            found.push((name, version.path().join("bin/python3")));
        }
    }
    found.retain(|(_, file)| file.is_file());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(executable: PathBuf, version: &str) -> Python {
        let prefix = executable.parent().unwrap().to_owned();
        Python {
            executable,
            version: version.to_owned(),
            prefix: prefix.clone(),
            base_prefix: prefix,
            path: Vec::new(),
        }
    }

    #[test]
    fn a_release_is_looked_for_under_the_name_of_its_minor_version() {
        assert_eq!(minor_version("3.9.18"), "3.9");
        assert_eq!(minor_version("3.9"), "3.9");
    }

    #[test]
    fn a_version_covers_its_releases() {
        let python = python(PathBuf::from("/bin/python3"), "3.10.2");
        assert!(python.is_version("3.10") && python.is_version("3.10.2"));
        assert!(!python.is_version("3.1") && !python.is_version("3.10.2.1"));
    }
}
