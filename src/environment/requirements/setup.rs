//! Requirements in `setup.cfg` and `setup.py`.

use tree_sitter::{Node, Tree};

use super::collector::Collector;
use super::files::ini_list;
use crate::benchmark::Language;
use crate::code::parse;

/// How many names lead from one list of strings to others.
const MAX_NAMES: u8 = 8;

pub(super) fn from_setup_cfg(text: &str, collector: &mut Collector) {
    for key in ["install_requires", "tests_require"] {
        for line in ini_list(text, "options", key) {
            collector.require(&line);
        }
    }
    for extra in collector.groups().to_vec() {
        for line in ini_list(text, "options.extras_require", extra.as_ref()) {
            collector.require(&line);
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
    let pairs = Pairs::of(&tree, text);
    for (name, value) in &pairs.found {
        let required = matches!(
            *name,
            "install_requires" | "tests_require" | "setup_requires"
        );
        if *name == "python_requires" {
            let specifiers = pairs.strings(*value).first().and_then(|s| s.parse().ok());
            collector.python_at_least(specifiers.as_ref());
        } else if required || collector.wants(name) {
            for line in pairs.strings(*value) {
                collector.require(line);
            }
        }
    }
}

/// The first `name` of `setup.py` that is a string, in place or under a name.
pub(super) fn name_in_setup_py(text: &str) -> Option<String> {
    let tree = parse(Language::Python, text.as_bytes())?;
    let pairs = Pairs::of(&tree, text);
    let mut names = pairs.found.iter().filter(|(name, _)| *name == "name");
    names.find_map(|(_, value)| pairs.strings(*value).first().map(ToString::to_string))
}

/// Every keyword argument, assignment and dictionary entry of a file, by name.
struct Pairs<'t> {
    text: &'t str,
    found: Vec<(&'t str, Node<'t>)>,
}

impl<'t> Pairs<'t> {
    fn of(tree: &'t Tree, text: &'t str) -> Self {
        let mut found = Vec::new();
        let mut waiting = vec![tree.root_node()];
        while let Some(node) = waiting.pop() {
            let fields = match node.kind() {
                "keyword_argument" => Some(("name", "value")),
                "assignment" => Some(("left", "right")),
                "pair" => Some(("key", "value")),
                _ => None,
            };
            if let Some((name, value)) = fields
                && let Some(name) = node.child_by_field_name(name)
                && let Some(value) = node.child_by_field_name(value)
            {
                found.push((text[name.byte_range()].trim_matches(['"', '\'']), value));
            }
            waiting.extend(children(node).into_iter().rev());
        }
        Self { text, found }
    }

    /// The strings of an expression: a string, a name of one, or a list or sum of such.
    fn strings(&self, value: Node<'t>) -> Vec<&'t str> {
        let (mut strings, mut names) = (Vec::new(), 0);
        let mut waiting = vec![value];
        while let Some(node) = waiting.pop() {
            match node.kind() {
                "string_content" => strings.push(&self.text[node.byte_range()]),
                "identifier" if names < MAX_NAMES => {
                    names += 1;
                    let name = &self.text[node.byte_range()];
                    let mut pairs = self.found.iter();
                    let pair = pairs.find(|(other, value)| *other == name && *value != node);
                    waiting.extend(pair.map(|(_, value)| *value));
                }
                "string" | "list" | "tuple" | "binary_operator" => {
                    waiting.extend(children(node).into_iter().rev());
                }
                _ => {}
            }
        }
        strings
    }
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}
