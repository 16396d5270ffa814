//! What a project's tests use and no list of it names: source releases often leave their test requirements out. Only
//! the well-known tools of testing are told by their use; any other package by its name in a list.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Found, read};

/// How many test files are looked at, and how deep below the root.
const FILES: usize = 600;
const DEPTH: usize = 6;

/// Packages by the module that is imported.
const MODULES: [(&str, &str); 23] = [
    ("aioresponses", "aioresponses"),
    ("betamax", "betamax"),
    ("ddt", "ddt"),
    ("factory", "factory-boy"),
    ("faker", "Faker"),
    ("flexmock", "flexmock"),
    ("freezegun", "freezegun"),
    ("httpretty", "httpretty"),
    ("hypothesis", "hypothesis"),
    ("mock", "mock"),
    ("moto", "moto"),
    ("parameterized", "parameterized"),
    ("pexpect", "pexpect"),
    ("pkg_resources", "setuptools"),
    ("pretend", "pretend"),
    ("pyfakefs", "pyfakefs"),
    ("requests_mock", "requests-mock"),
    ("responses", "responses"),
    ("respx", "respx"),
    ("testfixtures", "testfixtures"),
    ("time_machine", "time-machine"),
    ("vcr", "vcrpy"),
    ("webtest", "WebTest"),
];

/// Plugins by a fixture that they bring. The reason of a task that wants one names them too.
pub(crate) const FIXTURES: [(&str, &str); 12] = [
    ("mocker", "pytest-mock"),
    ("benchmark", "pytest-benchmark"),
    ("unused_tcp_port", "pytest-asyncio"),
    ("event_loop", "pytest-asyncio"),
    ("httpserver", "pytest-httpserver"),
    ("httpbin", "pytest-httpbin"),
    ("requests_mock", "requests-mock"),
    ("fs", "pyfakefs"),
    ("datadir", "pytest-datadir"),
    ("subtests", "pytest-subtests"),
    ("data_regression", "pytest-regressions"),
    ("snapshot", "syrupy"),
];

/// Plugins by their mark.
const MARKS: [(&str, &str); 4] = [
    ("pytest.mark.asyncio", "pytest-asyncio"),
    ("pytest.mark.anyio", "anyio"),
    ("pytest.mark.trio", "pytest-trio"),
    ("pytest.mark.django_db", "pytest-django"),
];

pub(super) fn from_test_files(root: &Path, found: &mut Found) {
    let mut files = Vec::new();
    test_files(root, false, DEPTH, &mut files);
    files.sort();
    let texts: Vec<String> = files
        .iter()
        .filter_map(|file| read(root, file.strip_prefix(root).ok()?.to_str()?))
        .collect();
    let own_fixture = |name: &str| {
        texts
            .iter()
            .any(|text| text.contains(&format!("def {name}(")))
    };
    for text in &texts {
        for line in text.lines().map(str::trim) {
            if let Some(package) = imported(line).filter(|(module, _)| !is_own(root, module)) {
                found.requirement(package.1);
            }
            for (fixture, package) in FIXTURES {
                if takes(line, fixture) && !own_fixture(fixture) {
                    found.requirement(package);
                }
            }
            for (mark, package) in MARKS {
                if line.contains(mark) {
                    found.requirement(package);
                }
            }
        }
    }
}

/// The testing tool that a line imports.
fn imported(line: &str) -> Option<(&'static str, &'static str)> {
    let rest = line
        .strip_prefix("import ")
        .or_else(|| line.strip_prefix("from "))?;
    let module = rest.split([' ', '.', ',']).next()?;
    MODULES.iter().find(|(known, _)| *known == module).copied()
}

/// Whether a line begins a test that takes the fixture `name`.
fn takes(line: &str, name: &str) -> bool {
    let parameters = line
        .strip_prefix("async ")
        .unwrap_or(line)
        .strip_prefix("def test")
        .and_then(|rest| rest.split_once('('));
    parameters.is_some_and(|(_, rest)| {
        let rest = rest.split(')').next().unwrap_or(rest);
        rest.split(',')
            .any(|word| word.split(':').next().unwrap_or(word).trim() == name)
    })
}

fn is_own(root: &Path, module: &str) -> bool {
    ["", "src", "lib", "test", "tests"].iter().any(|folder| {
        let base = root.join(folder);
        base.join(module).is_dir() || base.join(format!("{module}.py")).is_file()
    })
}

fn test_files(folder: &Path, inside: bool, depth: usize, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let about_tests = name.starts_with("test") || name == "conftest.py";
        if files.len() >= FILES || name.starts_with('.') {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => {
                test_files(&path, inside || about_tests, depth - 1, files);
            }
            Ok(kind) if kind.is_file() => {
                let source = path.extension().is_some_and(|end| end == "py");
                if source && (inside || about_tests || name.ends_with("_test.py")) {
                    files.push(path);
                }
            }
            _ => {}
        }
    }
}
