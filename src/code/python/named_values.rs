//! The values that a file gives names, without running it: `name=value`, `name = value` and `"name": value`.

use tree_sitter::{Node, Tree};

use crate::code::syntax::children;

/// How many names are followed from one list of strings to others.
const MAX_NAMES: u8 = 8;

/// Every keyword argument, assignment and dictionary entry of a file, by name.
pub(crate) struct NamedValues<'t> {
    text: &'t str,
    pub found: Vec<(&'t str, Node<'t>)>,
}

impl<'t> NamedValues<'t> {
    /// Collects the named values of a file with this tree and text.
    pub fn of(tree: &'t Tree, text: &'t str) -> Self {
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

    /// The strings of an expression. It may be a string, the name of strings, or a list or sum of these.
    pub fn strings(&self, value: Node<'t>) -> Vec<&'t str> {
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
