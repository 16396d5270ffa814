//! Finds the values that a test gets from pytest's `parametrize` marks.

use tree_sitter::Node;

use crate::code::syntax::{ancestors, children, module};

/// The values for the parameter `name` in the `parametrize` marks of the function around `node`. Marks of the
/// classes around the function count too.
///
/// A mark lists sets of values, and each set gives one value for `name`. A set counts only if it is a literal tuple or
/// list, or a call of `pytest.param` without marks. If the mark has only one parameter, its values are listed without
/// tuples and can be any expressions.
pub(crate) fn parameter_values<'t>(node: Node<'t>, name: &str, text: &str) -> Vec<Node<'t>> {
    ancestors(node)
        .filter(|node| node.kind() == "decorated_definition")
        .flat_map(elements)
        .filter(|part| part.kind() == "decorator")
        .filter_map(|decorator| values_of_mark(decorator, name, text))
        .flatten()
        .collect()
}

/// The children of a node, without comments.
fn elements(node: Node<'_>) -> Vec<Node<'_>> {
    let mut all = children(node);
    all.retain(|child| child.kind() != "comment");
    all
}

/// The values for the parameter `name`, if `decorator` is a `parametrize` mark with this parameter.
fn values_of_mark<'t>(decorator: Node<'t>, name: &str, text: &str) -> Option<Vec<Node<'t>>> {
    let call = decorator.named_child(0)?;
    let function = call.child_by_field_name("function")?;
    if !text[function.byte_range()].ends_with("parametrize") {
        return None;
    }
    let arguments = elements(call.child_by_field_name("arguments")?);
    let names = names(argument(&arguments, 0, "argnames", text)?, text);
    let position = names.iter().position(|each| *each == name)?;
    let sets = listed_elements(argument(&arguments, 1, "argvalues", text)?, text)?;
    let value = |set: &Node<'t>| match set.kind() {
        "call" if is_param(*set, text) => values_of_param(*set, text)?.get(position).copied(),
        "tuple" | "list" if names.len() > 1 => elements(*set).get(position).copied(),
        _ => (names.len() == 1).then_some(*set),
    };
    Some(sets.iter().filter_map(value).collect())
}

/// Whether a set of values is a call of `pytest.param`.
fn is_param(call: Node, text: &str) -> bool {
    let function = call.child_by_field_name("function");
    let name = function.and_then(|of| of.child_by_field_name("attribute").or(Some(of)));
    name.is_some_and(|name| &text[name.byte_range()] == "param")
}

/// The values in a call of `pytest.param`. `None` if the call has marks, because a mark may skip this set of values.
fn values_of_param<'t>(call: Node<'t>, text: &str) -> Option<Vec<Node<'t>>> {
    let given = elements(call.child_by_field_name("arguments")?);
    named(&given, "marks", text).is_none().then_some(given)
}

/// The argument with this name, or else the positional argument at this 0-based position.
fn argument<'t>(
    arguments: &[Node<'t>],
    position: usize,
    name: &str,
    text: &str,
) -> Option<Node<'t>> {
    let positional = arguments.get(position).copied();
    named(arguments, name, text)
        .or_else(|| positional.filter(|node| node.kind() != "keyword_argument"))
}

fn named<'t>(arguments: &[Node<'t>], name: &str, text: &str) -> Option<Node<'t>> {
    arguments.iter().find_map(|node| {
        let own = node.child_by_field_name("name")?;
        let is_wanted = node.kind() == "keyword_argument" && &text[own.byte_range()] == name;
        is_wanted.then(|| node.child_by_field_name("value"))?
    })
}

/// The parameter names in the first argument of a mark. The argument is a string (`"a, b"`), or a list or tuple of
/// strings.
fn names<'a>(node: Node, text: &'a str) -> Vec<&'a str> {
    if matches!(node.kind(), "list" | "tuple") {
        let each = elements(node).into_iter();
        return each.flat_map(|node| names(node, text)).collect();
    }
    let content = children(node)
        .into_iter()
        .find(|part| part.kind() == "string_content");
    let content = content.map_or("", |content| &text[content.byte_range()]);
    let names = content.split(',').map(str::trim);
    names.filter(|name| !name.is_empty()).collect()
}

/// The elements of a literal list or tuple. `node` is this list or tuple, or the name of a variable of the module with
/// such a value. `None` for any other expression.
pub(crate) fn listed_elements<'t>(node: Node<'t>, text: &str) -> Option<Vec<Node<'t>>> {
    match node.kind() {
        "list" | "tuple" => Some(elements(node)),
        "identifier" => {
            let mut bound = children(module(node)).into_iter().filter_map(|statement| {
                let bound = statement.named_child(0)?;
                let left = bound.child_by_field_name("left")?;
                let own = text[left.byte_range()] == text[node.byte_range()];
                own.then(|| bound.child_by_field_name("right"))?
            });
            let list = bound.next_back()?;
            matches!(list.kind(), "list" | "tuple").then(|| elements(list))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Language;
    use crate::code::{find_function, parse};

    /// The values of the parameter `want` of a test function that follows `lines` (decorators).
    fn of_want(lines: &str) -> Vec<String> {
        let text = format!("{lines}\ndef test(given, want):\n    assert f(given) == want\n");
        let tree = parse(Language::Python, text.as_bytes()).unwrap();
        let function = find_function(tree.root_node(), &text, &["test".to_owned()]).unwrap();
        let found = parameter_values(function, "want", &text);
        found
            .iter()
            .map(|node| text[node.byte_range()].to_owned())
            .collect()
    }

    #[test]
    fn values_are_found_in_every_form_of_the_mark() {
        for lines in [
            "@pytest.mark.parametrize('given, want', [(1, 2), (3, 4)])",
            "@parametrize(['given', 'want'], ([1, 2], [3, 4]), ids=str)",
            "@pytest.mark.parametrize(('given', 'want'), [(1, 2), pytest.param(3, 4, id='x')])",
            "@pytest.mark.parametrize(argvalues=[(1, 2), (3, 4)], argnames='given,want')",
            "@slow\n@mark.parametrize('want', [2, # or so\n  4])\n@mark.parametrize('given', [1])",
            "@pytest.mark.parametrize('want,', [2, pytest.param(4), pytest.param(5, marks=slow)])",
            "CASES = [(1, 2), (3, 4)]\n@pytest.mark.parametrize('given, want', CASES)",
        ] {
            assert_eq!(of_want(lines), ["2", "4"], "{lines}");
        }
    }

    #[test]
    fn the_mark_of_a_class_counts_for_its_methods() {
        let text = "@parametrize('want', [1, 2])\nclass T:\n    def test(self, want):\n        assert f() == want\n";
        let tree = parse(Language::Python, text.as_bytes()).unwrap();
        let names = ["T".to_owned(), "test".to_owned()];
        let method = find_function(tree.root_node(), text, &names).unwrap();
        assert_eq!(parameter_values(method, "want", text).len(), 2);
    }

    #[test]
    fn no_values_are_found_without_a_literal_list_for_the_parameter() {
        for lines in [
            "@pytest.mark.parametrize('given, want', cases())",
            "@pytest.mark.parametrize('given, other', [(1, 2)])",
            "@pytest.mark.parametrize('given, want', [case(1, 2)])",
            "@pytest.mark.parametrize",
            "@pytest.mark.parametrize()",
            "@mock.patch('given, want', [(1, 2)])",
        ] {
            assert!(of_want(lines).is_empty(), "{lines}");
        }
    }
}
