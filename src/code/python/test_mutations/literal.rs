//! Replaces constants in Python tests by other constants, of the same type if possible.

use rand::seq::IndexedRandom as _;
use tree_sitter::Node;

use crate::code::children;
use crate::code::test_mutations::mutation::Edit;
use crate::code::test_mutations::vocabulary::{LONG, Vocabulary};

/// An edit that replaces a constant in the expression `node` by another constant. The constant is the whole expression
/// or, in a collection, a random element. `None` if there is no constant, or the file has no other constant to use.
pub(super) fn other_constant(node: Node, file: &Vocabulary) -> Option<Edit> {
    match node.kind() {
        "integer" | "float" => file.other_number(node),
        "unary_operator" => other_constant(node.child_by_field_name("argument")?, file),
        "true" => Some((node.byte_range(), "False".to_owned())),
        "false" => Some((node.byte_range(), "True".to_owned())),
        "string" => file.other_string(node),
        "pair" => other_constant(node.child_by_field_name("value")?, file),
        "list" | "tuple" | "set" | "dictionary" => {
            if children(node).is_empty() {
                return file.other(node, |other| other.len() <= LONG);
            }
            elements(node, file).choose(&mut rand::rng()).cloned()
        }
        "parenthesized_expression" | "concatenated_string" | "expression_list" => {
            elements(node, file).choose(&mut rand::rng()).cloned()
        }
        _ => None,
    }
}

fn elements(node: Node, file: &Vocabulary) -> Vec<Edit> {
    let parts = children(node).into_iter();
    parts
        .filter_map(|part| other_constant(part, file))
        .collect()
}

/// Whether [`other_constant`] may find a constant in an expression.
pub(super) fn is_constant(node: Node) -> bool {
    match node.kind() {
        "integer" | "float" | "true" | "false" | "none" | "string" => true,
        "unary_operator"
        | "pair"
        | "list"
        | "tuple"
        | "set"
        | "dictionary"
        | "parenthesized_expression"
        | "concatenated_string"
        | "expression_list" => {
            let parts = children(node);
            parts.is_empty() || parts.into_iter().any(is_constant)
        }
        _ => false,
    }
}

/// An edit that changes the last string in an expression. Strings in the arguments of calls count too. `None` if there
/// is no string.
pub(super) fn other_last_string(node: Node, file: &Vocabulary) -> Option<Edit> {
    if node.kind() == "string" {
        return file.other_string(node);
    }
    let parts = children(node).into_iter().rev();
    parts
        .into_iter()
        .find_map(|part| other_last_string(part, file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Language;
    use crate::code::parse;
    use crate::code::test_mutations::mutation::edited;

    /// The expression after the edit of [`other_constant`], in a file with these further lines.
    fn other(expression: &str, lines: &str) -> Option<String> {
        let text = format!("{expression}\n{lines}");
        let tree = parse(Language::Python, text.as_bytes()).unwrap();
        let file = Vocabulary::new(tree.root_node(), &text);
        let statement = tree.root_node().named_child(0).unwrap();
        let edit = other_constant(statement.named_child(0).unwrap(), &file)?;
        let changed = edited(&text, &[edit]).unwrap();
        Some(changed.lines().next().unwrap().to_owned())
    }

    #[test]
    fn a_constant_becomes_one_of_its_type_with_words_and_numbers_of_the_file() {
        for (own, others) in [
            ("6", vec!["5", "7"]),
            ("-3", vec!["-2", "-4"]),
            ("0.25", vec!["0.15", "0.35"]),
            (
                "'abc def'",
                vec![
                    "'xyz def'",
                    "'abc xyz'",
                    "'qrs def'",
                    "'abc qrs'",
                    "'abc abc'",
                    "'def def'",
                ],
            ),
            ("b'x1'", vec!["b'x2'"]),
            ("[1, x]", vec!["[2, x]"]),
            ("[]", vec!["[7]"]),
            ("{}", vec!["{8: 9}"]),
            ("'%d abc'", vec!["'%d xyz'", "'%d qrs'"]),
            ("f'{abc} abc'", vec!["f'{abc} xyz'", "f'{abc} qrs'"]),
            ("''", vec!["'xyz'", "'qrs'"]),
            ("True", vec!["False"]),
        ] {
            for _ in 0..20 {
                let new = other(own, "'xyz', 'qrs', [7], [], [y], {8: 9}, {}\n").unwrap();
                assert!(others.contains(&new.as_str()), "{own}: {new}");
            }
        }
    }

    #[test]
    fn a_constant_stays_if_its_file_has_no_other() {
        for own in ["''", "[]", "{}", "None", "'abc'", "x"] {
            assert_eq!(other(own, "[x], {y: 1}, u'Z'\n"), None, "{own}");
        }
    }

    #[test]
    fn a_repeated_constant_becomes_another_repeated_constant_or_one_of_the_file() {
        for _ in 0..20 {
            assert_eq!(other("6", "6, 80\n").unwrap(), "80");
            assert_eq!(other("'abc'", "'abc', 'xyz 7'\n").unwrap(), "'xyz 7'");
        }
    }
}
