//! Finds the definition of a test in its file.

use tree_sitter::Node;

use crate::code::syntax::{children, name_of};

/// An inherited method is searched for in the direct base classes, and in this many levels of base classes above them.
const DEPTH: u8 = 4;

/// Finds a function. `names` are the names of the classes around the function, the outermost first, and then the name
/// of the function. The class may inherit the function from another class in the file. If there is no such function,
/// the result is the first function with this name anywhere in the file.
pub(crate) fn find_function<'t>(root: Node<'t>, text: &str, names: &[String]) -> Option<Node<'t>> {
    let mut scope = root;
    for (depth, name) in names.iter().enumerate() {
        let found = if depth + 1 == names.len() {
            definition(scope, text, name, "function_definition")
                .or_else(|| inherited(root, scope, text, name, DEPTH))
        } else {
            class(scope, text, name)
        };
        match found {
            Some(found) => scope = found,
            None => return anywhere(root, text, names.last()?),
        }
    }
    Some(scope)
}

/// The class with this name, or else the class with the longest name that is a prefix of `name`. Some pytest plugins
/// append text to the names of classes: `T_sqlite+pysqlite` for `T`.
fn class<'t>(scope: Node<'t>, text: &str, name: &str) -> Option<Node<'t>> {
    let begins = |class: &Node| name_of(*class, text).is_some_and(|own| name.starts_with(own));
    definition(scope, text, name, "class_definition").or_else(|| {
        let classes = statements(scope).into_iter().map(undecorated);
        classes
            .filter(|child| child.kind() == "class_definition" && begins(child))
            .max_by_key(|class| name_of(*class, text).map(str::len))
    })
}

/// The method with this name in a base class of `class`. Only base classes in the same file are searched. `depth` is
/// the number of levels to search above the direct base classes.
fn inherited<'t>(
    root: Node<'t>,
    class: Node<'t>,
    text: &str,
    name: &str,
    depth: u8,
) -> Option<Node<'t>> {
    let bases = children(class.child_by_field_name("superclasses")?);
    bases.into_iter().find_map(|base| {
        let base = definition(root, text, &text[base.byte_range()], "class_definition")?;
        let own = definition(base, text, name, "function_definition");
        own.or_else(|| inherited(root, base, text, name, depth.checked_sub(1)?))
    })
}

/// The last definition with this name directly in a scope. `kind` is the kind of the definition's syntax node. The
/// blocks of `if`, of its `else` and of `try` belong to the scope.
fn definition<'t>(scope: Node<'t>, text: &str, name: &str, kind: &str) -> Option<Node<'t>> {
    let mut found = None;
    for child in statements(scope) {
        let inner = undecorated(child);
        if inner.kind() == kind && name_of(inner, text) == Some(name) {
            found = Some(inner);
        } else if matches!(
            inner.kind(),
            "if_statement" | "try_statement" | "else_clause" | "block" | "except_clause"
        ) {
            found = definition(inner, text, name, kind).or(found);
        }
    }
    found
}

fn statements(scope: Node<'_>) -> Vec<Node<'_>> {
    children(scope.child_by_field_name("body").unwrap_or(scope))
}

fn undecorated(node: Node<'_>) -> Node<'_> {
    node.child_by_field_name("definition").unwrap_or(node)
}

/// The first function with this name in `node`, in depth-first order.
fn anywhere<'t>(node: Node<'t>, text: &str, name: &str) -> Option<Node<'t>> {
    if node.kind() == "function_definition" && name_of(node, text) == Some(name) {
        return Some(node);
    }
    children(node)
        .into_iter()
        .find_map(|child| anywhere(child, text, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Language;
    use crate::code::parse;

    fn found(text: &str, names: &[&str]) -> Option<String> {
        let tree = parse(Language::Python, text.as_bytes()).unwrap();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let function = find_function(tree.root_node(), text, &names)?;
        Some(text[function.byte_range()].to_owned())
    }

    #[test]
    fn a_class_that_a_plugin_has_renamed_is_found_by_the_longest_matching_name() {
        let text = "class A:\n    def test(self):\n        pass\n\nclass AB(A):\n    def test(self):\n        assert f() == 1\n";
        let method = found(text, &["AB_sqlite+3_40", "test"]).unwrap();
        assert!(method.contains("assert"));
    }

    #[test]
    fn an_inherited_test_is_found_in_its_base_class() {
        let text = "class Other:\n    def test_a(self):\n        pass\n\nclass Root:\n    def test_a(self):\n        assert f() == 1\n\nclass Base(Root):\n    x = 1\n\nclass TestX(Mixin, Base):\n    pass\n";
        let method = found(text, &["TestX", "test_a"]).unwrap();
        assert!(method.contains("assert"), "{method}");
        assert_eq!(found(text, &["TestX", "test_b"]), None);
    }

    #[test]
    fn the_last_of_several_definitions_is_found() {
        let text =
            "def test():\n    pass\nif x:\n    @mark\n    def test():\n        assert f() == 1\n";
        assert!(found(text, &["test"]).unwrap().contains("assert"));
    }
}
