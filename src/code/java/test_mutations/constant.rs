//! Replaces constants in Java tests by other constants of the same type.

use rand::seq::IndexedRandom as _;
use tree_sitter::Node;

use super::children;
use crate::code::test_mutations::mutation::Edit;
use crate::code::test_mutations::vocabulary::Vocabulary;

/// An edit that replaces a constant by another constant of the same type. The constant is the expression `node`, or a
/// random constant among its operands or elements. `None` if there is no constant, or the file has no other constant to
/// use.
pub(super) fn other_constant(node: Node, file: &Vocabulary) -> Option<Edit> {
    let part = |field: &str| other_constant(node.child_by_field_name(field)?, file);
    match node.kind() {
        "decimal_integer_literal" | "decimal_floating_point_literal" | "hex_integer_literal" => {
            file.other_number(node)
        }
        "true" => Some((node.byte_range(), "false".to_owned())),
        "false" => Some((node.byte_range(), "true".to_owned())),
        "string_literal" => file.other_string(node),
        "character_literal" => file.other(node, |other| !other.contains('\\')),
        "unary_expression" => part("operand"),
        "cast_expression" | "array_creation_expression" => part("value"),
        "parenthesized_expression" | "array_initializer" => {
            let parts = children(node).into_iter();
            let found: Vec<_> = parts
                .filter_map(|part| other_constant(part, file))
                .collect();
            found.choose(&mut rand::rng()).cloned()
        }
        "binary_expression" => {
            let found: Vec<_> = ["left", "right"].into_iter().filter_map(part).collect();
            found.choose(&mut rand::rng()).cloned()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Language;
    use crate::code::parse;

    /// The expression, changed by the edit of [`other_constant`], in a file with some other constants.
    fn other(expression: &str) -> Option<String> {
        let text = format!("class A {{ Object a = {expression}; Object b = \"xyz\" + 'q'; }}");
        let tree = parse(Language::Java, text.as_bytes()).unwrap();
        let file = Vocabulary::new(tree.root_node(), &text);
        let start = text.find(expression).unwrap();
        let node = tree
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
