//! Replaces constants in tests by other constants of the same type.

use rand::seq::IndexedRandom as _;
use tree_sitter::Node;

use super::mutation::Edit;
use super::vocabulary::Vocabulary;
use crate::code::children;

/// The maximum length in bytes of a collection that replaces an empty one.
const LONG: usize = 60;

/// An edit that replaces a constant in the expression `node` by another constant. The constant is the whole expression
/// or a random one of its operands or elements. `None` if there is no constant, or the file has no other constant to
/// use.
pub(crate) fn other_constant(node: Node, file: &Vocabulary) -> Option<Edit> {
    match node.kind() {
        "integer"
        | "float"
        | "decimal_integer_literal"
        | "decimal_floating_point_literal"
        | "hex_integer_literal" => file.other_number(node),
        "true" | "false" => {
            let other = match &file.text[node.byte_range()] {
                "True" => "False",
                "False" => "True",
                "true" => "false",
                _ => "true",
            };
            Some((node.byte_range(), other.to_owned()))
        }
        "string" | "string_literal" => file.other_string(node),
        "character_literal" => file.other(node, |other| !other.contains('\\')),
        "list" | "tuple" | "set" | "dictionary" if children(node).is_empty() => {
            file.other(node, |other| other.len() <= LONG)
        }
        kind if has_constants(kind) => {
            let value = node.child_by_field_name("value");
            let parts = value.map_or_else(|| children(node), |value| vec![value]);
            let parts = parts.into_iter();
            let found: Vec<_> = parts
                .filter_map(|part| other_constant(part, file))
                .collect();
            found.choose(&mut rand::rng()).cloned()
        }
        _ => None,
    }
}

/// Whether nodes of this kind may consist of constants.
pub(crate) fn has_constants(kind: &str) -> bool {
    matches!(
        kind,
        "unary_operator"
            | "unary_expression"
            | "binary_expression"
            | "parenthesized_expression"
            | "list"
            | "tuple"
            | "set"
            | "dictionary"
            | "pair"
            | "expression_list"
            | "concatenated_string"
            | "cast_expression"
            | "array_creation_expression"
            | "array_initializer"
    )
}

#[cfg(test)]
mod python_tests {
    use super::*;
    use crate::benchmark::Language;
    use crate::code::test_mutations::mutation::edited;

    /// The expression after the edit of [`other_constant`], in a file with these further lines.
    fn other(expression: &str, lines: &str) -> Option<String> {
        let text = format!("{expression}\n{lines}");
        let file = Vocabulary::parse(Language::Python, &text).unwrap();
        let statement = file.tree.root_node().named_child(0).unwrap();
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

#[cfg(test)]
mod java_tests {
    use super::*;
    use crate::benchmark::Language;

    /// The expression, changed by the edit of [`other_constant`], in a file with some other constants.
    fn other(expression: &str) -> Option<String> {
        let text = format!("class A {{ Object a = {expression}; Object b = \"xyz\" + 'q'; }}");
        let file = Vocabulary::parse(Language::Java, &text).unwrap();
        let start = text.find(expression).unwrap();
        let node = file
            .tree
            .root_node()
            .named_descendant_for_byte_range(start, start + expression.len())?;
        let (range, with) = other_constant(node, &file)?;
        let mut changed = text.clone();
        changed.replace_range(range, &with);
        let changed = changed["class A { Object a = ".len()..].split_once("; Object b");
        Some(changed.unwrap().0.to_owned())
    }

    #[test]
    fn a_constant_becomes_another_constant_of_its_type() {
        for (constant, others) in [
            ("12", vec!["22"]),
            ("0", vec!["1"]),
            ("-3", vec!["-2", "-4"]),
            ("1.5", vec!["2.5"]),
            ("1e3", vec!["2e3"]),
            ("2L", vec!["1L", "3L"]),
            ("0x1f", vec!["0x2f"]),
            ("true", vec!["false"]),
            ("'a'", vec!["'q'"]),
            ("\"abc\"", vec!["\"xyz\""]),
            ("\"\"", vec!["\"xyz\""]),
            ("(byte) 1", vec!["(byte) 2"]),
            ("2147483647", vec!["1147483647"]),
            (
                "new int[] {1, 1}",
                vec!["new int[] {2, 1}", "new int[] {1, 2}"],
            ),
            ("\"%d\" + 1", vec!["\"%d\" + 2", "\"xyz\" + 1"]),
        ] {
            let changed = other(constant).unwrap_or_else(|| panic!("{constant}"));
            assert!(others.contains(&changed.as_str()), "{constant}: {changed}");
        }
        assert_eq!(other("f()"), None);
        assert_eq!(other("null"), None);
    }
}
