//! Where a test stands in its file.

use tree_sitter::Node;

pub(super) fn parse(text: &str) -> Option<tree_sitter::Tree> {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .ok()?;
    parser.parse(text, None)
}

pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

fn name_of<'a>(node: Node<'_>, text: &'a str) -> Option<&'a str> {
    Some(&text[node.child_by_field_name("name")?.byte_range()])
}

/// The function that `names` names, through its classes; a method that a class inherits is looked for by name alone.
pub(super) fn find_function<'t>(root: Node<'t>, text: &str, names: &[String]) -> Option<Node<'t>> {
    let mut scope = root;
    for (depth, name) in names.iter().enumerate() {
        let kind = if depth + 1 == names.len() {
            "function_definition"
        } else {
            "class_definition"
        };
        let found = definition(scope, text, name, kind).or_else(|| {
            let plain = (kind == "class_definition").then(|| plain_name(scope, text, name))??;
            definition(scope, text, plain, kind)
        });
        let found = found.or_else(|| inherited(root, scope, text, name, 4));
        match found {
            Some(found) => scope = found,
            None => return anywhere(root, text, names.last()?),
        }
    }
    Some(scope)
}

/// The method of that name in a class that `class` derives from, in the same file.
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

/// The class that a plugin has made another of, by its name with something after it: `T` for `T_sqlite+pysqlite`.
fn plain_name<'a>(scope: Node<'_>, text: &'a str, name: &str) -> Option<&'a str> {
    children(scope.child_by_field_name("body").unwrap_or(scope))
        .into_iter()
        .map(|child| child.child_by_field_name("definition").unwrap_or(child))
        .filter(|child| child.kind() == "class_definition")
        .filter_map(|class| name_of(class, text))
        .filter(|plain| name.starts_with(plain))
        .max_by_key(|plain| plain.len())
}

/// The last definition of that name in a scope, not looking into other definitions.
fn definition<'t>(scope: Node<'t>, text: &str, name: &str, kind: &str) -> Option<Node<'t>> {
    let mut found = None;
    for child in children(scope.child_by_field_name("body").unwrap_or(scope)) {
        let inner = if child.kind() == "decorated_definition" {
            child.child_by_field_name("definition")
        } else {
            Some(child)
        };
        let Some(inner) = inner else { continue };
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

    #[test]
    fn a_class_that_a_plugin_has_renamed_is_found_by_what_its_name_begins_with() {
        let text = "class A:\n    def test(self):\n        pass\n\nclass AB(A):\n    def test(self):\n        assert f() == 1\n";
        let tree = parse(text).unwrap();
        let names = ["AB_sqlite+3_40".to_owned(), "test".to_owned()];
        let found = find_function(tree.root_node(), text, &names).unwrap();
        assert!(text[found.byte_range()].contains("assert"));
    }

    #[test]
    fn an_inherited_test_is_found_by_name() {
        let text = "class Base:\n    def test_a(self):\n        assert f() == 1\n\nclass TestX(Base):\n    pass\n";
        let tree = parse(text).unwrap();
        let names = ["TestX".to_owned(), "test_a".to_owned()];
        assert!(find_function(tree.root_node(), text, &names).is_some());
        let text = format!(
            "class Other:\n    def test_a(self):\n        pass\n\nclass Root:\n{}",
            &text[12..]
        );
        let text = text.replace(
            "class TestX(Base)",
            "class Base(Root):\n    x = 1\n\nclass TestX(Mixin, Base)",
        );
        let tree = parse(&text).unwrap();
        let found = find_function(tree.root_node(), &text, &names).unwrap();
        assert!(text[found.byte_range()].contains("assert"), "{text}");
    }
}
