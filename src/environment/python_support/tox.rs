//! The environments of tox. Their names contain the Python version: `py37` or `py3.7`.

use toml::{Table, Value};

use super::Listed;
use crate::environment::requirements::{
    at, expanded, ini_list, python_of_factor, strings, tox_files,
};
use crate::history::SourceTree;

/// Adds the versions in the list of environments: `envlist` in `tox.ini`, `setup.cfg` or `pyproject.toml`, or
/// `env_list` in the tables of `pyproject.toml` or `tox.toml`.
pub(super) fn add_environments(tree: &SourceTree, pyproject: &Table, listed: &mut Listed) {
    for file in tox_files(tree) {
        for key in ["envlist", "env_list"] {
            let lines = ini_list(&file.text, file.main_section, key);
            for name in lines.iter().flat_map(|line| expanded(line)) {
                add_environment(&name, listed);
            }
        }
    }
    let tox: Table = tree
        .small_text("tox.toml")
        .and_then(|text| text.parse().ok())
        .unwrap_or_default();
    let in_table: Vec<Option<&Value>> = vec![
        at(pyproject.get("tool"), &["tox", "env_list"]),
        tox.get("env_list"),
    ];
    for name in in_table.into_iter().flat_map(strings) {
        add_environment(&name, listed);
    }
}

/// Adds the version in the name of an environment: 3.7 for `py37-django22`.
fn add_environment(name: &str, listed: &mut Listed) {
    for factor in name.split('-') {
        if let Some(version) = python_of_factor(factor) {
            listed.add(&version);
        }
    }
}
