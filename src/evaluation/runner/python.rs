//! What a session for Python's tests is asked for: pytest's arguments, and what of its start runs can share.

use super::RunRequest;
use super::message::Start;
use crate::environment::ProjectFiles;

/// pytest's arguments in every run: no cache between runs, output in order with what the code prints.
const ARGUMENTS: [&str; 5] = ["-p", "no:cacheprovider", "-s", "--color=no", "--tb=line"];
/// Hooks that pytest calls before tests are collected, and names that only its start heeds: a conftest file with one of
/// them is loaded when pytest starts.
const EARLY_NAMES: [&str; 9] = [
    "pytest_addoption",
    "pytest_addhooks",
    "pytest_plugins",
    "pytest_sessionstart",
    "pytest_cmdline",
    "pytest_load_initial",
    "pytest_report_header",
    "pytest_configure",
    "pytest_collection(",
];

/// What is known of a Python project.
pub(super) struct PythonProject {
    own_modules: Vec<String>,
    early: bool,
}

impl PythonProject {
    pub fn of(project: &ProjectFiles) -> Self {
        Self {
            own_modules: project.own_modules(&[String::new(), "src".to_owned()]),
            early: takes_part_in_start(project),
        }
    }

    /// The top-level modules of the project, which no library may replace.
    pub fn own_modules(&self) -> &[String] {
        &self.own_modules
    }

    /// The start of pytest that a run can share.
    pub fn start<'a>(&'a self, request: &'a RunRequest, arguments: &'a [&'a str]) -> Start<'a> {
        Start {
            folders: folders(request.tests),
            arguments,
            import_roots: request.import_roots,
            own_modules: &self.own_modules,
            early: self.early,
        }
    }
}

/// pytest's arguments in a run.
pub(super) fn arguments<'a>(request: &'a RunRequest) -> Vec<&'a str> {
    let further = request.arguments.iter().map(String::as_str);
    ARGUMENTS.into_iter().chain(further).collect()
}

/// The folders of some tests' files, in the order they are named; `.` for the project's root.
fn folders(tests: &[String]) -> Vec<&str> {
    let mut found = Vec::new();
    for test in tests {
        let file = test.split("::").next().unwrap_or(test);
        let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
        if !found.contains(&folder) {
            found.push(folder);
        }
    }
    found
}

fn takes_part_in_start(project: &ProjectFiles) -> bool {
    let files = project.files.iter().map(|file| &file.path);
    files
        .chain(&project.withheld)
        .filter(|path| path.file_name() == "conftest.py")
        .filter_map(|path| project.read(path).ok())
        .any(|text| {
            let text = String::from_utf8_lossy(&text);
            EARLY_NAMES.iter().any(|name| text.contains(name))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_folder_of_tests_is_named_once() {
        let tests = ["t/a.py::x", "t/b.py::y", "c.py", "u/v/d.py::T::z"].map(str::to_owned);
        assert_eq!(folders(&tests), ["t", ".", "u/v"]);
    }
}
