//! The mutations of Python tests: `assert`, unittest, mocks, expected exceptions, parameters.

mod assertions;
mod bindings;
mod calls;
mod equality;
mod literal;

use std::ops::Range;

use tree_sitter::{Node, Tree};

use self::assertions::Assertions;
use super::mutation::Edit;
use super::test_function::TestFunction;
use crate::code::{children, find_function, first_line, last_line};

/// The test of these names in a file; see [`test_function`](super::test_function).
pub(super) fn test(
    (tree, text): (&Tree, &str),
    names: &[String],
    target: &str,
    effect: &dyn Fn(Range<u32>) -> Option<u32>,
) -> Option<TestFunction> {
    let function = find_function(tree.root_node(), text, names)?;
    let decorated = function
        .parent()
        .filter(|parent| parent.kind() == "decorated_definition");
    let range = decorated.unwrap_or(function).byte_range();
    let effect = effect(first_line(function)..last_line(function) + 1);
    let mut mutations = Assertions::mutations(function, text, target, effect);
    mutations.retain(|mutation| {
        let edit = &mutation.edit.0;
        // Elsewhere, an edit could change other tests too.
        let is_own = range.start <= edit.start && edit.end <= range.end;
        is_own && mutation.preserves_lines(text)
    });
    let calls = match names {
        [name] => calls_of(tree, text, name),
        _ => Vec::new(),
    };
    Some(TestFunction {
        range,
        mutations,
        calls,
    })
}

/// The statements by which a file calls a test when it is imported, replaced by `pass`.
fn calls_of(tree: &Tree, text: &str, name: &str) -> Vec<Edit> {
    let is_call = |statement: &Node| {
        let call = statement
            .named_child(0)
            .filter(|_| statement.kind() == "expression_statement");
        let function = call.and_then(|call| call.child_by_field_name("function"));
        function.is_some_and(|function| text[function.byte_range()] == *name)
    };
    let calls = children(tree.root_node()).into_iter().filter(is_call);
    let lines = |call: &Node| call.end_position().row - call.start_position().row;
    calls
        .filter(|call| lines(call) == 0)
        .map(|call| (call.byte_range(), "pass".to_owned()))
        .collect()
}

#[cfg(test)]
mod tests;
