//! The entry points of a project's own distribution.

use std::collections::BTreeMap;

use toml::{Table, Value};
use tree_sitter::Node;

use super::Description;
use crate::benchmark::Language;
use crate::code::{NamedValues, children, parse};
use crate::environment::requirements::{at, ini_entries};

type EntryPoints = BTreeMap<String, Vec<String>>;

/// The entry points that the project's files declare as text, by group.
pub(super) fn entry_points(description: &Description) -> EntryPoints {
    let mut found = EntryPoints::new();
    let (project, tool) = (
        description.pyproject.get("project"),
        description.pyproject.get("tool"),
    );
    for (group, table) in [
        ("console_scripts", at(project, &["scripts"])),
        ("console_scripts", at(tool, &["poetry", "scripts"])),
        ("console_scripts", at(tool, &["flit", "scripts"])),
        ("gui_scripts", at(project, &["gui-scripts"])),
    ] {
        add_table(group, table.and_then(Value::as_table), &mut found);
    }
    for groups in [
        at(project, &["entry-points"]),
        at(tool, &["poetry", "plugins"]),
        at(tool, &["flit", "entrypoints"]),
    ] {
        for (group, table) in groups.and_then(Value::as_table).into_iter().flatten() {
            add_table(group, table.as_table(), &mut found);
        }
    }
    for (group, line) in ini_entries(&description.setup_cfg, "options.entry_points") {
        add(&group, &line, &mut found);
    }
    if description.setup_py.contains("entry_points") {
        in_setup_py(&description.setup_py, &mut found);
    }
    found
}

fn add_table(group: &str, table: Option<&Table>, found: &mut EntryPoints) {
    for (name, value) in table.into_iter().flatten() {
        // An entry of Poetry may be a table.
        if let Some(object) = value.as_str().or_else(|| value.get("reference")?.as_str()) {
            add(group, &format!("{name} = {object}"), found);
        }
    }
}

/// Adds a line such as `name = module:object`. Other lines are ignored.
fn add(group: &str, line: &str, found: &mut EntryPoints) {
    let line = line.split(" #").next().unwrap_or(line).trim();
    let is_entry = line
        .split_once('=')
        .is_some_and(|(name, object)| !name.trim().is_empty() && !object.trim().is_empty());
    if is_entry && !line.starts_with(['#', '[']) && !line.contains('\n') {
        let lines = found.entry(group.to_owned()).or_default();
        if !lines.iter().any(|other| other == line) {
            lines.push(line.to_owned());
        }
    }
}

/// Adds the argument `entry_points` of `setup.py`: a dictionary of lists, a text in the syntax of INI files, or a
/// variable with such a value.
fn in_setup_py(text: &str, found: &mut EntryPoints) {
    let Some(tree) = parse(Language::Python, text.as_bytes()) else {
        return;
    };
    let values = NamedValues::of(&tree, text);
    let named = |name: &str, kind: &str| {
        let mut all = values.found.iter();
        all.find(|(found, value)| *found == name && value.kind() == kind)
            .map(|(_, value)| *value)
    };
    let Some((_, value)) = values
        .found
        .iter()
        .find(|(name, _)| *name == "entry_points")
    else {
        return;
    };
    let variable = &text[value.byte_range()];
    let value = match value.kind() {
        "identifier" => named(variable, "dictionary").or_else(|| named(variable, "string")),
        _ => Some(*value),
    };
    match value {
        Some(value) if value.kind() == "dictionary" => {
            for (group, value) in pairs(value) {
                let group = text[group.byte_range()].trim_matches(['"', '\'']);
                for line in values.strings(value).iter().flat_map(|text| text.lines()) {
                    add(group, line, found);
                }
            }
        }
        Some(value) => {
            let mut group = "";
            for line in values
                .strings(value)
                .iter()
                .flat_map(|text| text.lines())
                .map(str::trim)
            {
                match line
                    .strip_prefix('[')
                    .and_then(|line| line.strip_suffix(']'))
                {
                    Some(name) => group = name.trim(),
                    None if !group.is_empty() => add(group, line, found),
                    None => {}
                }
            }
        }
        None => {}
    }
}

/// The keys and values of a dictionary.
fn pairs(dictionary: Node<'_>) -> impl Iterator<Item = (Node<'_>, Node<'_>)> {
    let pairs = children(dictionary).into_iter();
    pairs.filter_map(|pair| {
        let field = |name| pair.child_by_field_name(name);
        Some((field("key")?, field("value")?))
    })
}
