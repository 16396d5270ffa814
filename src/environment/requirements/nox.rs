//! Requirements of tests in `noxfile.py`.

use tree_sitter::Node;

use super::collector::{Collector, included_file};
use super::model::Purpose;
use crate::benchmark::Language;
use crate::code::{children, parse};

/// Adds the packages that the sessions for tests install: `session.install("pytest", "-r", "tests.txt")` in a function
/// whose name contains `test` or `unit`. Only plain strings count. No code of the file runs.
pub(super) fn from_noxfile(text: &str, collector: &mut Collector) {
    let Some(tree) = parse(Language::Python, text.as_bytes()) else {
        return;
    };
    let mut waiting = children(tree.root_node());
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "function_definition" if is_for_tests(node, text) => {
                for arguments in installs(node, text) {
                    add(&arguments, collector);
                }
            }
            "decorated_definition" => waiting.extend(children(node)),
            _ => {}
        }
    }
}

fn is_for_tests(function: Node, text: &str) -> bool {
    let name = function.child_by_field_name("name");
    let name = name.map_or("", |name| &text[name.byte_range()]);
    name.contains("test") || name.contains("unit")
}

/// The strings among the arguments of each call of `install`.
fn installs<'t>(function: Node, text: &'t str) -> Vec<Vec<&'t str>> {
    let mut found = Vec::new();
    let mut waiting = vec![function];
    while let Some(node) = waiting.pop() {
        let called = node.child_by_field_name("function");
        let called = called.map_or("", |called| &text[called.byte_range()]);
        if node.kind() == "call" && called.ends_with(".install") {
            let arguments = node.child_by_field_name("arguments");
            let arguments = arguments.into_iter().flat_map(children);
            let strings = arguments.filter(|argument| argument.kind() == "string");
            let contents = strings.filter_map(|string| {
                let content = children(string);
                let content = content
                    .iter()
                    .find(|part| part.kind() == "string_content")?;
                Some(&text[content.byte_range()])
            });
            found.push(contents.collect());
        }
        waiting.extend(children(node).into_iter().rev());
    }
    found
}

fn add(arguments: &[&str], collector: &mut Collector) {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match included_file(argument) {
            Some("") => {
                let file = arguments.next().copied().unwrap_or_default();
                collector.read_file(file, 0, Purpose::Tests);
            }
            Some(file) => collector.read_file(file, 0, Purpose::Tests),
            None => collector.require(argument, Purpose::Tests),
        }
    }
}
