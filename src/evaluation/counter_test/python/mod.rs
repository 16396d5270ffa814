//! The mutations of Python tests: `assert`, unittest, mocks, expected exceptions, parameters.

mod assertions;
mod bindings;
mod calls;
mod definition;
mod literal;
mod parameters;

use std::ops::Range;
use std::path::Path;

use tree_sitter::{Node, Tree};

use self::assertions::{Assertions, mentions};
use self::definition::{children, find_function};
use super::mutation::{Edit, Mutation, MutationKind};
use crate::benchmark::Language;
use crate::code::parse;

/// A test file.
pub(super) struct TestFile<'a> {
    text: &'a str,
    tree: Tree,
}

/// A test function in its file.
pub(super) struct TestFunction {
    /// Its bytes with its decorators.
    pub range: Range<usize>,
    /// Its mutations, the best first.
    pub mutations: Vec<Mutation>,
    /// What is changed with each of them: calls of the test by the file itself, which would fail when it is imported.
    pub calls: Vec<Edit>,
}

impl<'a> TestFile<'a> {
    /// Whether a file of that name is Python source.
    pub fn is_one(name: &str) -> bool {
        Path::new(name).extension().is_some_and(|end| end == "py")
    }

    /// `None` where the text is not parsed; see [`parse`].
    pub fn parse(text: &'a str) -> Option<Self> {
        let tree = parse(Language::Python, text.as_bytes())?;
        Some(Self { text, tree })
    }

    /// The test that `names` names, of code whose name is `target`. Its mutations leave other tests as they are.
    pub fn test(&self, names: &[String], target: &str) -> Option<TestFunction> {
        let root = self.tree.root_node();
        let function = find_function(root, self.text, names)?;
        let decorated = function
            .parent()
            .filter(|parent| parent.kind() == "decorated_definition");
        let range = decorated.unwrap_or(function).byte_range();
        let mut mutations = Assertions::mutations(function, self.text, target);
        mutations.retain(|mutation| {
            mutation.keeps_lines(self.text) && self.is_private(&mutation.edit.0, &range)
        });
        let calls = match names {
            [name] => self.calls_of(name),
            _ => Vec::new(),
        };
        Some(TestFunction {
            range,
            mutations,
            calls,
        })
    }

    /// The mutations of the assertions outside test functions, except those of parameters.
    pub fn support(&self, target: &str) -> Vec<Mutation> {
        let mut found = Assertions::outside_tests(self.tree.root_node(), self.text, target);
        found.retain(|mutation| {
            mutation.kind != MutationKind::Parameter && mutation.keeps_lines(self.text)
        });
        found
    }

    /// Whether a change at `edit` changes nothing but the test at `test`: it lies in the test, or in a constant of the
    /// module that nothing else mentions.
    fn is_private(&self, edit: &Range<usize>, test: &Range<usize>) -> bool {
        let within = |outer: &Range<usize>| outer.start <= edit.start && edit.end <= outer.end;
        if within(test) {
            return true;
        }
        let mut statements = children(self.tree.root_node()).into_iter();
        let Some(statement) = statements.find(|statement| within(&statement.byte_range())) else {
            return false;
        };
        let name = statement
            .named_child(0)
            .filter(|bound| bound.kind() == "assignment")
            .and_then(|bound| bound.child_by_field_name("left"))
            .filter(|left| left.kind() == "identifier");
        name.is_some_and(|name| {
            let own = [test.clone(), statement.byte_range()];
            let name = &self.text[name.byte_range()];
            !mentions(&outside(self.text, own), name)
        })
    }

    /// The statements by which the file calls a test when it is imported, replaced by `pass`.
    fn calls_of(&self, name: &str) -> Vec<Edit> {
        let is_call = |statement: &Node| {
            let call = statement
                .named_child(0)
                .filter(|_| statement.kind() == "expression_statement");
            let function = call.and_then(|call| call.child_by_field_name("function"));
            function.is_some_and(|function| self.text[function.byte_range()] == *name)
        };
        let calls = children(self.tree.root_node()).into_iter().filter(is_call);
        let lines = |call: &Node| call.end_position().row - call.start_position().row;
        calls
            .filter(|call| lines(call) == 0)
            .map(|call| (call.byte_range(), "pass".to_owned()))
            .collect()
    }
}

/// A text without two ranges of it that do not overlap.
fn outside(text: &str, mut ranges: [Range<usize>; 2]) -> String {
    ranges.sort_by_key(|range| range.start);
    let [first, second] = ranges;
    [
        &text[..first.start],
        &text[first.end..second.start],
        &text[second.end..],
    ]
    .concat()
}

#[cfg(test)]
mod tests;
