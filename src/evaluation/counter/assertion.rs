//! Claims that calls make: unittest's assertions, those of mocks and of a project's own, and expected exceptions.

use tree_sitter::Node;

use super::change::Rank;
use super::claim::Claims;
use super::find::children;
use super::value::{exception, last_string};

impl<'a> Claims<'a> {
    /// The claims of a call: of an assertion by name, of a mock, of an exception.
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
        let word = self.own(name);
        let values: Vec<Node> = children(arguments)
            .into_iter()
            .filter(|node| node.kind() != "comment")
            .collect();
        match (word, values.as_slice()) {
            ("assertIn", [first, second, ..]) => self.member(*first, *second),
            (_, [first, second, ..]) if compares(word) => self.expected(*first, *second),
            ("assertTrue" | "assert_", [claim, ..]) => {
                self.compound(*claim);
            }
            _ => {}
        }
        if let Some(turned) = turned_call(word) {
            self.add(Rank::Turned, Some((name.byte_range(), turned.to_owned())));
        }
        if is_of_mock(word) {
            self.given_to_mock(&values);
        } else if is_own_assertion(word) {
            let second = values.get(1);
            self.add(
                Rank::Unknown,
                second.and_then(|second| last_string(*second, self.text)),
            );
        }
        if function.kind() == "identifier" && self.defines_claims(call, word) {
            // What is expected likely comes last; a key that is another may be an error, not a claim unmet.
            let parts = values.iter().rev().filter_map(|value| self.part(*value));
            for (number, part) in parts.collect::<Vec<_>>().into_iter().enumerate() {
                let rank = if number == 0 {
                    Rank::Part
                } else {
                    Rank::Beside
                };
                self.add(rank, Some(part));
            }
        }
        self.raises(call, function, word, &values);
    }

    /// Whether a call does nothing but claim something, by its name.
    pub(super) fn asserts(&self, call: Node) -> bool {
        let function = call.child_by_field_name("function");
        function
            .filter(|_| call.kind() == "call")
            .is_some_and(|function| {
                let name = function.child_by_field_name("attribute");
                let word = self.own(name.unwrap_or(function));
                compares(word)
                    || turned_call(word).is_some()
                    || is_of_mock(word)
                    || name.is_none() && self.defines_claims(call, word)
            })
    }

    /// Whether the file has a function of that name which asserts something.
    fn defines_claims(&self, node: Node, name: &str) -> bool {
        let Some(module) = std::iter::successors(Some(node), Node::parent).last() else {
            return false;
        };
        let own = |child: &Node| {
            child.kind() == "function_definition"
                && child
                    .child_by_field_name("name")
                    .is_some_and(|own| self.own(own) == name)
        };
        let mut defined = children(module).into_iter().filter(own);
        defined.any(|function| self.own(function).contains("assert"))
    }

    /// The exception that is expected to be raised.
    fn raises(&mut self, call: Node, function: Node, word: &str, given: &[Node]) {
        let owner = function.child_by_field_name("object");
        let pytest = owner.is_some_and(|owner| self.own(owner) == "pytest");
        let raises =
            (word == "raises" && pytest) || matches!(word, "assertRaises" | "assertRaisesRegex");
        let (true, Some(first)) = (raises, given.first()) else {
            return;
        };
        let told = given.iter().skip(1).find(|value| {
            let keyword = value.child_by_field_name("name");
            match keyword {
                Some(keyword) => self.own(keyword) == "match",
                None => word == "assertRaisesRegex",
            }
        });
        self.add(
            Rank::Value,
            told.and_then(|told| last_string(*told, self.text)),
        );
        for near in [self.exceptions_in_sight(call), Vec::new()] {
            let other = exception(self.own(call), &near);
            let change = other.map(|other| (first.byte_range(), other.to_owned()));
            self.add(Rank::Turned, change);
        }
    }

    /// The exceptions that the file imports by name.
    fn exceptions_in_sight(&self, node: Node) -> Vec<&'a str> {
        let module = std::iter::successors(Some(node), Node::parent).last();
        let statements = module.map(children).unwrap_or_default().into_iter();
        statements
            .filter(|statement| statement.kind() == "import_from_statement")
            .flat_map(|statement| children(statement).into_iter().skip(1))
            .filter(|name| name.kind() == "dotted_name")
            .map(|name| self.own(name))
            .filter(|name| name.ends_with("Error") || name.ends_with("Exception"))
            .collect()
    }

    /// What a mock is expected to have been called with.
    fn given_to_mock(&mut self, values: &[Node]) {
        for value in values {
            self.add(Rank::Part, self.part(*value));
        }
        let plain = values.iter().find(|value| {
            !matches!(
                value.kind(),
                "keyword_argument" | "list_splat" | "dictionary_splat"
            )
        });
        self.add(Rank::Beside, plain.map(|value| self.beside(*value)));
    }
}

/// Whether a function of that name asserts that its first two arguments are equal: unittest's, and those of a project's
/// own that are named so.
fn compares(name: &str) -> bool {
    if name == "assertIs" {
        return true;
    }
    let name = name.to_ascii_lowercase();
    let asserts = name.starts_with("assert") && name.contains("equal") && !name.contains("not");
    asserts || name.starts_with("eq_") || name.starts_with("assert_eq")
}

/// Whether a mock has a method of that name, which asserts what it was called with (`unittest.mock`).
fn is_of_mock(name: &str) -> bool {
    matches!(
        name,
        "assert_called_with" | "assert_called_once_with" | "assert_any_call" | "assert_has_calls"
    )
}

/// Whether a function of that name is an assertion of a project's own, of which nothing else is known.
fn is_own_assertion(name: &str) -> bool {
    name.to_ascii_lowercase().starts_with("assert")
        && !compares(name)
        && turned_call(name).is_none()
}

fn turned_call(name: &str) -> Option<&'static str> {
    Some(match name {
        "assertEqual" | "assertEquals" => "assertNotEqual",
        "assertNotEqual" => "assertEqual",
        "assertTrue" | "assert_" => "assertFalse",
        "assertFalse" => "assertTrue",
        "assertIn" => "assertNotIn",
        "assertNotIn" => "assertIn",
        "assertIs" => "assertIsNot",
        "assertIsNot" => "assertIs",
        "assertIsNone" => "assertIsNotNone",
        "assertIsNotNone" => "assertIsNone",
        "assertIsInstance" => "assertNotIsInstance",
        "assertNotIsInstance" => "assertIsInstance",
        "assertGreater" => "assertLessEqual",
        "assertLess" => "assertGreaterEqual",
        "assertGreaterEqual" => "assertLess",
        "assertLessEqual" => "assertGreater",
        "assertRegex" => "assertNotRegex",
        "assertAlmostEqual" => "assertNotAlmostEqual",
        "assert_called" | "assert_called_once" => "assert_not_called",
        "assert_not_called" => "assert_called",
        _ => return None,
    })
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
