//! Ways to change what a test expects: a constant in an assertion, an expected value, an operator.

use std::ops::Range;

use rand::RngExt as _;
use tree_sitter::Node;

use super::super::project::is_python;
use super::super::subject::Subject;
use crate::benchmark::RepoPath;

/// One replacement in a test's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// The bytes replaced.
    pub range: Range<usize>,
    /// What stands there instead.
    pub with: String,
    /// The better the smaller: an expected value before an operator.
    rank: u8,
}

impl Change {
    pub fn apply(&self, text: &str) -> String {
        format!(
            "{}{}{}",
            &text[..self.range.start],
            self.with,
            &text[self.range.end..]
        )
    }

    /// `12: 3 becomes 44`.
    pub fn describe(&self, text: &str) -> String {
        let line = text[..self.range.start].matches('\n').count() + 1;
        format!(
            "{line}: {} becomes {}",
            &text[self.range.clone()],
            self.with
        )
    }
}

/// The changes to the test that `names` names in the file `text`, best first.
pub(super) fn changes_in_test(text: &str, names: &[String], subject: &Subject) -> Vec<Change> {
    let Some(tree) = parse(text) else {
        return Vec::new();
    };
    let Some(function) = find_function(tree.root_node(), text, names) else {
        return Vec::new();
    };
    let mut changes = Vec::new();
    collect(function, text, subject.namespace.name(), &mut changes);
    changes.sort_by_key(|change| change.rank);
    changes
}

/// The changes to assertions outside the tests themselves: in the rest of their files, and in the files beside them.
pub(super) fn changes_in_supporting_code(
    subject: &Subject,
    expected: &[String],
) -> Vec<(RepoPath, Change)> {
    let mut found = Vec::new();
    for path in supporting_files(subject, expected) {
        let Some(text) = super::source(subject, &path) else {
            continue;
        };
        let mut changes = Vec::new();
        if let Some(tree) = parse(&text) {
            collect(
                tree.root_node(),
                &text,
                subject.namespace.name(),
                &mut changes,
            );
        }
        found.extend(changes.into_iter().map(|change| (path.clone(), change)));
    }
    found.sort_by_key(|(_, change)| change.rank);
    found
}

fn supporting_files(subject: &Subject, expected: &[String]) -> Vec<RepoPath> {
    let mut own: Vec<RepoPath> = expected
        .iter()
        .filter_map(|id| Some(super::place(id, subject)?.0))
        .collect();
    own.sort();
    own.dedup();
    let folders: Vec<String> = own.iter().map(|path| path.folder().to_owned()).collect();
    let beside = subject
        .project
        .files
        .iter()
        .map(|file| &file.path)
        .filter(|path| {
            let support = matches!(path.file_name(), "__init__.py" | "conftest.py")
                || ["util", "helper", "base", "common", "support"]
                    .iter()
                    .any(|word| path.file_name().contains(word));
            support
                && is_python(path.as_str())
                && folders.iter().any(|folder| path.folder() == folder)
        });
    let mut all = own.clone();
    all.extend(beside.filter(|path| !own.contains(path)).cloned());
    all
}

fn parse(text: &str) -> Option<tree_sitter::Tree> {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .ok()?;
    parser.parse(text, None)
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

fn name_of<'a>(node: Node<'_>, text: &'a str) -> Option<&'a str> {
    Some(&text[node.child_by_field_name("name")?.byte_range()])
}

/// The function that `names` names, through its classes; a method that a class inherits is looked for by name alone.
fn find_function<'t>(root: Node<'t>, text: &str, names: &[String]) -> Option<Node<'t>> {
    let mut scope = root;
    for (depth, name) in names.iter().enumerate() {
        let kind = if depth + 1 == names.len() {
            "function_definition"
        } else {
            "class_definition"
        };
        let found = definition(scope, text, name, kind).or_else(|| {
            let plain = (kind == "class_definition").then(|| plain_name(scope, text, name))??;
            definition(scope, text, plain, kind)
        });
        let found = found.or_else(|| inherited(root, scope, text, name, 4));
        match found {
            Some(found) => scope = found,
            None => return anywhere(root, text, names.last()?),
        }
    }
    Some(scope)
}

/// The method of that name in a class that `class` derives from, in the same file.
fn inherited<'t>(
    root: Node<'t>,
    class: Node<'t>,
    text: &str,
    name: &str,
    depth: u8,
) -> Option<Node<'t>> {
    let bases = children(class.child_by_field_name("superclasses")?);
    bases.into_iter().find_map(|base| {
        let base = definition(root, text, &text[base.byte_range()], "class_definition")?;
        let own = definition(base, text, name, "function_definition");
        own.or_else(|| inherited(root, base, text, name, depth.checked_sub(1)?))
    })
}

/// The class that a plugin has made another of, by its name with something after it: `T` for `T_sqlite+pysqlite`.
fn plain_name<'a>(scope: Node<'_>, text: &'a str, name: &str) -> Option<&'a str> {
    children(scope.child_by_field_name("body").unwrap_or(scope))
        .into_iter()
        .map(|child| child.child_by_field_name("definition").unwrap_or(child))
        .filter(|child| child.kind() == "class_definition")
        .filter_map(|class| name_of(class, text))
        .filter(|plain| name.starts_with(plain))
        .max_by_key(|plain| plain.len())
}

/// The last definition of that name in a scope, not looking into other definitions.
fn definition<'t>(scope: Node<'t>, text: &str, name: &str, kind: &str) -> Option<Node<'t>> {
    let mut found = None;
    for child in children(scope.child_by_field_name("body").unwrap_or(scope)) {
        let inner = if child.kind() == "decorated_definition" {
            child.child_by_field_name("definition")
        } else {
            Some(child)
        };
        let Some(inner) = inner else { continue };
        if inner.kind() == kind && name_of(inner, text) == Some(name) {
            found = Some(inner);
        } else if matches!(
            inner.kind(),
            "if_statement" | "try_statement" | "else_clause" | "block" | "except_clause"
        ) {
            found = definition(inner, text, name, kind).or(found);
        }
    }
    found
}

fn anywhere<'t>(node: Node<'t>, text: &str, name: &str) -> Option<Node<'t>> {
    if node.kind() == "function_definition" && name_of(node, text) == Some(name) {
        return Some(node);
    }
    children(node)
        .into_iter()
        .find_map(|child| anywhere(child, text, name))
}

fn collect(node: Node, text: &str, target: &str, changes: &mut Vec<Change>) {
    match node.kind() {
        "assert_statement" => {
            if let Some(test) = node.named_child(0) {
                in_assertion(test, text, target, changes);
            }
        }
        "call" => in_call(node, text, target, changes),
        _ => {}
    }
    for child in children(node) {
        collect(child, text, target, changes);
    }
}

fn in_assertion(claim: Node, text: &str, target: &str, changes: &mut Vec<Change>) {
    match claim.kind() {
        "comparison_operator" if claim.named_child_count() == 2 => {
            in_comparison(claim, text, target, changes);
        }
        "boolean_operator" => {
            for side in children(claim) {
                in_assertion(side, text, target, changes);
            }
        }
        "parenthesized_expression" => {
            if let Some(inner) = claim.named_child(0) {
                in_assertion(inner, text, target, changes);
            }
        }
        "not_operator" => {
            if let Some(inner) = claim.child_by_field_name("argument") {
                changes.push(Change {
                    range: claim.byte_range(),
                    with: format!("({})", &text[inner.byte_range()]),
                    rank: 5,
                });
            }
        }
        _ => changes.push(Change {
            range: claim.byte_range(),
            with: format!("not ({})", &text[claim.byte_range()]),
            rank: 5,
        }),
    }
}

fn in_comparison(claim: Node, text: &str, target: &str, changes: &mut Vec<Change>) {
    let (Some(left), Some(right)) = (claim.named_child(0), claim.named_child(1)) else {
        return;
    };
    let operator = text[left.end_byte()..right.start_byte()].trim().to_owned();
    if operator == "==" {
        expected_side(left, right, text, target, changes);
    }
    let turned = match operator.as_str() {
        "==" => "!=",
        "!=" => "==",
        "in" => "not in",
        "not in" => "in",
        "is" => "is not",
        "is not" => "is",
        "<" => ">=",
        ">=" => "<",
        ">" => "<=",
        "<=" => ">",
        _ => return,
    };
    changes.push(Change {
        range: left.end_byte()..right.start_byte(),
        with: format!(" {turned} "),
        rank: 4,
    });
}

/// Changes to the side of an equality that holds what is expected.
fn expected_side(left: Node, right: Node, text: &str, target: &str, changes: &mut Vec<Change>) {
    for (side, other) in [(right, left), (left, right)] {
        let ours = &text[side.byte_range()];
        if mentions(ours, target) && !mentions(&text[other.byte_range()], target) {
            continue;
        }
        if let Some((range, with)) = constant(side, text) {
            changes.push(Change {
                range,
                with,
                rank: 0,
            });
        } else if !has_call(side) {
            let rank = if has_call(other) || side == right {
                1
            } else {
                2
            };
            changes.push(Change {
                range: side.byte_range(),
                with: format!("({ours}, {})", number()),
                rank,
            });
        } else if !has_call(other) {
            changes.push(Change {
                range: side.byte_range(),
                with: format!("({ours}, {})", number()),
                rank: 3,
            });
        }
    }
}

fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].ends_with(word) && !text[at + name.len()..].starts_with(word)
    })
}

fn has_call(node: Node) -> bool {
    node.kind() == "call" || node.kind() == "await" || children(node).into_iter().any(has_call)
}

fn number() -> u32 {
    rand::rng().random_range(211..9973)
}

fn word() -> String {
    let mut rng = rand::rng();
    (0..4)
        .map(|_| char::from(rng.random_range(b'a'..=b'z')))
        .collect()
}

/// A constant inside an expected value, and another in its place. Inputs of calls are not expected values.
fn constant(node: Node, text: &str) -> Option<(Range<usize>, String)> {
    let own = &text[node.byte_range()];
    let replaced = match node.kind() {
        "integer" | "float" | "unary_operator" => format!("({own} + {})", number()),
        "true" => "False".to_owned(),
        "false" => "True".to_owned(),
        "none" => number().to_string(),
        "string" => return string(node, text),
        "list" if node.named_child_count() == 0 => format!("[{}]", number()),
        "tuple" if node.named_child_count() == 0 => format!("({},)", number()),
        "dictionary" if node.named_child_count() == 0 => format!("{{{0}: {0}}}", number()),
        "pair" => return constant(node.child_by_field_name("value")?, text),
        "list"
        | "tuple"
        | "set"
        | "dictionary"
        | "parenthesized_expression"
        | "concatenated_string"
        | "expression_list" => {
            return children(node)
                .into_iter()
                .rev()
                .find_map(|child| constant(child, text));
        }
        _ => return None,
    };
    Some((node.byte_range(), replaced))
}

fn string(node: Node, text: &str) -> Option<(Range<usize>, String)> {
    let mut cursor = node.walk();
    let end = node
        .children(&mut cursor)
        .find(|child| child.kind() == "string_end")?;
    if text[..end.start_byte()].ends_with('\\') {
        return None;
    }
    Some((end.start_byte()..end.start_byte(), word()))
}

fn in_call(call: Node, text: &str, target: &str, changes: &mut Vec<Change>) {
    let (Some(function), Some(arguments)) = (
        call.child_by_field_name("function"),
        call.child_by_field_name("arguments"),
    ) else {
        return;
    };
    let (owner, name) = match function.kind() {
        "attribute" => (
            function.child_by_field_name("object"),
            function.child_by_field_name("attribute"),
        ),
        _ => (None, Some(function)),
    };
    let Some(name) = name else { return };
    let word = &text[name.byte_range()];
    let values: Vec<Node> = children(arguments)
        .into_iter()
        .filter(|node| node.kind() != "comment")
        .collect();
    if compares(word)
        && let [first, second, ..] = values.as_slice()
    {
        expected_side(*first, *second, text, target, changes);
    }
    if let Some(turned) = turned_call(word) {
        changes.push(Change {
            range: name.byte_range(),
            with: turned.to_owned(),
            rank: 4,
        });
    }
    if is_own_assertion(word)
        && let Some((range, with)) = values.get(1).and_then(|second| last_string(*second, text))
    {
        changes.push(Change {
            range,
            with,
            rank: 6,
        });
    }
    let pytest = owner.is_some_and(|owner| &text[owner.byte_range()] == "pytest");
    let raises =
        (word == "raises" && pytest) || matches!(word, "assertRaises" | "assertRaisesRegex");
    if let (true, Some(first)) = (raises, values.first()) {
        changes.push(Change {
            range: first.byte_range(),
            with: "FloatingPointError".to_owned(),
            rank: 4,
        });
    }
}

/// Whether a function of that name asserts that its first two arguments are equal: unittest's, and those of a project's
/// own that are named so.
fn compares(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let asserts = name.starts_with("assert") && name.contains("equal") && !name.contains("not");
    asserts || name.starts_with("eq_") || name.starts_with("assert_eq")
}

/// Whether a function of that name is an assertion of a project's own, of which nothing else is known.
fn is_own_assertion(name: &str) -> bool {
    name.to_ascii_lowercase().starts_with("assert")
        && !compares(name)
        && turned_call(name).is_none()
}

/// The last string in an expression, those that calls are given among them, and another in its place.
fn last_string(node: Node, text: &str) -> Option<(Range<usize>, String)> {
    if node.kind() == "string" {
        return string(node, text);
    }
    children(node)
        .into_iter()
        .rev()
        .find_map(|child| last_string(child, text))
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
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(text: &str) -> Vec<String> {
        let tree = parse(text).unwrap();
        let mut changes = Vec::new();
        collect(tree.root_node(), text, "f", &mut changes);
        changes.sort_by_key(|change| change.rank);
        changes.iter().map(|change| change.apply(text)).collect()
    }

    #[test]
    fn an_assertion_of_the_projects_own_is_given_another_string() {
        let changed =
            best("def test(self):\n    self.assertRenders(f('a'), dedent('b'))\n").remove(0);
        let rest =
            changed.strip_prefix("def test(self):\n    self.assertRenders(f('a'), dedent('b");
        assert!(
            rest.is_some_and(|rest| rest.len() == "abcd'))\n".len()),
            "{changed}"
        );
    }

    #[test]
    fn the_expected_constant_changes_and_the_input_does_not() {
        let changed = best("def test():\n    assert f(3) == 4\n").remove(0);
        assert!(changed.contains("assert f(3) == (4 + "), "{changed}");
        let changed = best("def test():\n    assert 'abc' == f('x')\n").remove(0);
        assert!(
            changed.starts_with("def test():\n    assert 'abc")
                && changed.ends_with("' == f('x')\n"),
            "{changed}"
        );
    }

    #[test]
    fn a_name_that_is_expected_is_made_another_value() {
        let changed = best("def test():\n    assert f(3) == expected\n").remove(0);
        assert!(changed.contains("f(3) == (expected, "), "{changed}");
    }

    #[test]
    fn unittest_calls_turn_too() {
        let all = best(
            "class T:\n    def test(self):\n        self.assertTrue(f(1))\n        self.assertRaises(KeyError, f)\n",
        );
        assert!(
            all.iter().any(|text| text.contains("assertFalse(f(1))")),
            "{all:?}"
        );
        assert!(
            all.iter()
                .any(|text| text.contains("assertRaises(FloatingPointError, f)")),
            "{all:?}"
        );
    }

    #[test]
    fn a_class_that_a_plugin_has_renamed_is_found_by_what_its_name_begins_with() {
        let text = "class A:\n    def test(self):\n        pass\n\nclass AB(A):\n    def test(self):\n        assert f() == 1\n";
        let tree = parse(text).unwrap();
        let names = ["AB_sqlite+3_40".to_owned(), "test".to_owned()];
        let found = find_function(tree.root_node(), text, &names).unwrap();
        assert!(text[found.byte_range()].contains("assert"));
    }

    #[test]
    fn an_inherited_test_is_found_by_name() {
        let text = "class Base:\n    def test_a(self):\n        assert f() == 1\n\nclass TestX(Base):\n    pass\n";
        let tree = parse(text).unwrap();
        let names = ["TestX".to_owned(), "test_a".to_owned()];
        assert!(find_function(tree.root_node(), text, &names).is_some());
        let text = format!(
            "class Other:\n    def test_a(self):\n        pass\n\nclass Root:\n{}",
            &text[12..]
        );
        let text = text.replace(
            "class TestX(Base)",
            "class Base(Root):\n    x = 1\n\nclass TestX(Mixin, Base)",
        );
        let tree = parse(&text).unwrap();
        let found = find_function(tree.root_node(), &text, &names).unwrap();
        assert!(text[found.byte_range()].contains("assert"), "{text}");
    }

    #[test]
    fn a_projects_own_comparison_is_changed_as_unittests() {
        let changed = best("def test():\n    eq_ignore_whitespace(f(3), 'ab')\n").remove(0);
        assert!(
            changed.contains("f(3), 'ab") && !changed.contains("'ab')"),
            "{changed}"
        );
        assert!(
            !compares("assertNotEqual")
                && !compares("assert_unequal_not")
                && compares("assertCountEqual")
        );
    }
}
