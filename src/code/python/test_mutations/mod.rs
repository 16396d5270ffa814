//! Mutations of Python tests: changes to what a test expects, in `assert`, unittest, mocks, expected exceptions and
//! parameters.

mod assertions;
mod bindings;
mod calls;
mod equality;
mod literal;

use std::ops::Range;
use std::path::Path;

use tree_sitter::{Node, Tree};

use self::assertions::Assertions;
use crate::benchmark::Language;
use crate::code::test_mutations::mutation::{Edit, Mutation, MutationKind};
use crate::code::test_mutations::test_source::{TestFunction, TestSource};
use crate::code::test_mutations::vocabulary::Vocabulary;
use crate::code::{ancestors, children, find_function, first_line, last_line, name_of, parse};

/// A parsed Python test file.
pub(crate) struct TestFile<'a> {
    text: &'a str,
    tree: Tree,
    vocabulary: Vocabulary<'a>,
}

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
        let tree = parse(Language::Python, text.as_bytes())?;
        let vocabulary = Vocabulary::new(tree.root_node(), text);
        Some(Self {
            text,
            tree,
            vocabulary,
        })
    }

    /// Edits that replace each top-level call of the test `name` by `pass`. Calls of several lines are left out.
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

impl TestSource for TestFile<'_> {
    fn test(
        &self,
        names: &[String],
        target: &str,
        effect: &dyn Fn(Range<u32>) -> Option<u32>,
    ) -> Option<TestFunction> {
        let root = self.tree.root_node();
        let function = find_function(root, self.text, names)?;
        let decorated = function
            .parent()
            .filter(|parent| parent.kind() == "decorated_definition");
        let range = decorated.unwrap_or(function).byte_range();
        let effect = effect(first_line(function)..last_line(function) + 1);
        let mut mutations = Assertions::mutations(function, &self.vocabulary, target, effect);
        mutations.retain(|mutation| {
            let edit = &mutation.edit.0;
            // An edit outside of the test could also change other tests.
            let is_own = range.start <= edit.start && edit.end <= range.end;
            is_own && mutation.preserves_lines(self.text)
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
        let root = self.tree.root_node();
        let mut found = Assertions::mutations(root, &self.vocabulary, target, None);
        found.retain(|mutation| {
            let (range, _) = &mutation.edit;
            let edited = root.descendant_for_byte_range(range.start, range.end);
            let mut outer = edited.into_iter().flat_map(ancestors);
            mutation.kind != MutationKind::Parameter
                && mutation.preserves_lines(self.text)
                && !outer.any(|outer| {
                    outer.kind() == "function_definition"
                        && name_of(outer, self.text).is_some_and(|name| name.starts_with("test"))
                })
        });
        found
    }
}

#[cfg(test)]
mod tests;
