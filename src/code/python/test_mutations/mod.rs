//! Mutations of Python tests: changes to what a test expects, in `assert`, unittest, mocks, expected exceptions and
//! parameters.

mod assertions;
mod bindings;
mod calls;
mod equality;

use std::ops::Range;
use std::path::Path;

use tree_sitter::Node;

use self::assertions::Assertions;
use crate::benchmark::Language;
use crate::code::test_mutations::mutation::{Edit, Mutation, MutationKind};
use crate::code::test_mutations::test_source::{TestFunction, TestSource};
use crate::code::test_mutations::vocabulary::Vocabulary;
use crate::code::{ancestors, children, find_function, first_line, last_line, name_of};

/// A parsed Python test file.
pub(crate) struct TestFile<'a>(Vocabulary<'a>);

impl<'a> TestFile<'a> {
    /// Whether a file with this name probably has code that the tests in the same folder share.
    pub fn is_support(name: &str) -> bool {
        let words = ["util", "helper", "base", "common", "support"];
        let is_python = Path::new(name).extension().is_some_and(|end| end == "py");
        matches!(name, "__init__.py" | "conftest.py")
            || is_python && words.iter().any(|word| name.contains(word))
    }

    /// Parses a test file. `None` if the file exceeds the limits of the parser.
    pub fn parse(text: &'a str) -> Option<Self> {
        Vocabulary::parse(Language::Python, text).map(Self)
    }

    /// Edits that replace each top-level call of the test `name` by `pass`. Calls of several lines are left out.
    fn calls_of(&self, name: &str) -> Vec<Edit> {
        let is_call = |statement: &Node| {
            let call = statement
                .named_child(0)
                .filter(|_| statement.kind() == "expression_statement");
            let function = call.and_then(|call| call.child_by_field_name("function"));
            function.is_some_and(|function| self.0.text[function.byte_range()] == *name)
        };
        let calls = children(self.0.tree.root_node())
            .into_iter()
            .filter(is_call);
        let lines = |call: &Node| call.end_position().row - call.start_position().row;
        calls
            .filter(|call| lines(call) == 0)
            .map(|call| (call.byte_range(), "pass".to_owned()))
            .collect()
    }
}

impl TestSource for TestFile<'_> {
    fn test(
        &self,
        names: &[String],
        target: &str,
        effect: &dyn Fn(Range<u32>) -> Option<u32>,
    ) -> Option<TestFunction> {
        let root = self.0.tree.root_node();
        let function = find_function(root, self.0.text, names)?;
        let decorated = function
            .parent()
            .filter(|parent| parent.kind() == "decorated_definition");
        let range = decorated.unwrap_or(function).byte_range();
        let effect = effect(first_line(function)..last_line(function) + 1);
        let mut mutations = Assertions::mutations(function, &self.0, target, effect);
        mutations.retain(|mutation| {
            let edit = &mutation.edit.0;
            // An edit outside of the test could also change other tests.
            range.start <= edit.start && edit.end <= range.end
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

    fn support(&self, target: &str) -> Vec<Mutation> {
        let root = self.0.tree.root_node();
        let mut found = Assertions::mutations(root, &self.0, target, None);
        found.retain(|mutation| {
            let (range, _) = &mutation.edit;
            let edited = root.descendant_for_byte_range(range.start, range.end);
            let mut outer = edited.into_iter().flat_map(ancestors);
            mutation.kind != MutationKind::Parameter
                && !outer.any(|outer| {
                    outer.kind() == "function_definition"
                        && name_of(outer, self.0.text).is_some_and(|name| name.starts_with("test"))
                })
        });
        found
    }
}

#[cfg(test)]
mod tests;
