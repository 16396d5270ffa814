//! Other values that could as well have been the author's: of the same kind, and mostly of the same length, so that neither
//! looks nor sizes tell a changed test.

use std::ops::Range;

use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use tree_sitter::Node;

use super::find::children;

/// A constant that stands for itself or in a literal, and what to put in its place. Of a literal's, one is drawn by lot.
pub(super) fn constant(node: Node, text: &str) -> Option<(Range<usize>, String)> {
    let own = &text[node.byte_range()];
    let replaced = match node.kind() {
        "integer" | "float" => number(own)?,
        "unary_operator" => return constant(node.child_by_field_name("argument")?, text),
        "true" => "False".to_owned(),
        "false" | "none" => "True".to_owned(),
        "string" => return string(node, text),
        "list" if node.named_child_count() == 0 => any(&["[0]", "[1]", "['']"]),
        "tuple" if node.named_child_count() == 0 => any(&["(0,)", "(1,)", "('',)"]),
        "dictionary" if node.named_child_count() == 0 => any(&["{0: 1}", "{'a': 0}", "{'': ''}"]),
        "pair" => return constant(node.child_by_field_name("value")?, text),
        "list"
        | "tuple"
        | "set"
        | "dictionary"
        | "parenthesized_expression"
        | "concatenated_string"
        | "expression_list" => {
            let found: Vec<_> = children(node)
                .into_iter()
                .filter_map(|child| constant(child, text))
                .collect();
            return found.choose(&mut rand::rng()).cloned();
        }
        _ => return None,
    };
    Some((node.byte_range(), replaced))
}

/// The last string in an expression, those that calls are given among them, and another in its place.
pub(super) fn last_string(node: Node, text: &str) -> Option<(Range<usize>, String)> {
    if node.kind() == "string" {
        return string(node, text);
    }
    children(node)
        .into_iter()
        .rev()
        .find_map(|child| last_string(child, text))
}

/// A small number, as a test may hold.
pub(super) fn small() -> u32 {
    rand::rng().random_range(1..10)
}

/// An exception that nothing in `text` speaks of: one of `near`, or, where there is none, any of Python's own.
pub(super) fn exception<'a>(text: &str, near: &[&'a str]) -> Option<&'a str> {
    const ALL: [&str; 14] = [
        "BufferError",
        "EOFError",
        "FloatingPointError",
        "IndexError",
        "KeyError",
        "NotImplementedError",
        "OverflowError",
        "RecursionError",
        "ReferenceError",
        "TypeError",
        "UnicodeError",
        "ValueError",
        "ZeroDivisionError",
        "ConnectionError",
    ];
    let unknown = |among: &[&'a str]| {
        let others = among.iter().copied().filter(|name| !text.contains(name));
        others
            .collect::<Vec<&str>>()
            .choose(&mut rand::rng())
            .copied()
    };
    unknown(near).or_else(|| unknown(&ALL))
}

fn any(of: &[&str]) -> String {
    of.choose(&mut rand::rng())
        .copied()
        .unwrap_or_default()
        .to_owned()
}

/// A number with another first digit that counts.
fn number(own: &str) -> Option<String> {
    let prefixed = own.len() > 2 && own.starts_with('0') && own.as_bytes()[1].is_ascii_alphabetic();
    let from = if prefixed { 2 } else { 0 };
    let mantissa = own[from..].split(['e', 'E', 'j', 'J', 'l', 'L']).next()?;
    let mantissa = if prefixed { &own[from..] } else { mantissa };
    let digits = || mantissa.char_indices().filter(|(_, c)| c.is_ascii_digit());
    let (at, old) = digits()
        .find(|(_, digit)| *digit != '0')
        .or_else(|| digits().next_back())?;
    let highest = match own[..from].to_ascii_lowercase().as_str() {
        "0b" => b'1',
        "0o" => b'7',
        _ => b'9',
    };
    let lowest = if highest == b'1' { b'0' } else { b'1' };
    Some(with_other(
        own,
        from + at,
        old,
        (lowest..=highest).collect(),
    ))
}

/// The text with another character at `at`, one of `among`.
fn with_other(text: &str, at: usize, old: char, mut among: Vec<u8>) -> String {
    among.retain(|new| char::from(*new) != old);
    let new = among
        .choose(&mut rand::rng())
        .copied()
        .map_or(old, char::from);
    format!("{}{new}{}", &text[..at], &text[at + old.len_utf8()..])
}

/// A string with another letter or digit somewhere, one of its own where it has others of the kind; one that has none gets
/// one.
fn string(node: Node, text: &str) -> Option<(Range<usize>, String)> {
    let mut cursor = node.walk();
    let parts: Vec<Node> = node.children(&mut cursor).collect();
    let end = parts.iter().find(|part| part.kind() == "string_end")?;
    let plain = parts.iter().filter(|part| part.kind() == "string_content");
    let places: Vec<(usize, char)> = plain
        .flat_map(|part| {
            let of_part = letters(&text[part.byte_range()]).into_iter();
            of_part.map(|(at, letter)| (part.start_byte() + at, letter))
        })
        .collect();
    if let Some((at, old)) = places.choose(&mut rand::rng()).copied() {
        let among = match old {
            'a'..='z' => b'a'..=b'z',
            'A'..='Z' => b'A'..=b'Z',
            _ => b'0'..=b'9',
        };
        let own = |letter: &char| u8::try_from(*letter).is_ok_and(|byte| among.contains(&byte));
        let own: Vec<u8> = places
            .iter()
            .map(|(_, letter)| *letter)
            .filter(|letter| own(letter) && *letter != old)
            .filter_map(|letter| u8::try_from(letter).ok())
            .collect();
        let among = if own.is_empty() { among.collect() } else { own };
        // A long one is told by the letter.
        let told = if node.byte_range().len() > 60 {
            at..at + 1
        } else {
            node.byte_range()
        };
        let with = with_other(&text[told.clone()], at - told.start, old, among);
        return Some((told, with));
    }
    if text[..end.start_byte()].ends_with('\\') {
        return None;
    }
    let letter = char::from(rand::rng().random_range(b'a'..=b'z'));
    Some((end.start_byte()..end.start_byte(), letter.to_string()))
}

/// The letters and digits of a text that stand for themselves: no part of an escape, a placeholder or an entity.
fn letters(text: &str) -> Vec<(usize, char)> {
    let (mut in_word, mut in_braces) = (false, false);
    let mut found = Vec::new();
    for (at, letter) in text.char_indices() {
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
    use crate::evaluation::counter::find::parse;

    fn changed(expression: &str) -> String {
        let tree = parse(expression).unwrap();
        let node = tree.root_node().named_child(0).unwrap();
        let (range, with) = constant(node.named_child(0).unwrap(), expression).unwrap();
        format!(
            "{}{with}{}",
            &expression[..range.start],
            &expression[range.end..]
        )
    }

    #[test]
    fn another_value_is_of_the_same_kind_and_length() {
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
                let new = changed(own);
                assert!(new != own && new.len() == own.len(), "{own}: {new}");
                let tree = parse(&new).unwrap();
                assert!(!tree.root_node().has_error(), "{new}");
            }
        }
    }

    #[test]
    fn a_strings_letter_becomes_another_of_its_own() {
        for _ in 0..20 {
            assert!(["'aa'", "'bb'"].contains(&changed("'ab'").as_str()));
        }
    }

    #[test]
    fn any_part_of_a_literal_may_change() {
        let all: std::collections::BTreeSet<bool> = (0..60)
            .map(|_| changed("[1, 'b']").starts_with("[1"))
            .collect();
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn what_has_nothing_to_change_is_given_something() {
        assert_eq!(changed("''").len(), 3);
        assert_eq!(changed("'\\n'").len(), 5);
        for (own, opening) in [("[]", '['), ("()", '('), ("{}", '{')] {
            assert!(changed(own).starts_with(opening) && changed(own) != own);
        }
        assert_eq!(
            (changed("True"), changed("None")),
            ("False".into(), "True".into())
        );
    }

    #[test]
    fn another_exception_is_one_that_the_test_does_not_speak_of() {
        for _ in 0..50 {
            let text = "raises(KeyError), TypeError, ValueError";
            let other = exception(text, &[]).unwrap();
            assert!(!["KeyError", "TypeError", "ValueError"].contains(&other));
            assert_eq!(exception(text, &["KeyError", "OwnError"]), Some("OwnError"));
        }
    }
}
