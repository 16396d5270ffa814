//! Finds the Python interpreters of this machine.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use time::UtcDateTime;

use super::interpreter::Interpreter;
use super::python_support::{Minor, choose_pythons};
use super::requirements::Requirements;
use crate::error::{Error, Result};

/// The versions whose names are looked for on the search path.
const VERSIONS: [&str; 9] = ["3.9", "3.10", "3.11", "3.12", "3.8", "3.13", "3.7", "3.14", "3.6"];

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

/// The interpreters of this machine to try for an environment, in this order. The second value is a note that the
/// result must contain: that none of them is one that the project or the date allows.
///
/// With `exact`, only the required version is possible. A required version that is not exact comes first, if this
/// machine has it. Returns an error of kind sandbox if this machine has no such Python.
pub(super) fn pythons_to_try(
    requirements: &Requirements,
    exact: bool,
) -> Result<(Vec<Python>, Option<String>)> {
    let candidates = candidates();
    let wanted = requirements.python.as_deref();
    let named = wanted.and_then(|version| find(version, &candidates));
    if let (Some(version), true) = (wanted, exact) {
        let python = named.ok_or_else(|| no_python(Some(version)))?;
        return Ok((vec![python], None));
    }
    let installed = installed(&candidates);
    let date = requirements.as_of.moment().map(UtcDateTime::unix_timestamp);
    let choice = choose_pythons(&requirements.support, date, &installed.keys().copied().collect());
    let chosen = choice.candidates.iter();
    let chosen = chosen.filter_map(|candidate| installed.get(&candidate.minor).cloned());
    if let Some(named) = named {
        return Ok((vec![named], None));
    }
    let pythons: Vec<Python> = chosen.collect();
    if pythons.is_empty() {
        return Err(no_python(wanted));
    }
    Ok((pythons, choice.note))
}

/// Any Python of this machine, to run programs that need no packages.
pub(super) fn any_python() -> Result<Python> {
    let candidates = candidates();
    let mut found = candidates.iter().filter_map(|(_, python)| Python::ask(python));
    let usable = |python: &Python| !python.version.starts_with("2.") && !python.version.starts_with("3.6");
    found.find(usable).ok_or_else(|| no_python(None))
}

fn no_python(version: Option<&str>) -> Error {
    let version = version.map_or_else(|| " 3".to_owned(), |version| format!(" {version}"));
    Error::sandbox(format!("this machine has no Python{version}")).hint(format!(
        "install Python{version} so that it is on PATH, below ~/.pyenv or below ~/.local/share/uv, name another version \
         in evoscope.toml, or use --sandbox docker"
    ))
}

/// The interpreter with this version: `3.9` or `3.9.18`.
fn find(version: &str, candidates: &[(String, PathBuf)]) -> Option<Python> {
    let minor = minor_version(version);
    // Starting an interpreter is slow. So an interpreter with a version in its name is started only if the name fits.
    let fits = |name: &str| name == "python3" || name.contains(minor);
    let fitting = candidates.iter().filter(|(name, _)| fits(name));
    let mut found = fitting.filter_map(|(_, python)| Python::ask(python));
    found.find(|python| python.is_version(version))
}

/// The first interpreter of each minor version.
fn installed(candidates: &[(String, PathBuf)]) -> BTreeMap<Minor, Python> {
    let mut found = BTreeMap::new();
    for (name, path) in candidates {
        let named = Minor::of_version(name.trim_start_matches("python"));
        if named.is_some_and(|minor| found.contains_key(&minor)) {
            continue;
        }
        if let Some(python) = Python::ask(path)
            && let Some(minor) = Minor::of_version(&python.version)
        {
            found.entry(minor).or_insert(python);
        }
    }
    found
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
