//! Finds the files that name requirements.

use std::fs;
use std::path::Path;

use super::collector::Collector;
use super::files::{ini_list, read};
use super::model::Requirements;
use super::pyproject::{configured_in_pyproject, from_pipfile, from_pyproject};
use super::pytest::minimum_version;
use super::setup::{from_requires_txt, from_setup_cfg, from_setup_py, metadata, project_name};
use super::test_files::TestFiles;

/// Reads what the project at `root` declares that it and its tests require: `pyproject.toml` (PEP 621, dependency groups,
/// Poetry, PDM, Hatch, uv, Flit), `setup.cfg`, `setup.py` read as text, `tox.ini`, a Pipfile, requirements files, the
/// metadata of a source release, and the well-known testing tools that its tests use. The project itself is never among
/// them.
pub fn find_requirements(root: &Path) -> Requirements {
    let own = project_name(root).and_then(|name| name.parse().ok());
    let tests = TestFiles::read(root);
    let mut collector = Collector::new(root, own.as_ref(), &tests);
    loop {
        let groups = collector.groups().len();
        read_project(root, &tests, &mut collector);
        if collector.groups().len() == groups {
            return Requirements {
                root: root.to_owned(),
                ..collector.finish()
            };
        }
        // An extra has named others of the project's own, which an earlier file may define.
        collector = collector.with_same_groups();
    }
}

/// Reads every file that may name requirements.
fn read_project(root: &Path, tests: &TestFiles, collector: &mut Collector) {
    let text = |name| read(root, name).unwrap_or_default();
    let (tox, setup_cfg) = (text("tox.ini"), text("setup.cfg"));
    let pyproject = text("pyproject.toml");
    for line in ini_list(&tox, "testenv", "extras") {
        collector.want_group(without_factor(&line));
    }
    from_pyproject(&pyproject, collector);
    from_setup_cfg(&setup_cfg, collector);
    from_setup_py(&text("setup.py"), collector);
    for line in ini_list(&tox, "testenv", "deps") {
        tox_dependency(without_factor(&line), collector);
    }
    for name in requirement_files(root) {
        collector.read_file(&name, 0);
    }
    from_pipfile(&text("Pipfile"), collector);
    from_requires_txt(&metadata(root).unwrap_or_default(), collector);
    for package in tests.tools(root) {
        collector.require(package);
    }
    configured_in_pyproject(&pyproject, collector);
    configured_in_ini(&tox, "pytest", collector);
    configured_in_ini(&text("pytest.ini"), "pytest", collector);
    configured_in_ini(&setup_cfg, "tool:pytest", collector);
}

/// Takes the pytest that its configuration in an INI file asks for.
fn configured_in_ini(text: &str, section: &str, collector: &mut Collector) {
    for least in ini_list(text, section, "minversion") {
        collector.require(&minimum_version(&least));
    }
    collector.plugin_settings(|name| !ini_list(text, section, name).is_empty());
}

fn tox_dependency(line: &str, collector: &mut Collector) {
    match line.strip_prefix("-r") {
        Some(name) => {
            let name = name.trim_start_matches([' ', '=']);
            collector.read_file(&name.replace("{toxinidir}/", ""), 1);
        }
        None => collector.require_for_development(line),
    }
}

/// Tox's `factor: package` without the factor. Which factors would hold is not known, so every package is taken.
fn without_factor(line: &str) -> &str {
    let package = line.split_once(": ").map_or(line, |(_, package)| package);
    package.trim()
}

/// The requirements files that name what tests need, those for development last, and only where there are none for
/// tests.
fn requirement_files(root: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["", "requirements/", "tests/", "test/"] {
        let entries = fs::read_dir(root.join(folder)).into_iter().flatten();
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
