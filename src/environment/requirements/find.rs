//! Finds the requirements of a project: here, the packages that the project's files name.

use std::path::Path;

use super::collector::Collector;
use super::files::ini_list;
use super::model::{Purpose, Requirements};
use super::pyproject::{from_pyproject, name_in_pyproject, pytest_in_pyproject};
use super::setup::{from_setup_cfg, from_setup_py, name_in_setup_py};
use super::test_files::testing_tools;
use super::tox::from_tox;
use crate::history::SourceTree;

/// Reads the requirements of the project in `tree` and of its tests. Sources are `pyproject.toml` (PEP 621, dependency
/// groups, Poetry), `setup.cfg`, `setup.py` (read as text), requirements files, the use of well-known testing tools in
/// the tests, and the pytest settings `minversion` and `required_plugins`. The result never contains the project itself.
pub fn find_requirements(tree: &SourceTree) -> Requirements {
    let text = |name| tree.small_text(name).unwrap_or_default();
    let (pyproject, setup_cfg, setup_py) =
        (text("pyproject.toml"), text("setup.cfg"), text("setup.py"));
    let own = name_in_pyproject(&pyproject)
        .or_else(|| ini_list(&setup_cfg, "metadata", "name").into_iter().next())
        .or_else(|| name_in_setup_py(&setup_py));
    let mut collector = Collector::new(tree, own.and_then(|name| name.parse().ok()));
    loop {
        let groups = collector.groups().len();
        from_pyproject(&pyproject, &mut collector);
        from_setup_cfg(&setup_cfg, &mut collector);
        from_setup_py(&setup_py, &mut collector);
        from_tox(tree, &mut collector);
        if collector.groups().len() == groups {
            break;
        }
        // A new group (an extra) may be defined in a file that was read before the group was named. So read all again.
    }
    for (name, purpose) in requirement_files(tree) {
        collector.read_file(&name, 0, purpose);
    }
    for package in testing_tools(tree) {
        collector.require(package, Purpose::Tests);
    }
    pytest_in_pyproject(&pyproject, &mut collector);
    for (file, section) in [
        ("tox.ini", "pytest"),
        ("pytest.ini", "pytest"),
        (".pytest.ini", "pytest"),
        ("setup.cfg", "tool:pytest"),
    ] {
        let text = text(file);
        for least in ini_list(&text, section, "minversion") {
            collector.pytest_at_least(&least);
        }
        for line in ini_list(&text, section, "required_plugins") {
            collector.require_plugins(&line);
        }
    }
    collector.finish()
}

/// The paths of the requirements files to read: the files of the project and of its tests, then the files for
/// development. If there are files for tests, the files for development are left out.
fn requirement_files(tree: &SourceTree) -> Vec<(String, Purpose)> {
    let mut names = Vec::new();
    for folder in ["", "requirements/", "tests/", "test/"] {
        for (name, _) in tree.children(folder) {
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
    let purpose = |name: &str| {
        let tests = name.contains("test") || name.contains("dev");
        if tests {
            Purpose::Tests
        } else {
            Purpose::Runtime
        }
    };
    let names = names.into_iter();
    names
        .map(|name| {
            let purpose = purpose(&name);
            (name, purpose)
        })
        .collect()
}
