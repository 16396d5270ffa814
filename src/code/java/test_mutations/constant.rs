//! Replaces constants in Java tests by random other constants of the same type.

use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use tree_sitter::Node;

use super::children;
use crate::code::test_mutations::mutation::{Edit, other_letter, replaced};

/// The minimum number of digits of a long number. Its first digit must not grow, because the larger number might not
/// fit its type.
const MANY_DIGITS: usize = 9;

/// An edit that replaces a constant by another constant of the same type. The constant is the expression `node`, or a
/// random constant among its operands or elements. `None` if there is no constant.
pub(super) fn other_constant(node: Node, text: &str) -> Option<Edit> {
    let own = &text[node.byte_range()];
    let other = match node.kind() {
        "decimal_integer_literal" | "decimal_floating_point_literal" => other_number(own)?,
        "hex_integer_literal" => other_hexadecimal(own)?,
        "true" => "false".to_owned(),
        "false" => "true".to_owned(),
        "string_literal" => return Some(other_string(node, text)),
        "character_literal" => other_character(own)?,
        "unary_expression" => return other_constant(node.child_by_field_name("operand")?, text),
        "cast_expression" => return other_constant(node.child_by_field_name("value")?, text),
        "parenthesized_expression" | "array_initializer" => {
            let parts = children(node).into_iter();
            let found: Vec<_> = parts
                .filter_map(|part| other_constant(part, text))
                .collect();
            return found.choose(&mut rand::rng()).cloned();
        }
        "binary_expression" => {
            let sides = ["left", "right"].into_iter();
            let sides = sides.filter_map(|side| node.child_by_field_name(side));
            let found: Vec<_> = sides
                .filter_map(|part| other_constant(part, text))
                .collect();
            return found.choose(&mut rand::rng()).cloned();
        }
        "array_creation_expression" => {
            return other_constant(node.child_by_field_name("value")?, text);
        }
        _ => return None,
    };
    Some((node.byte_range(), other))
}

/// The number with its first significant digit changed. The last digit is changed instead if all digits are 0, or if
/// the first significant digit of a long number ([`MANY_DIGITS`]) is 1.
fn other_number(own: &str) -> Option<String> {
    let end = own
        .to_ascii_lowercase()
        .find(['e', 'l', 'f', 'd'])
        .unwrap_or(own.len());
    let digits = || {
        own[..end]
            .char_indices()
            .filter(|(_, c)| c.is_ascii_digit())
    };
    let (at, old) = digits()
        .find(|(_, digit)| *digit != '0')
        .or_else(|| digits().next_back())?;
    let is_octal = own.len() > 1 && own.starts_with('0') && !own.contains('.');
    let among = if digits().count() < MANY_DIGITS || is_octal {
        b'1'..=b'7'
    } else {
        b'1'..=(old as u8).max(b'1')
    };
    let (at, old, among) = match old {
        // The digit 1 must not grow, and a smaller digit would be 0. So the last digit is changed.
        '1' if digits().count() >= MANY_DIGITS => {
            let (at, old) = digits().next_back()?;
            (at, old, b'0'..=b'7')
        }
        _ => (at, old, among),
    };
    Some(replaced(own, at, old, among))
}

fn other_hexadecimal(own: &str) -> Option<String> {
    let digits = own
        .char_indices()
        .skip(2)
        .filter(|(_, c)| c.is_ascii_hexdigit());
    let (at, old) = digits.last()?;
    Some(replaced(own, at, old, b'0'..=b'7'))
}

fn other_character(own: &str) -> Option<String> {
    let mut inner = own.strip_prefix('\'')?.strip_suffix('\'')?.chars();
    let (old, None) = (inner.next()?, inner.next()) else {
        return None;
    };
    old.is_ascii().then(|| replaced(own, 1, old, b'a'..=b'z'))
}

/// An edit that changes one random letter or digit of a string. A letter or digit after `%` does not change, because it
/// belongs to a format. If the string has no other letter or digit, a letter is added at the end.
fn other_string(node: Node, text: &str) -> Edit {
    let fragments = children(node).into_iter();
    let fragments = fragments.filter(|part| part.kind().ends_with("string_fragment"));
    let places: Vec<(usize, char)> = fragments
        .flat_map(|part| {
            let source = &text[part.byte_range()];
            let mut before = ' ';
            let letters = source.char_indices().filter(move |(_, letter)| {
                let plain = letter.is_ascii_alphanumeric() && before != '%';
                before = *letter;
                plain
            });
            letters.map(move |(at, letter)| (part.start_byte() + at, letter))
        })
        .collect();
    let Some((at, old)) = places.choose(&mut rand::rng()).copied() else {
        let quotes = if text[node.byte_range()].starts_with("\"\"\"") {
            3
        } else {
            1
        };
        let end = node.end_byte() - quotes;
        let letter = char::from(rand::rng().random_range(b'a'..=b'z'));
        return (end..end, letter.to_string());
    };
    other_letter(text, node.byte_range(), (at, old), b'1')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Language;
    use crate::code::parse;

    /// The expression, changed by the edit of [`other_constant`].
    fn other(expression: &str) -> Option<String> {
        let text = format!("class A {{ Object a = {expression}; }}");
        let tree = parse(Language::Java, text.as_bytes()).unwrap();
        let start = text.find(expression).unwrap();
        let node = tree
            .root_node()
            .named_descendant_for_byte_range(start, start + expression.len())?;
        let (range, with) = other_constant(node, &text)?;
        let mut changed = text.clone();
        changed.replace_range(range, &with);
        Some(
            changed["class A { Object a = ".len()..]
                .trim_end_matches("; }")
                .to_owned(),
        )
    }

    #[test]
    fn a_constant_becomes_another_constant_of_its_type() {
        for constant in [
            "12",
            "0",
            "-3",
            "1.5",
            "1e3",
            "2L",
            "0x1f",
            "true",
            "'a'",
            "\"ab\"",
            "\"\"",
            "\"\\n\"",
            "(byte) 1",
            "2147483647",
            "1000000000000L",
            "new int[] {1, 2}",
            "\"%d\" + 1",
        ] {
            let changed = other(constant).unwrap_or_else(|| panic!("{constant}"));
            assert_ne!(changed, constant);
            assert!(
                changed.parse::<i64>().is_err()
                    || constant != "2147483647"
                    || changed.parse::<i32>().is_ok()
            );
        }
        assert_eq!(other("f()"), None);
        assert_eq!(other("null"), None);
    }
}
