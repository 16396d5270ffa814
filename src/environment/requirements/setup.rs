//! Requirements in `setup.cfg`, `setup.py` and the metadata of a source release.

use std::fs;
use std::path::Path;

use tree_sitter::Node;

use super::collector::Collector;
use super::files::{ini_list, read};
use crate::benchmark::Language;
use crate::code::parse;

/// How many names lead from one list of strings to another, and how deep expressions are read.
const MAX_NAMES: u8 = 3;
const MAX_DEPTH: u8 = 64;

pub(super) fn from_setup_cfg(text: &str, collector: &mut Collector) {
    for line in ini_list(text, "options", "install_requires") {
        collector.require(&line);
    }
    for line in ini_list(text, "options", "tests_require") {
        collector.require_for_development(&line);
    }
    for extra in collector.groups().to_vec() {
        for line in ini_list(text, "options.extras_require", extra.as_ref()) {
            collector.require_for_development(&line);
        }
    }
    if let Some(specifiers) = ini_list(text, "options", "python_requires").first() {
        collector.python_at_least(specifiers.parse().ok().as_ref());
    }
}

/// `install_requires`, `tests_require`, `setup_requires` and test extras in `setup.py`, where they are lists of strings,
/// in place or under a name. Nothing is run.
pub(super) fn from_setup_py(text: &str, collector: &mut Collector) {
    let Some(tree) = parse(Language::Python, text.as_bytes()) else {
        return;
    };
    let pairs = Pairs::of(tree.root_node(), text);
    for (name, value) in &pairs.found {
        match *name {
            "install_requires" => {
                for line in pairs.strings(*value) {
                    collector.require(line);
                }
            }
            "python_requires" => {
                let specifiers = pairs.strings(*value).first().and_then(|s| s.parse().ok());
                collector.python_at_least(specifiers.as_ref());
            }
            name if matches!(name, "tests_require" | "setup_requires") || collector.wants(name) => {
                for line in pairs.strings(*value) {
                    collector.require_for_development(line);
                }
            }
            _ => {}
        }
    }
}

/// Every keyword argument, assignment and dictionary entry of a file, by name.
struct Pairs<'t> {
    text: &'t str,
    found: Vec<(&'t str, Node<'t>)>,
}

impl<'t> Pairs<'t> {
    fn of(root: Node<'t>, text: &'t str) -> Self {
        let mut pairs = Self {
            text,
            found: Vec::new(),
        };
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            pairs.add(node);
            let mut cursor = node.walk();
            let children: Vec<Node> = node.named_children(&mut cursor).collect();
            waiting.extend(children.into_iter().rev());
        }
        pairs
    }

    fn add(&mut self, node: Node<'t>) {
        let (name, value) = match node.kind() {
            "keyword_argument" => ("name", "value"),
            "assignment" => ("left", "right"),
            "pair" => ("key", "value"),
            _ => return,
        };
        let name = node.child_by_field_name(name);
        if let (Some(name), Some(value)) = (name, node.child_by_field_name(value)) {
            let name = self.text[name.byte_range()].trim_matches(['"', '\'']);
            self.found.push((name, value));
        }
    }

    /// The strings of an expression: a string, a name of one, or a list or sum of such.
    fn strings(&self, node: Node<'t>) -> Vec<&'t str> {
        let mut found = Vec::new();
        self.add_strings(node, (0, 0), &mut found);
        found
    }

    fn add_strings(&self, node: Node<'t>, (names, depth): (u8, u8), found: &mut Vec<&'t str>) {
        let mut cursor = node.walk();
        match node.kind() {
            "string" => {
                let mut parts = node.named_children(&mut cursor);
                let content = parts.find(|child| child.kind() == "string_content");
                found.extend(content.map(|content| &self.text[content.byte_range()]));
            }
            "identifier" if names < MAX_NAMES => {
                let name = &self.text[node.byte_range()];
                let mut pairs = self.found.iter();
                if let Some((_, value)) =
                    pairs.find(|(other, value)| *other == name && *value != node)
                {
                    self.add_strings(*value, (names + 1, depth), found);
                }
            }
            "list" | "tuple" | "binary_operator" if depth < MAX_DEPTH => {
                for child in node.named_children(&mut cursor) {
                    self.add_strings(child, (names, depth + 1), found);
                }
            }
            _ => {}
        }
    }
}

/// The project's own name, from a source release's metadata, `pyproject.toml`, `setup.cfg` or `setup.py`.
pub(super) fn project_name(root: &Path) -> Option<String> {
    name_in_metadata(root)
        .or_else(|| name_in_pyproject(root))
        .or_else(|| {
            let names = ini_list(&read(root, "setup.cfg")?, "metadata", "name");
            names.into_iter().next()
        })
        .or_else(|| name_in_setup_py(&read(root, "setup.py")?))
}

fn name_in_metadata(root: &Path) -> Option<String> {
    let text = read(root, "PKG-INFO")?;
    let name = text.lines().find_map(|line| line.strip_prefix("Name: "))?;
    Some(name.trim().to_owned())
}

fn name_in_pyproject(root: &Path) -> Option<String> {
    let table = read(root, "pyproject.toml")?.parse::<toml::Table>().ok()?;
    let poetry = || table.get("tool")?.get("poetry")?.get("name");
    let name = table.get("project").and_then(|project| project.get("name"));
    name.or_else(poetry)?.as_str().map(str::to_owned)
}

/// The `name` of the `setup(…)` call, if it is a string in place or under a name.
fn name_in_setup_py(text: &str) -> Option<String> {
    let tree = parse(Language::Python, text.as_bytes())?;
    let pairs = Pairs::of(tree.root_node(), text);
    let is_name_of_setup = |(name, value): &&(&str, Node)| {
        let call = value.parent().and_then(|pair| pair.parent()?.parent());
        let function = call.and_then(|call| call.child_by_field_name("function"));
        *name == "name"
            && function.is_some_and(|function| text[function.byte_range()].ends_with("setup"))
    };
    let (_, value) = pairs.found.iter().find(is_name_of_setup)?;
    pairs.strings(*value).first().map(ToString::to_string)
}

/// `*.egg-info/requires.txt` of a source release, next to the project or below `src`.
pub(super) fn metadata(root: &Path) -> Option<String> {
    let folders = ["", "src"].map(|folder| fs::read_dir(root.join(folder)));
    let mut entries = folders.into_iter().flatten().flatten().flatten();
    entries.find_map(|entry| {
        let path = entry.path();
        let is_metadata = path.extension().is_some_and(|end| end == "egg-info");
        is_metadata.then(|| read(&path, "requires.txt")).flatten()
    })
}

pub(super) fn from_requires_txt(text: &str, collector: &mut Collector) {
    let (mut extra, mut marker) = ("", String::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let section = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        if let Some(section) = section {
            let (name, condition) = section.split_once(':').unwrap_or((section, ""));
            extra = name;
            marker = if condition.is_empty() {
                String::new()
            } else {
                format!(" ; {condition}")
            };
        } else if extra.is_empty() {
            collector.require(&format!("{line}{marker}"));
        } else if collector.wants(extra) {
            collector.require_for_development(&format!("{line}{marker}"));
        }
    }
}
