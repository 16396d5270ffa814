//! Mutations of assertions that are calls: assertions of unittest, of mocks and of the project, and expected
//! exceptions.

use tree_sitter::Node;

use super::assertions::Assertions;
use crate::code::test_mutations::assertions::{is_usual, opposite};
use crate::code::test_mutations::mutation::{Edit, MutationKind};
use crate::code::test_mutations::vocabulary::Vocabulary;
use crate::code::{ancestors, children, module, name_of};

/// The exceptions that tests most often expect.
const EXCEPTIONS: [&str; 5] = [
    "AttributeError",
    "IndexError",
    "KeyError",
    "TypeError",
    "ValueError",
];

impl Assertions<'_> {
    /// Adds the mutations of a call that is an assertion. Other calls have none.
    pub(super) fn call(&mut self, call: Node) {
        let (Some(function), Some(arguments)) = (
            call.child_by_field_name("function"),
            call.child_by_field_name("arguments"),
        ) else {
            return;
        };
        let name = function
            .child_by_field_name("attribute")
            .unwrap_or(function);
        let word = self.source(name);
        let mut values = children(arguments);
        values.retain(|value| value.kind() != "comment");
        match (word, values.as_slice()) {
            ("assertIn", [first, second, ..]) => self.member(*first, *second),
            (_, [first, second, ..]) if compares(word) => self.expected(*first, *second),
            ("assertTrue" | "assert_", [condition, ..]) => {
                self.compound(*condition);
            }
            _ => {}
        }
        self.about(&values);
        let usual = negated(word)
            .filter(|opposite| is_usual(opposite) || self.file.often_has(opposite, word));
        if let Some(negated) = usual {
            let edit = (name.byte_range(), negated.to_owned());
            self.add(MutationKind::Negated, Some(edit));
        }
        if is_of_mock(word) {
            self.given_to_mock(&values);
        } else if is_own_assertion(word) {
            let second = values.get(1);
            let edit = second.and_then(|second| other_last_string(*second, self.file));
            self.add(MutationKind::Unknown, edit);
        }
        if function.kind() == "identifier" && self.is_own_check(call, word) {
            self.given_to_own_check(&values);
        }
        if matches!(word, "raises" | "assertRaises" | "assertRaisesRegex") {
            self.raises(call, word, &values);
        }
    }

    /// Whether the file has a top-level function with this name and with the text `assert` in its source.
    fn is_own_check(&self, call: Node, name: &str) -> bool {
        let functions = children(module(call)).into_iter();
        let mut own = functions.filter(|function| {
            function.kind() == "function_definition" && name_of(*function, self.text) == Some(name)
        });
        own.any(|function| self.source(function).contains("assert"))
    }

    /// Adds one mutation for each argument that can be changed. `values` are the arguments of a check function, a
    /// function of the test file that contains assertions. The last argument is probably the expected value, so its
    /// mutation comes first. It may change a dictionary key, and then the test may end with an error and not with a
    /// failure. Therefore the other arguments get mutations too.
    fn given_to_own_check(&mut self, values: &[Node]) {
        let mut kind = MutationKind::Part;
        for value in values.iter().rev() {
            let part = self.parts(*value).into_iter().next();
            if part.is_some() {
                self.add(kind, part);
                kind = MutationKind::Operand;
            }
        }
    }

    /// Adds mutations that change the class and the text of an expected exception.
    fn raises(&mut self, call: Node, word: &str, given: &[Node]) {
        let Some(first) = given.first() else {
            return;
        };
        let block = ancestors(call).find(|outer| outer.kind() == "with_statement");
        self.about(&[block.unwrap_or(call)]);
        let pattern = given.iter().skip(1).find(|value| {
            let keyword = value.child_by_field_name("name");
            match keyword {
                Some(keyword) => self.source(keyword) == "match",
                None => word == "assertRaisesRegex",
            }
        });
        let pattern = pattern.and_then(|pattern| other_last_string(*pattern, self.file));
        self.add(MutationKind::Value, pattern);
        let other = self
            .file
            .other_exception(self.source(call), &EXCEPTIONS, |_| true);
        let edit = other.map(|other| (first.byte_range(), other));
        self.add(MutationKind::Negated, edit);
    }

    /// Adds mutations that change the expected arguments of a mock's calls.
    fn given_to_mock(&mut self, values: &[Node]) {
        for value in values {
            let part = self.parts(*value).into_iter().next();
            self.add(MutationKind::Part, part);
        }
        let plain = values.iter().find(|value| {
            !matches!(
                value.kind(),
                "keyword_argument" | "list_splat" | "dictionary_splat"
            )
        });
        let operands = plain.map(|value| self.operands(*value));
        for edit in operands.unwrap_or_default() {
            self.add(MutationKind::Operand, Some(edit));
        }
    }
}

/// An edit that changes the last string in an expression. Strings in the arguments of calls count too. `None` if there
/// is no string.
fn other_last_string(node: Node, file: &Vocabulary) -> Option<Edit> {
    if node.kind() == "string" {
        return file.other_string(node);
    }
    let mut parts = children(node).into_iter().rev();
    parts.find_map(|part| other_last_string(part, file))
}

/// Whether an assertion with this name, of unittest or of the project, probably requires that its first two arguments
/// are equal.
fn compares(name: &str) -> bool {
    if name == "assertIs" {
        return true;
    }
    let name = name.to_ascii_lowercase();
    let asserts = name.starts_with("assert") && name.contains("equal") && !name.contains("not");
    asserts || name.starts_with("eq_") || name.starts_with("assert_eq")
}

/// Whether this is the name of a method of `unittest.mock` that asserts the arguments of calls.
fn is_of_mock(name: &str) -> bool {
    matches!(
        name,
        "assert_called_with" | "assert_called_once_with" | "assert_any_call" | "assert_has_calls"
    )
}

/// Whether a function with this name is probably an assertion, but neither [`compares`] nor [`negated`] knows the name.
fn is_own_assertion(name: &str) -> bool {
    name.to_ascii_lowercase().starts_with("assert") && !compares(name) && negated(name).is_none()
}

/// The opposite of the assertion `name`, with the same arguments. `None` if no opposite is known.
fn negated(name: &str) -> Option<&'static str> {
    opposite(name).filter(|_| name.starts_with("assert"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assertion_of_equality_is_known_by_its_name() {
        for name in ["assertCountEqual", "eq_", "assert_equals", "assertIs"] {
            assert!(compares(name), "{name}");
        }
        for name in ["assertNotEqual", "assert_unequal_not", "equals"] {
            assert!(!compares(name), "{name}");
        }
    }
}
