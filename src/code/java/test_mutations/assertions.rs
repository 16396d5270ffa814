//! Finds the assertions of Java tests and their mutations: changes to what the tests expect.

use rand::seq::SliceRandom as _;
use tree_sitter::Node;

use super::children;
use super::constant::other_constant;
use crate::code::test_mutations::mutation::{Edit, Mutation, MutationKind, Relation, mentions};
use crate::code::{first_line, last_line, name_of};

/// (assertion, opposite assertion, kind of the mutation that exchanges them). The two assertions take the same
/// arguments.
const OPPOSITES: [(&str, &str, MutationKind); 14] = [
    ("assertTrue", "assertFalse", MutationKind::Truth),
    ("assertNull", "assertNotNull", MutationKind::Negated),
    ("assertSame", "assertNotSame", MutationKind::Negated),
    ("isTrue", "isFalse", MutationKind::Truth),
    ("isNull", "isNotNull", MutationKind::Negated),
    ("isEmpty", "isNotEmpty", MutationKind::Negated),
    ("isEqualTo", "isNotEqualTo", MutationKind::Negated),
    (
        "isSameInstanceAs",
        "isNotSameInstanceAs",
        MutationKind::Negated,
    ),
    ("isSameAs", "isNotSameAs", MutationKind::Negated),
    ("contains", "doesNotContain", MutationKind::Negated),
    ("containsKey", "doesNotContainKey", MutationKind::Negated),
    ("isInstanceOf", "isNotInstanceOf", MutationKind::Negated),
    ("isPresent", "isEmpty", MutationKind::Negated),
    ("isIn", "isNotIn", MutationKind::Negated),
];
/// The calls that start a chain of assertions, such as `assertThat(x).isNotNull().isEqualTo(3)`.
const CHAINS: [&str; 6] = [
    "assertThat",
    "assertWithMessage",
    "assertThatThrownBy",
    "assertThatExceptionOfType",
    "assertThatCode",
    "expectThat",
];
/// The class of an exception that tests do not expect.
const OTHER_EXCEPTION: &str = "java.util.zip.DataFormatException.class";
/// A class that tests do not expect.
const OTHER_CLASS: &str = "java.util.zip.Adler32.class";

/// Collects the mutations of the assertions in a method or a file. `target` is the name of the method under test.
pub(super) struct Assertions<'a> {
    text: &'a str,
    target: &'a str,
    /// The method or file that is searched.
    root: Node<'a>,
    mutations: Vec<Mutation>,
    /// The 1-based line in which the effect of the target is first visible. `None` if it is not known.
    effect: Option<u32>,
    /// The byte offset of the start of the current statement.
    statement: usize,
    /// How the value of the current assertion relates to the target.
    relation: Relation,
}

impl<'a> Assertions<'a> {
    /// The mutations of all assertions in `root`, the best first. Mutations of equal quality are in random order.
    /// Statements that end before the line `effect` are left out.
    pub fn mutations(
        root: Node<'a>,
        text: &'a str,
        target: &'a str,
        effect: Option<u32>,
    ) -> Vec<Mutation> {
        let mut assertions = Self {
            text,
            target,
            root,
            mutations: Vec::new(),
            effect,
            statement: root.start_byte(),
            relation: Relation::Unknown,
        };
        assertions.collect(root);
        let mut mutations = assertions.mutations;
        mutations.shuffle(&mut rand::rng());
        mutations.sort_by_key(Mutation::order);
        mutations
    }

    fn collect(&mut self, node: Node<'a>) {
        let outer = self.statement;
        if node.kind().ends_with("_statement") || node.kind() == "local_variable_declaration" {
            if self.effect.is_some_and(|effect| last_line(node) < effect) {
                return;
            }
            self.statement = node.start_byte();
        }
        match node.kind() {
            "method_invocation" => self.call(node),
            "annotation" => self.annotation(node),
            "catch_clause" => self.catch(node),
            _ => {}
        }
        for child in children(node) {
            self.collect(child);
        }
        self.statement = outer;
    }

    fn source(&self, node: Node) -> &'a str {
        &self.text[node.byte_range()]
    }

    fn add(&mut self, kind: MutationKind, edit: Option<Edit>) {
        let (relation, assertion) = (self.relation, self.statement);
        self.mutations.extend(edit.map(|edit| Mutation {
            edit,
            kind,
            relation,
            assertion,
        }));
    }

    fn call(&mut self, call: Node<'a>) {
        let Some(name) = name_of(call, self.text) else {
            return;
        };
        let arguments = call
            .child_by_field_name("arguments")
            .map(children)
            .unwrap_or_default();
        self.relation = self.relation_of(call);
        if name.starts_with("assert") && !CHAINS.contains(&name) {
            self.plain_assertion(call, name, &arguments);
        } else if CHAINS.contains(&name) {
            // In Hamcrest's `assertThat(value, matcher)`, the arguments after `value` contain the expected value.
            for matcher in arguments.iter().skip(1) {
                self.expected(*matcher);
            }
        } else if name.starts_with("expect") || self.is_chained(call) {
            for argument in arguments {
                self.expected(argument);
            }
            self.opposite(call, name);
        }
    }

    fn plain_assertion(&mut self, call: Node<'a>, name: &str, arguments: &[Node<'a>]) {
        if matches!(name, "assertThrows" | "assertThrowsExactly") {
            let is_statement = call
                .parent()
                .is_some_and(|parent| parent.kind() == "expression_statement");
            let expected = arguments
                .first()
                .filter(|first| is_statement && first.kind() == "class_literal");
            let edit = expected.map(|class| (class.byte_range(), OTHER_EXCEPTION.to_owned()));
            self.add(MutationKind::Negated, edit);
            return;
        }
        // One argument may be a message: the first in JUnit 4, the last in JUnit 5. A mutation of the message is
        // rejected later, because the reference code still passes the test.
        for argument in arguments {
            self.expected(*argument);
        }
        if let ("assertEquals", [expected, _]) = (name, arguments) {
            let is_object = !matches!(
                expected.kind(),
                "decimal_integer_literal" | "decimal_floating_point_literal"
            );
            let edit = (expected.byte_range(), "new Object()".to_owned());
            self.add(MutationKind::Paired, is_object.then_some(edit));
        }
        self.opposite(call, name);
    }

    /// Adds mutations of the constants in `node`, which is probably an expected value.
    fn expected(&mut self, node: Node<'a>) {
        if node.kind() == "class_literal" {
            let edit = (node.byte_range(), OTHER_CLASS.to_owned());
            self.add(MutationKind::Part, Some(edit));
            return;
        }
        if let Some(edit) = other_constant(node, self.text) {
            self.add(MutationKind::Value, Some(edit));
            return;
        }
        if let Some(bound) = self.bound_to(node) {
            let edit = other_constant(bound, self.text);
            // If the variable is also an argument of the target, the edit would change the input of the target.
            let edit = edit.filter(|_| !self.gives_to_target(self.root, self.source(node)));
            self.add(MutationKind::Rebound, edit);
            return;
        }
        for edit in self.parts(node) {
            self.add(MutationKind::Part, Some(edit));
        }
    }

    /// Edits of the constants in an expression. Constants in the arguments of the target are left out.
    fn parts(&self, node: Node<'a>) -> Vec<Edit> {
        if let Some(found) = other_constant(node, self.text) {
            return vec![found];
        }
        match node.kind() {
            "lambda_expression" | "class_literal" | "identifier" | "annotation" => Vec::new(),
            "method_invocation" if name_of(node, self.text) == Some(self.target) => Vec::new(),
            _ => children(node)
                .into_iter()
                .flat_map(|child| self.parts(child))
                .collect(),
        }
    }

    /// Adds a mutation that replaces an assertion by its opposite, if the assertion has one.
    fn opposite(&mut self, call: Node<'a>, name: &str) {
        let Some(place) = call.child_by_field_name("name") else {
            return;
        };
        for (one, other, kind) in OPPOSITES {
            let opposite = if name == one {
                other
            } else if name == other && one != "isPresent" {
                one
            } else {
                continue;
            };
            // A static import of the assertion does not import its opposite.
            let qualified = if name.starts_with("assert") {
                self.qualified(call, name, opposite)
            } else {
                opposite.to_owned()
            };
            self.add(kind, Some((place.byte_range(), qualified)));
            return;
        }
    }

    /// The text that replaces `name` in a call: `opposite`, or `CLASS.opposite` if the file imports `name` with
    /// `import static CLASS.name`.
    fn qualified(&self, call: Node<'a>, name: &str, opposite: &str) -> String {
        if call.child_by_field_name("object").is_some() {
            return opposite.to_owned();
        }
        let import = self.text.lines().find_map(|line| {
            let imported = line
                .trim()
                .strip_prefix("import static ")?
                .trim_end_matches(';')
                .trim();
            let (class, member) = imported.rsplit_once('.')?;
            (member == name).then_some(class)
        });
        match import {
            Some(class) => format!("{class}.{opposite}"),
            None => opposite.to_owned(),
        }
    }

    /// Whether a call belongs to a chain that starts with one of [`CHAINS`] or with `assertThrows`.
    fn is_chained(&self, call: Node<'a>) -> bool {
        let objects = std::iter::successors(call.child_by_field_name("object"), |node| {
            node.child_by_field_name("object")
        });
        let mut names = objects.filter_map(|node| name_of(node, self.text));
        names.any(|name| CHAINS.contains(&name) || name == "assertThrows")
    }

    /// Adds a mutation that replaces the exception in `@Test(expected = X.class)`.
    fn annotation(&mut self, annotation: Node<'a>) {
        let pairs = annotation
            .child_by_field_name("arguments")
            .map(children)
            .unwrap_or_default();
        for pair in pairs {
            let key = pair.child_by_field_name("key").map(|key| self.source(key));
            if let (Some("expected"), Some(value)) = (key, pair.child_by_field_name("value")) {
                self.relation = Relation::Unknown;
                self.add(
                    MutationKind::Negated,
                    Some((value.byte_range(), OTHER_EXCEPTION.to_owned())),
                );
            }
        }
    }

    /// If the block of the `try` ends with `fail()`, the test expects the exception. Then adds a mutation that makes
    /// the `catch` clause fail the test.
    fn catch(&mut self, clause: Node<'a>) {
        let expected = clause
            .parent()
            .and_then(|outer| outer.child_by_field_name("body"));
        let fails = expected.is_some_and(|body| {
            let last = children(body).into_iter().next_back();
            last.is_some_and(|last| self.source(last).contains("fail("))
        });
        if let (true, Some(body)) = (fails, clause.child_by_field_name("body")) {
            let start = body.start_byte() + 1;
            let edit = (
                start..start,
                " if (true) throw new AssertionError();".to_owned(),
            );
            self.relation = Relation::Unknown;
            self.add(MutationKind::Negated, Some(edit));
        }
    }

    /// Whether `node` contains a call of the target with `name` in the arguments.
    fn gives_to_target(&self, node: Node<'a>, name: &str) -> bool {
        let is_target =
            node.kind() == "method_invocation" && name_of(node, self.text) == Some(self.target);
        let arguments = node.child_by_field_name("arguments").filter(|_| is_target);
        arguments.is_some_and(|arguments| mentions(self.source(arguments), name))
            || children(node)
                .into_iter()
                .any(|child| self.gives_to_target(child, name))
    }

    /// The initial value of the variable that `node` names. `None` if `node` does not name a variable with an initial
    /// value.
    fn bound_to(&self, node: Node<'a>) -> Option<Node<'a>> {
        if node.kind() != "identifier" {
            return None;
        }
        let name = self.source(node);
        declared(self.root, name, self.text, node.start_byte())
    }

    fn relation_of(&self, call: Node<'a>) -> Relation {
        let shows = |node: Node| {
            let lines = first_line(node)..=last_line(node);
            mentions(self.source(node), self.target)
                || self.effect.is_some_and(|effect| lines.contains(&effect))
        };
        let mut waiting = vec![call];
        while let Some(node) = waiting.pop() {
            let bound = self.bound_to(node);
            if bound.is_some_and(shows) {
                return Relation::Part;
            }
            waiting.extend(children(node));
        }
        if shows(call) {
            Relation::Whole
        } else {
            Relation::Unknown
        }
    }
}

/// The initial value of the variable `name` in its last declaration that ends before the byte offset `before`.
fn declared<'t>(node: Node<'t>, name: &str, text: &str, before: usize) -> Option<Node<'t>> {
    if node.start_byte() >= before {
        return None;
    }
    if node.kind() == "variable_declarator" && name_of(node, text) == Some(name) {
        return node
            .child_by_field_name("value")
            .filter(|value| value.end_byte() <= before);
    }
    children(node)
        .into_iter()
        .rev()
        .find_map(|child| declared(child, name, text, before))
}
