//! Finds what a piece of Java code, such as a completion, uses. The file around the code is not read.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::facts::step;
use super::names::{is_java_lang, standard_package};
use crate::benchmark::Language;
use crate::code::levels::DependencyScope;
use crate::code::parse::parse;
use crate::code::syntax::text;

/// What a method uses, from the method's code alone. The code need not declare all names that it uses:
///
/// - An undeclared variable counts as a member of the method's class.
/// - An undeclared method that is called without an object counts as a member of the method's class.
/// - An undeclared type outside of the standard library counts as a type of the project.
///
/// The result is empty if the code exceeds the limits of the parser.
pub(crate) fn reach_of_code(code: &str) -> DependencyScope {
    let wrapped = format!("class Wrapped {{\n{code}\n}}\n");
    let source = wrapped.as_bytes();
    let mut reach = DependencyScope::default();
    let Some(tree) = parse(Language::Java, source) else {
        return reach;
    };
    let mut nodes: Vec<Node<'_>> = Vec::new();
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        nodes.push(cursor.node());
        if !step(&mut cursor, true, &mut depth) {
            break;
        }
    }
    let own = declared(&nodes, source);
    for node in nodes {
        note(node, source, &own, &mut reach);
    }
    reach
}

/// The names that the code declares: variables, parameters, types, type parameters and methods.
fn declared<'s>(nodes: &[Node<'_>], source: &'s [u8]) -> BTreeSet<&'s str> {
    let mut names = BTreeSet::new();
    for node in nodes {
        match node.kind() {
            "type_parameter" => names.extend(node.named_child(0).map(|name| text(name, source))),
            "inferred_parameters" => {
                let mut cursor = node.walk();
                names.extend(
                    node.named_children(&mut cursor)
                        .map(|name| text(name, source)),
                );
            }
            "lambda_expression" => {
                let parameters = node.child_by_field_name("parameters");
                names.extend(
                    parameters
                        .filter(|one| one.kind() == "identifier")
                        .map(|name| text(name, source)),
                );
            }
            "identifier" | "method_invocation" | "field_access" => {}
            _ => names.extend(
                node.child_by_field_name("name")
                    .map(|name| text(name, source)),
            ),
        }
    }
    names
}

/// Records what a node uses. `own` has the names that the code declares.
fn note(node: Node<'_>, source: &[u8], own: &BTreeSet<&str>, reach: &mut DependencyScope) {
    let word = text(node, source);
    match node.kind() {
        "this" | "super" => reach.own_class = true,
        "method_invocation" if node.child_by_field_name("object").is_none() => {
            let name = node
                .child_by_field_name("name")
                .map(|name| text(name, source));
            reach.own_class |= name.is_some_and(|name| !own.contains(name));
        }
        "type_identifier" if !own.contains(word) => note_type(word, reach),
        "identifier" if !own.contains(word) => {
            let parent = node.parent();
            let of = |kind: &str, field: &str| {
                parent.is_some_and(|parent| {
                    parent.kind() == kind && parent.child_by_field_name(field) == Some(node)
                })
            };
            let other = parent.is_some_and(|parent| {
                matches!(
                    parent.kind(),
                    "scoped_identifier" | "annotation" | "marker_annotation" | "method_reference"
                )
            });
            if other || of("method_invocation", "name") || of("field_access", "field") {
                return;
            }
            let all_capitals = word.chars().all(|c| !c.is_lowercase());
            if word.starts_with(char::is_uppercase) && !all_capitals {
                note_type(word, reach);
            } else {
                reach.own_class = true;
            }
        }
        _ => {}
    }
}

fn note_type(name: &str, reach: &mut DependencyScope) {
    if is_java_lang(name) {
        return;
    }
    match standard_package(name) {
        Some(package) => {
            reach.standard.insert(package.to_owned());
        }
        None => reach.project = true,
    }
}
