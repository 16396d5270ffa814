//! Finds the assertions of Java tests and their mutations: changes to what the tests expect.

use rand::seq::IndexedRandom as _;
use tree_sitter::Node;

use super::children;
use crate::code::test_mutations::assertions::{self, Syntax, is_usual, opposite};
use crate::code::test_mutations::constant::other_constant;
use crate::code::test_mutations::mutation::{Edit, MutationKind, Relation, mentions};
use crate::code::{ancestors, first_line, last_line, name_of};

/// The calls that start a chain of assertions, such as `assertThat(x).isNotNull().isEqualTo(3)`.
const CHAINS: [&str; 6] = [
    "assertThat",
    "assertWithMessage",
    "assertThatThrownBy",
    "assertThatExceptionOfType",
    "assertThatCode",
    "expectThat",
];
/// Exceptions that every file knows and that the compiler does not check. Tests most often expect the first [`COMMON`].
const UNCHECKED: [&str; 8] = [
    "IllegalArgumentException",
    "IllegalStateException",
    "NullPointerException",
    "ArithmeticException",
    "ClassCastException",
    "IndexOutOfBoundsException",
    "NumberFormatException",
    "UnsupportedOperationException",
];
const COMMON: usize = 3;

/// The syntax of Java.
pub(super) struct Java;
/// Collects the mutations of the assertions in a method or a file.
pub(super) type Assertions<'a> = assertions::Assertions<'a, Java>;

impl Syntax for Java {
    fn visit<'a>(found: &mut Assertions<'a>, node: Node<'a>) {
        match node.kind() {
            "method_invocation" => found.call(node),
            "annotation" => found.annotation(node),
            "catch_clause" => found.catch(node),
            _ => {}
        }
    }

    /// Another variable of the method that is declared before `name`, with the same type.
    fn other_name(found: &Assertions<'_>, name: Node) -> Option<Edit> {
        let mut known = Vec::new();
        found.variables(found.root, name.start_byte(), &mut known);
        let own = found.source(name);
        let (_, kind) = known.iter().find(|(known, _)| *known == own)?;
        let is_other = |(other, of): &&(&str, &str)| of == kind && *other != own;
        let others: Vec<_> = known.iter().filter(is_other).collect();
        let (drawn, _) = others.choose(&mut rand::rng())?;
        Some((name.byte_range(), (*drawn).to_owned()))
    }
}

impl<'a> Assertions<'a> {
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
            let edit = expected.and_then(|class| self.other_exception(*class));
            self.add(MutationKind::Negated, edit);
            return;
        }
        // One argument may be a message: the first in JUnit 4, the last in JUnit 5. A mutation of the message is
        // rejected later, because the reference code still passes the test.
        for argument in arguments {
            self.expected(*argument);
        }
        self.opposite(call, name);
    }

    /// Adds mutations of the constants in `node`, which is probably an expected value.
    fn expected(&mut self, node: Node<'a>) {
        if node.kind() == "class_literal" {
            self.add(MutationKind::Part, self.file.other(node, |_| true));
            return;
        }
        if let Some(edit) = other_constant(node, self.file) {
            self.add(MutationKind::Value, Some(edit));
            return;
        }
        if let Some(bound) = self.bound_to(node) {
            let edit = other_constant(bound, self.file);
            // If the variable is also an argument of the target, the edit would change the input of the target.
            let edit = edit.filter(|_| !self.gives_to_target(self.root, self.source(node)));
            self.add(MutationKind::Part, edit);
        } else {
            for edit in self.parts(node) {
                self.add(MutationKind::Part, Some(edit));
            }
        }
        for edit in self.operands(node) {
            self.add(MutationKind::Operand, Some(edit));
        }
    }

    /// Adds (name, type) of each local variable in `node` that is declared before the byte offset `before`.
    fn variables(&self, node: Node, before: usize, found: &mut Vec<(&'a str, &'a str)>) {
        for child in children(node) {
            if child.start_byte() < before {
                self.variables(child, before, found);
            }
            let kind = node.child_by_field_name("type");
            let declared = child.kind() == "variable_declarator" && child.end_byte() <= before;
            let name = name_of(child, self.text).filter(|_| declared);
            found.extend(name.zip(kind.map(|kind| self.source(kind))));
        }
    }

    fn other_exception(&self, class: Node<'a>) -> Option<Edit> {
        let other = self
            .file
            .other_exception(self.source(class), &UNCHECKED[..COMMON], |_| true)?;
        Some((class.byte_range(), format!("{other}.class")))
    }

    /// Edits of the constants in an expression. Constants in the arguments of the target are left out.
    fn parts(&self, node: Node<'a>) -> Vec<Edit> {
        if let Some(found) = other_constant(node, self.file) {
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
        if let Some(opposite) = opposite(name).filter(|of| self.is_usual(call, name, of)) {
            let kind = if name.ends_with("True") || name.ends_with("False") {
                MutationKind::Truth
            } else {
                MutationKind::Negated
            };
            self.add(kind, Some((place.byte_range(), opposite.to_owned())));
        }
    }

    /// Whether the file knows the assertion `opposite`, and tests in general or this file use it.
    fn is_usual(&self, call: Node<'a>, name: &str, opposite: &str) -> bool {
        // A static import of an assertion does not import its opposite.
        let own_import = format!(".{name};");
        let is_imported = call.child_by_field_name("object").is_none()
            && self.text.lines().any(|line| {
                line.starts_with("import static ") && line.trim_end().ends_with(&own_import)
            });
        self.file.often_has(opposite, name) || is_usual(opposite) && !is_imported
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
                self.add(MutationKind::Negated, self.other_exception(value));
            }
        }
    }

    /// If the block of the `try` ends with `fail()`, the test expects the exception. Then adds a mutation that makes
    /// the `catch` clause expect another exception. The method must declare exceptions if the compiler checks the
    /// original one: this exception then leaves the method.
    fn catch(&mut self, clause: Node<'a>) {
        let of_kind = |node: Node<'a>, kind: &str| {
            let mut parts = children(node).into_iter();
            parts.find(|part| part.kind() == kind)
        };
        let body = clause
            .parent()
            .and_then(|outer| outer.child_by_field_name("body"));
        let last = body.and_then(|body| children(body).pop());
        let method = ancestors(clause).find(|node| node.kind() == "method_declaration");
        let throws = method.is_some_and(|method| of_kind(method, "throws").is_some());
        let parameter = of_kind(clause, "catch_formal_parameter");
        let types = parameter.and_then(|parameter| of_kind(parameter, "catch_type"));
        if let (Some(types), Some(outer), true) = (
            types,
            clause.parent(),
            last.is_some_and(|last| self.source(last).contains("fail(")),
        ) && (throws || UNCHECKED.contains(&self.source(types)))
        {
            let is_unchecked = |name: &str| UNCHECKED.contains(&name);
            let other =
                self.file
                    .other_exception(self.source(outer), &UNCHECKED[..COMMON], is_unchecked);
            self.relation = Relation::Unknown;
            self.add(
                MutationKind::Negated,
                other.map(|other| (types.byte_range(), other)),
            );
        }
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
