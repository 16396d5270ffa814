//! The version of a project's own distribution.

use std::str::FromStr;

use pep440_rs::Version;

use super::Description;
use crate::benchmark::Language;
use crate::code::{NamedValues, parse};
use crate::environment::requirements::{at, ini_list};
use crate::history::SourceTree;

/// Modules of a package that usually hold its version.
const MODULES: [&str; 6] = [
    "__init__.py",
    "__version__.py",
    "_version.py",
    "version.py",
    "__about__.py",
    "about.py",
];

/// The version that the project's files name as text: in their metadata, or else in a module of the package. `None` if
/// there is none, or if it is not valid (PEP 440).
pub(super) fn version(tree: &SourceTree, description: &Description, name: &str) -> Option<String> {
    in_pyproject(description)
        .or_else(|| in_setup_cfg(tree, &description.setup_cfg))
        .or_else(|| in_setup_py(&description.setup_py))
        .or_else(|| in_modules(tree, name))
        .or_else(|| {
            let files = ["VERSION", "VERSION.txt", "version.txt"].iter();
            files
                .filter_map(|file| tree.small_text(file))
                .find_map(|text| valid(&text))
        })
}

fn valid(text: &str) -> Option<String> {
    let text = text.trim();
    Version::from_str(text).is_ok().then(|| text.to_owned())
}

fn in_pyproject(description: &Description) -> Option<String> {
    let table = &description.pyproject;
    let version = at(table.get("project"), &["version"])
        .or_else(|| at(table.get("tool"), &["poetry", "version"]))?;
    // Poetry projects with a dynamic version have the version 0.0.0.
    valid(version.as_str()?).filter(|version| version != "0.0.0")
}

/// The value of `version` in `setup.cfg`: a version, `attr: package.__version__` or `file: VERSION`.
fn in_setup_cfg(tree: &SourceTree, text: &str) -> Option<String> {
    let value = ini_list(text, "metadata", "version").into_iter().next()?;
    if let Some(file) = value.strip_prefix("file:") {
        return valid(&tree.small_text(file.trim())?);
    }
    if let Some(attribute) = value.strip_prefix("attr:") {
        let (module, name) = attribute.trim().rsplit_once('.')?;
        let path = module.replace('.', "/");
        let files = ["", "src/", "lib/"].into_iter().flat_map(|root| {
            [
                format!("{root}{path}.py"),
                format!("{root}{path}/__init__.py"),
            ]
        });
        let mut texts = files.filter_map(|file| tree.small_text(&file));
        return texts.find_map(|text| in_module(&text, &[name]));
    }
    valid(&value)
}

fn in_setup_py(text: &str) -> Option<String> {
    in_module(text, &["version"])
}

fn in_modules(tree: &SourceTree, name: &str) -> Option<String> {
    let module = name.replace('-', "_");
    let lower = module.to_ascii_lowercase();
    let folders = packages(tree).into_iter().filter(|package| {
        let package = package.rsplit('/').next().unwrap_or(package);
        package.eq_ignore_ascii_case(&lower) || package == name
    });
    let mut own: Vec<String> = folders.collect();
    // The package may have another name than the distribution.
    if own.is_empty() {
        own = packages(tree);
    }
    let in_packages = own.iter().flat_map(|package| {
        MODULES
            .iter()
            .map(move |module| format!("{package}/{module}"))
    });
    let single = ["", "src/", "lib/"].map(|root| format!("{root}{module}.py"));
    let mut texts = in_packages
        .chain(single)
        .filter_map(|file| tree.small_text(&file));
    texts.find_map(|text| in_module(&text, &["__version__", "version", "VERSION", "__VERSION__"]))
}

/// The top-level packages of the project, without those for tests and documentation.
fn packages(tree: &SourceTree) -> Vec<String> {
    let mut found = Vec::new();
    for root in ["", "src/", "lib/"] {
        for (name, is_folder) in tree.children(root) {
            let other = ["test", "doc", "example", "bench", "script"];
            let path = format!("{root}{name}");
            if is_folder
                && !other.iter().any(|word| name.starts_with(word))
                && tree.is_file(&format!("{path}/__init__.py"))
            {
                found.push(path);
            }
        }
    }
    found
}

/// The first value of one of the `names` that is a valid version, in the text of a Python module.
fn in_module(text: &str, names: &[&str]) -> Option<String> {
    if !names.iter().any(|name| text.contains(name)) {
        return None;
    }
    let tree = parse(Language::Python, text.as_bytes())?;
    let values = NamedValues::of(&tree, text);
    names.iter().find_map(|name| {
        let mut pairs = values.found.iter().filter(|(found, _)| found == name);
        pairs.find_map(|(_, value)| match values.strings(*value)[..] {
            [text] => valid(text),
            _ => None,
        })
    })
}
