//! Replaces constants in Python tests by random other constants, of the same type if possible.

use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use tree_sitter::Node;

use crate::code::children;
use crate::code::test_mutations::mutation::{Edit, other_letter, replaced};

/// An edit that replaces a constant in the expression `node` by another constant. The constant is the whole expression
/// or, in a collection, a random element. `None` if there is no constant.
pub(super) fn other_constant(node: Node, text: &str) -> Option<Edit> {
    let own = &text[node.byte_range()];
    let other = match node.kind() {
        "integer" | "float" => other_number(own)?,
        "unary_operator" => return other_constant(node.child_by_field_name("argument")?, text),
        "true" => "False".to_owned(),
        "false" | "none" => "True".to_owned(),
        "string" => return other_string(node, text),
        "list" if node.named_child_count() == 0 => "[0]".to_owned(),
        "tuple" if node.named_child_count() == 0 => "(0,)".to_owned(),
        "dictionary" if node.named_child_count() == 0 => "{'a': 0}".to_owned(),
        "pair" => return other_constant(node.child_by_field_name("value")?, text),
        "list"
        | "tuple"
        | "set"
        | "dictionary"
        | "parenthesized_expression"
        | "concatenated_string"
        | "expression_list" => {
            let parts = children(node).into_iter();
            let found: Vec<_> = parts
                .filter_map(|part| other_constant(part, text))
                .collect();
            return found.choose(&mut rand::rng()).cloned();
        }
        _ => return None,
    };
    Some((node.byte_range(), other))
}

/// An edit that changes the last string in an expression. Strings in the arguments of calls count too. `None` if there
/// is no string.
pub(super) fn other_last_string(node: Node, text: &str) -> Option<Edit> {
    if node.kind() == "string" {
        return other_string(node, text);
    }
    let parts = children(node).into_iter().rev();
    parts
        .into_iter()
        .find_map(|part| other_last_string(part, text))
}

/// A random number from 1 to 9.
pub(super) fn small_number() -> u32 {
    rand::rng().random_range(1..10)
}

/// A built-in exception of Python that `text` does not contain.
pub(super) fn other_exception(text: &str) -> Option<&'static str> {
    const BUILT_IN: [&str; 6] = [
        "BufferError",
        "EOFError",
        "KeyError",
        "OverflowError",
        "TypeError",
        "ZeroDivisionError",
    ];
    let unnamed = BUILT_IN.into_iter().filter(|name| !text.contains(name));
    unnamed
        .collect::<Vec<_>>()
        .choose(&mut rand::rng())
        .copied()
}

/// The number `own` with its first nonzero digit changed. If all digits are 0, the last digit is changed instead.
/// `None` if there is no decimal digit, as in `0xff`.
fn other_number(own: &str) -> Option<String> {
    let lower = own.to_ascii_lowercase();
    let based = ["0x", "0o", "0b"]
        .iter()
        .any(|base| lower.starts_with(base));
    let (from, to) = if based {
        (2, own.len())
    } else {
        (0, lower.find(['e', 'j', 'l']).unwrap_or(own.len()))
    };
    let digits = || {
        own[from..to]
            .char_indices()
            .filter(|(_, c)| c.is_ascii_digit())
    };
    let (at, old) = digits()
        .find(|(_, digit)| *digit != '0')
        .or_else(|| digits().next_back())?;
    let digits = if lower.starts_with("0b") {
        b'0'..=b'1'
    } else {
        b'1'..=b'7'
    };
    Some(replaced(own, from + at, old, digits))
}

/// An edit that changes one random letter or digit of a string. If [`plain_letters`] finds none, the edit adds a letter
/// at the end, or the result is `None` if the string ends with a backslash.
fn other_string(node: Node, text: &str) -> Option<Edit> {
    let mut cursor = node.walk();
    let parts: Vec<Node> = node.children(&mut cursor).collect();
    let end = parts.iter().find(|part| part.kind() == "string_end")?;
    let plain = parts.iter().filter(|part| part.kind() == "string_content");
    let places: Vec<(usize, char)> = plain
        .flat_map(|part| {
            let found = plain_letters(&text[part.byte_range()]).into_iter();
            found.map(|(at, letter)| (part.start_byte() + at, letter))
        })
        .collect();
    let Some((at, old)) = places.choose(&mut rand::rng()).copied() else {
        let end = end.start_byte();
        return (!text[..end].ends_with('\\')).then(|| (end..end, "x".to_owned()));
    };
    Some(other_letter(text, node.byte_range(), (at, old), b'0'))
}

/// (byte offset, character) of the letters and digits in the source of a string. Words directly after `\`, `%` or `&`,
/// and all text in braces, are left out: they may be an escape (`\n`), a placeholder (`%s`, `{x}`) or an HTML entity
/// (`&lt;`).
fn plain_letters(source: &str) -> Vec<(usize, char)> {
    let (mut in_word, mut in_braces) = (false, false);
    let mut found = Vec::new();
    for (at, letter) in source.char_indices() {
        match letter {
            '\\' | '%' | '&' => in_word = true,
            '{' => in_braces = true,
            '}' => in_braces = false,
            _ if !letter.is_ascii_alphanumeric() => in_word = false,
            _ if !in_word && !in_braces => found.push((at, letter)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Language;
    use crate::code::parse;
    use crate::code::test_mutations::mutation::edited;

    /// The expression after the edit of [`other_constant`].
    fn other(expression: &str) -> String {
        let tree = parse(Language::Python, expression.as_bytes()).unwrap();
        let statement = tree.root_node().named_child(0).unwrap();
        let edit = other_constant(statement.named_child(0).unwrap(), expression).unwrap();
        edited(expression, &[edit]).unwrap()
    }

    #[test]
    fn another_constant_is_of_the_same_type_and_length() {
        for own in [
            "6",
            "-3",
            "120",
            "0.25",
            "1e-7",
            "0x1f",
            "0b10",
            "0",
            "0.0",
            "3j",
            "'abc'",
            "b'x1'",
            "[1, 'ab']",
            "{'a': (1, 2)}",
            "'it\\'s'",
            "f'{x} ab'",
            "'%d ab'",
            "'\\x41 {0.x} ab'",
        ] {
            for _ in 0..20 {
                let new = other(own);
                assert!(new != own && new.len() == own.len(), "{own}: {new}");
                let tree = parse(Language::Python, new.as_bytes()).unwrap();
                assert!(!tree.root_node().has_error(), "{new}");
            }
        }
    }

    #[test]
    fn any_part_of_a_literal_may_change() {
        let first: std::collections::BTreeSet<bool> = (0..60)
            .map(|_| other("[1, 'b']").starts_with("[1"))
            .collect();
        assert_eq!(first.len(), 2);
    }

    #[test]
    fn empty_constants_are_filled_and_true_and_none_are_replaced() {
        assert_eq!((other("''"), other("[]")), ("'x'".into(), "[0]".into()));
        assert_eq!(
            (other("()"), other("{}")),
            ("(0,)".into(), "{'a': 0}".into())
        );
        assert_eq!(
            (other("True"), other("None")),
            ("False".into(), "True".into())
        );
        assert_eq!(other("'\\n'"), "'\\nx'");
    }

    #[test]
    fn another_exception_is_one_that_the_test_does_not_name() {
        let text = "raises(KeyError), TypeError, ValueError";
        for _ in 0..30 {
            assert!(!text.contains(other_exception(text).unwrap()));
        }
    }
}
