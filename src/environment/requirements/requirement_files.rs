//! The requirements files of a project: which there are, and what each one is for.

use std::collections::BTreeSet;
use std::path::Path;

use super::collector::Collector;
use super::model::Purpose;
use crate::benchmark::Language;
use crate::code::{children, parse};
use crate::history::SourceTree;

/// Words in the names of the files to read.
const WANTED: [&str; 9] = [
    "test",
    "base",
    "main",
    "common",
    "default",
    "core",
    "install",
    "requirements.",
    "dev",
];

/// Words in the names of files for extras that tests do not use.
const OTHER_EXTRAS: [&str; 9] = [
    "doc", "lint", "style", "format", "release", "build", "optional", "extra", "bench",
];

/// Reads the requirements files of the project and of its tests, then the files for development. If there are files for
/// tests, the files for development are left out. A file is for the project itself if `setup.py` reads it, or if
/// nothing else names the project's own requirements.
pub(super) fn from_requirement_files(tree: &SourceTree, setup_py: &str, collector: &mut Collector) {
    let read_by_setup = files_of_setup(tree, setup_py);
    for name in &read_by_setup {
        collector.read_file(name, 0, purpose(name, true));
    }
    let is_undeclared = !collector.has_runtime_requirements();
    for name in requirement_files(tree) {
        if !read_by_setup.contains(&name) {
            collector.read_file(&name, 0, purpose(&name, is_undeclared));
        }
    }
}

/// What the requirements file `name` is for. `is_runtime` is the answer for files that are neither for tests nor for
/// development.
fn purpose(name: &str, is_runtime: bool) -> Purpose {
    let is_for_tests = ["test", "dev", "ci"].iter().any(|word| {
        let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|part| part.to_ascii_lowercase().starts_with(word))
    });
    if is_runtime && !is_for_tests {
        Purpose::Runtime
    } else {
        Purpose::Tests
    }
}

/// The paths of the requirements files to read, in the order in which they are read.
fn requirement_files(tree: &SourceTree) -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["", "requirements/", "tests/", "test/"] {
        for (name, is_folder) in tree.children(folder) {
            let lower = name.to_ascii_lowercase();
            let requirements = lower.contains("requirements") || folder == "requirements/";
            let wanted = WANTED.iter().any(|word| lower.contains(word))
                && (lower.contains("test") || !is_for_other_extras(&lower));
            if !is_folder && has_list_extension(&lower) && requirements && wanted {
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

fn is_for_other_extras(name: &str) -> bool {
    OTHER_EXTRAS.iter().any(|word| name.contains(word))
}

fn has_list_extension(name: &str) -> bool {
    let extension = Path::new(name).extension();
    extension.is_some_and(|end| end == "txt" || end == "in" || end == "pip")
}

/// The requirements files that `setup.py` names in its strings: `open('requirements.txt')`, `read('deps', 'main.txt')`.
fn files_of_setup(tree: &SourceTree, setup_py: &str) -> BTreeSet<String> {
    let Some(syntax) = parse(Language::Python, setup_py.as_bytes()) else {
        return BTreeSet::new();
    };
    let mut found = BTreeSet::new();
    let mut waiting = vec![syntax.root_node()];
    while let Some(node) = waiting.pop() {
        waiting.extend(children(node));
        if node.kind() != "string_content" {
            continue;
        }
        let name = setup_py[node.byte_range()].trim_start_matches("./");
        let lower = name.to_ascii_lowercase();
        if !has_list_extension(&lower) || is_for_other_extras(&lower) {
            continue;
        }
        // The folder may be another string: `os.path.join('requirements', 'main.txt')`.
        for path in [name.to_owned(), format!("requirements/{name}")] {
            let is_list = path.contains("req") || path.contains("dep");
            if is_list && tree.is_file(&path) {
                found.insert(path);
            }
        }
    }
    found
}
