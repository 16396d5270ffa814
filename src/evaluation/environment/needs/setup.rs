//! What `setup.cfg`, `setup.py` and the metadata of a source release say.

use std::fs;
use std::path::Path;

use tree_sitter::Node;

use super::pyproject::lowest_python;
use super::{Found, read};

pub(super) fn from_setup_cfg(text: &str, found: &mut Found) {
    for line in ini_list(text, "options", "install_requires") {
        found.requirement(&line);
    }
    for line in ini_list(text, "options", "tests_require") {
        found.requirement(&line);
    }
    for name in found.groups.clone() {
        for line in ini_list(text, "options.extras_require", &name) {
            found.requirement(&line);
        }
    }
    if let Some(specifier) = ini_list(text, "options", "python_requires").first() {
        found.python = found.python.take().or_else(|| lowest_python(specifier));
    }
}

/// The lines of a key's value in an INI file, as Python's `configparser` continues them.
pub(super) fn ini_list(text: &str, section: &str, key: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut in_section, mut in_key) = (false, false);
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = trimmed
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            (in_section, in_key) = (name == section, false);
        } else if line.starts_with([' ', '\t']) {
            if in_key {
                lines.push(trimmed.to_owned());
            }
        } else if let Some((name, value)) = trimmed.split_once(['=', ':']) {
            in_key = in_section && name.trim() == key;
            if in_key && !value.trim().is_empty() {
                lines.push(value.trim().to_owned());
            }
        }
    }
    lines
}

/// `install_requires`, `tests_require` and test extras of the `setup(…)` call, where they are lists of strings, in
/// place or under a name. Nothing is run.
pub(super) fn from_setup_py(text: &str, found: &mut Found) {
    let mut parser = tree_sitter::Parser::new();
    if parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .is_err()
    {
        return;
    }
    let Some(tree) = parser.parse(text, None) else {
        return;
    };
    let mut pairs = Vec::new();
    pairs_in(tree.root_node(), text, &mut pairs);
    for (name, value) in &pairs {
        let wanted = matches!(
            name.as_str(),
            "install_requires" | "tests_require" | "setup_requires"
        );
        if wanted || found.groups.contains(name) {
            for line in string_list(*value, text, &pairs, 0) {
                found.requirement(&line);
            }
        } else if name == "python_requires"
            && let Some(specifier) = string_list(*value, text, &pairs, 0).first()
        {
            found.python = found.python.take().or_else(|| lowest_python(specifier));
        }
    }
}

/// Every keyword argument, assignment and dictionary entry, by name.
fn pairs_in<'t>(node: Node<'t>, text: &str, pairs: &mut Vec<(String, Node<'t>)>) {
    let fields = match node.kind() {
        "keyword_argument" => Some(("name", "value")),
        "assignment" => Some(("left", "right")),
        "pair" => Some(("key", "value")),
        _ => None,
    };
    if let Some((name, value)) = fields
        && let (Some(name), Some(value)) = (
            node.child_by_field_name(name),
            node.child_by_field_name(value),
        )
    {
        pairs.push((
            text[name.byte_range()].trim_matches(['"', '\'']).to_owned(),
            value,
        ));
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        pairs_in(child, text, pairs);
    }
}

fn string_list(node: Node, text: &str, pairs: &[(String, Node)], depth: u8) -> Vec<String> {
    match node.kind() {
        "string" => {
            let mut cursor = node.walk();
            let content = node
                .named_children(&mut cursor)
                .find(|child| child.kind() == "string_content");
            content
                .map(|content| text[content.byte_range()].to_owned())
                .into_iter()
                .collect()
        }
        "identifier" if depth < 3 => {
            let name = &text[node.byte_range()];
            let value = pairs
                .iter()
                .find(|(other, value)| other == name && *value != node);
            value
                .map(|(_, value)| string_list(*value, text, pairs, depth + 1))
                .unwrap_or_default()
        }
        "list" | "tuple" | "binary_operator" => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor)
                .flat_map(|child| string_list(child, text, pairs, depth))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The project's own name: as a source release's metadata, `pyproject.toml`, `setup.cfg` or `setup.py` tell it.
pub(super) fn project_name(root: &Path) -> Option<String> {
    let told = read(root, "PKG-INFO").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("Name: "));
        line.map(|name| name.trim().to_owned())
    });
    told.or_else(|| {
        let table = read(root, "pyproject.toml")?.parse::<toml::Table>().ok()?;
        let poetry = || table.get("tool")?.get("poetry")?.get("name");
        let name = table.get("project").and_then(|project| project.get("name"));
        name.or_else(poetry)?.as_str().map(str::to_owned)
    })
    .or_else(|| {
        ini_list(&read(root, "setup.cfg")?, "metadata", "name")
            .into_iter()
            .next()
    })
    .or_else(|| name_in_setup_py(&read(root, "setup.py")?))
}

/// The `name` of the `setup(…)` call, where it is a string in place or under a name.
fn name_in_setup_py(text: &str) -> Option<String> {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .ok()?;
    let tree = parser.parse(text, None)?;
    let mut pairs = Vec::new();
    pairs_in(tree.root_node(), text, &mut pairs);
    let named = pairs.iter().find(|(name, value)| {
        let call = value.parent().and_then(|pair| pair.parent()?.parent());
        let function = call.and_then(|call| call.child_by_field_name("function"));
        name == "name"
            && function.is_some_and(|function| text[function.byte_range()].ends_with("setup"))
    });
    string_list(named?.1, text, &pairs, 0).into_iter().next()
}

/// `*.egg-info/requires.txt` of a source release, beside the project or under `src`.
pub(super) fn metadata(root: &Path) -> Option<String> {
    for folder in ["", "src"] {
        for entry in fs::read_dir(root.join(folder))
            .into_iter()
            .flatten()
            .flatten()
        {
            if entry
                .path()
                .extension()
                .is_some_and(|end| end == "egg-info")
            {
                let found = read(&entry.path(), "requires.txt");
                if found.is_some() {
                    return found;
                }
            }
        }
    }
    None
}

pub(super) fn from_requires_txt(text: &str, found: &mut Found) {
    let mut wanted = true;
    let mut marker = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(section) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            let (extra, condition) = section.split_once(':').unwrap_or((section, ""));
            wanted = extra.is_empty() || found.groups.iter().any(|name| name == extra);
            marker = if condition.is_empty() {
                String::new()
            } else {
                format!("; {condition}")
            };
        } else if wanted {
            found.requirement(&format!("{line}{marker}"));
        }
    }
}
