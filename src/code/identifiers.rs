//! The identifiers in source code.

use std::collections::BTreeSet;

use super::parse::parse;
use super::syntax;
use crate::benchmark::Language;

/// The identifiers of `code`, without the words in comments and strings. `self`, `this` and `super`, and in Java `void`
/// and `boolean`, count as identifiers. Code with syntax errors is read as far as possible. The result is empty if the
/// code exceeds the limits of the parser.
pub fn identifiers(language: Language, code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let Some(tree) = parse(language, code.as_bytes()) else {
        return found;
    };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let kind = node.kind();
        let names = kind.ends_with("identifier")
            || kind.ends_with("_type") && node.child_count() == 0
            || matches!(kind, "self" | "this" | "super");
        if names && node.child_count() == 0 {
            found.insert(syntax::text(node, code.as_bytes()).to_owned());
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_words_in_comments_and_strings_are_not() {
        let python = identifiers(
            Language::Python,
            "def f(a):  # gone\n    return a.b('text', key=C[f'{d}'])\n",
        );
        let names: Vec<&str> = python.iter().map(String::as_str).collect();
        assert_eq!(names, ["C", "a", "b", "d", "f", "key"]);
        let java = identifiers(
            Language::Java,
            "class A { List<B> f(int x) { return this.y.g(x); /* h */ } }",
        );
        assert!(
            ["A", "B", "List", "f", "g", "x", "y"]
                .iter()
                .all(|name| java.contains(*name))
        );
        assert!(!java.contains("h"));
        assert!(identifiers(Language::Python, "def (:\n  known(").contains("known"));
    }
}
