//! Finds the values that a file gives to names (`name=value`, `name = value`, `"name": value`) without executing the
//! file.

use tree_sitter::{Node, Tree};

use crate::code::syntax::children;

/// The maximum number of names that are replaced by their values while one expression is read.
const MAX_NAMES: u8 = 8;

/// The names and values of all keyword arguments, assignments and dictionary entries of a file, in order.
pub(crate) struct NamedValues<'t> {
    text: &'t str,
    /// (name without quotes, node of the value)
    pub found: Vec<(&'t str, Node<'t>)>,
}

impl<'t> NamedValues<'t> {
    /// Collects the named values of the file with this tree and text.
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

    /// The strings in an expression, in order. The expression may be a string, a name with strings as its value, or a
    /// list, tuple or sum of these. Anything else in it is ignored.
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
