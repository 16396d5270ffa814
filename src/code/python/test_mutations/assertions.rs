//! Finds what a Python test asserts, and how each assertion can be changed.

use tree_sitter::Node;

use crate::code::test_mutations::assertions::{self, Syntax};
use crate::code::test_mutations::constant::other_constant;
use crate::code::test_mutations::mutation::{Edit, MutationKind, Relation, mentions};
use crate::code::{children, first_line, last_line};

/// The syntax of Python.
pub(super) struct Python;
/// Collects the mutations of the assertions in a function or a file.
pub(super) type Assertions<'a> = assertions::Assertions<'a, Python>;

impl Syntax for Python {
    fn visit<'a>(found: &mut Assertions<'a>, node: Node<'a>) {
        match node.kind() {
            "assert_statement" => {
                if let Some(condition) = node.named_child(0) {
                    found.condition(condition);
                }
            }
            "call" => found.call(node),
            _ => {}
        }
    }

    /// A local name becomes another local name. The name of a class or a constant becomes another such name of the file.
    fn other_name(found: &Assertions<'_>, name: Node) -> Option<Edit> {
        found.other_name(name)
    }
}

impl Assertions<'_> {
    /// Sets the relation for the mutations that are added next. They change an assertion about the values of `nodes`.
    pub(super) fn about(&mut self, nodes: &[Node]) {
        let relations = nodes.iter().map(|node| self.relation_of(*node));
        self.relation = relations.min().unwrap_or(Relation::Unknown);
    }

    fn condition(&mut self, condition: Node) {
        if self.compound(condition) {
            return;
        }
        self.about(&[condition]);
        let source = self.source(condition);
        let opposite = match condition.kind() {
            "not_operator" => {
                let inner = source.strip_prefix("not");
                inner.map(|inner| inner.trim_start_matches(' ').to_owned())
            }
            "call" | "identifier" | "attribute" | "subscript" | "await" => {
                Some(format!("not {source}"))
            }
            _ => None,
        };
        if condition.kind() == "call" {
            self.add(MutationKind::Part, self.parts(condition).into_iter().next());
            let mut operands = self.operands_of_condition(condition).into_iter();
            self.add(MutationKind::Operand, operands.next());
        }
        let edit = opposite.map(|opposite| (condition.byte_range(), opposite));
        self.add(MutationKind::Truth, edit);
    }

    /// Edits of the class in a condition such as `isinstance(x, dict)`.
    fn operands_of_condition(&self, call: Node) -> Vec<Edit> {
        let arguments = call.child_by_field_name("arguments").map(children);
        match arguments.as_deref() {
            Some([_, class]) if self.source(call).starts_with("isinstance(") => {
                self.operands(*class)
            }
            _ => Vec::new(),
        }
    }

    /// Adds the mutations of a condition that combines other conditions or compares two values. Returns false for any
    /// other condition.
    pub(super) fn compound(&mut self, condition: Node) -> bool {
        match condition.kind() {
            "comparison_operator" => self.comparison(condition),
            "boolean_operator" | "parenthesized_expression" => {
                for side in children(condition) {
                    self.condition(side);
                }
            }
            _ => return false,
        }
        true
    }

    fn comparison(&mut self, comparison: Node) {
        let mut sides = children(comparison);
        sides.retain(|side| !side.is_extra());
        let &[left, right] = sides.as_slice() else {
            return;
        };
        let between = &self.text[left.end_byte()..right.start_byte()];
        let operator = between.trim_matches([' ', '\t', '\r', '\n', '\\']);
        match operator {
            "==" | "is" => self.expected(left, right),
            "in" => self.member(left, right),
            _ => {}
        }
        let is_usual = |other: &str| match other {
            "!=" => self.file.often_has(other, operator),
            "is not" => right.kind() == "none" || self.file.often_has(other, operator),
            _ => true,
        };
        let negated = match operator {
            "==" => "!=",
            "!=" => "==",
            "in" => "not in",
            "not in" => "in",
            "is" => "is not",
            "is not" => "is",
            "<" | "<=" => ">",
            ">" | ">=" => "<",
            _ => return,
        };
        if !is_usual(negated) {
            return;
        }
        let Some(start) = between.find(operator) else {
            return;
        };
        let start = left.end_byte() + start;
        let edit = (start..start + operator.len(), negated.to_owned());
        self.about(&[left, right]);
        self.add(MutationKind::Negated, Some(edit));
    }

    fn relation_of(&self, node: Node) -> Relation {
        let direct = matches!(node.kind(), "call" | "await" | "identifier");
        match self.is_of_target(node) {
            true if direct => Relation::Whole,
            true => Relation::Part,
            false => Relation::Unknown,
        }
    }

    /// Whether the target probably computed the value of `node`. True if `node` contains the target's name. Also true
    /// if `node` is in the line of the target's first visible effect and contains a call, an attribute or a subscript.
    /// If `node` is a variable, the expression to which the variable was bound is examined too.
    pub(super) fn is_of_target(&self, node: Node) -> bool {
        let shows = |node: Node| {
            let lines = first_line(node)..=last_line(node);
            has_access(node) && self.effect.is_some_and(|effect| lines.contains(&effect))
        };
        self.names_target(node) || shows(node) || self.bound_to(node).is_some_and(shows)
    }

    /// Whether `node` contains the target's name, or is a variable that was bound to an expression with this name.
    pub(super) fn names_target(&self, node: Node) -> bool {
        let has_name = |node: Node| mentions(self.source(node), self.target);
        has_name(node) || self.bound_to(node).is_some_and(has_name)
    }

    /// Whether `node` contains a call, or is a variable that was bound to an expression with a call.
    pub(super) fn is_computed(&self, node: Node) -> bool {
        has_call(node) || self.bound_to(node).is_some_and(has_call)
    }

    /// Edits that replace the constants in an expression. Calls of the target are left out. From other calls, only one
    /// group is used, the first with a constant: positional arguments, keyword arguments, called expression. In a
    /// dictionary, a value comes before its key.
    pub(super) fn parts(&self, node: Node) -> Vec<Edit> {
        if let Some(found) = other_constant(node, self.file) {
            return vec![found];
        }
        let all = |nodes: Vec<Node>| {
            nodes
                .into_iter()
                .flat_map(|each| self.parts(each))
                .collect()
        };
        match node.kind() {
            "call" => self.parts_of_call(node),
            "keyword_argument" => all(node.child_by_field_name("value").into_iter().collect()),
            "pair" => all(children(node).into_iter().rev().collect()),
            "lambda" | "identifier" => Vec::new(),
            _ => all(children(node)),
        }
    }

    fn parts_of_call(&self, call: Node) -> Vec<Edit> {
        let (Some(function), Some(arguments)) = (
            call.child_by_field_name("function"),
            call.child_by_field_name("arguments"),
        ) else {
            return Vec::new();
        };
        // Where the statement names the target, other calls in its line are not the target.
        let is_named = mentions(&self.text[self.statement.clone()], self.target);
        if self.names_target(function) || !is_named && self.is_of_target(function) {
            return Vec::new();
        }
        let (named, plain): (Vec<_>, Vec<_>) = children(arguments)
            .into_iter()
            .partition(|argument| argument.kind() == "keyword_argument");
        let groups = [plain, named, vec![function]].into_iter();
        let mut found = groups.map(|nodes| {
            let parts = nodes.into_iter().flat_map(|node| self.parts(node));
            parts.collect::<Vec<_>>()
        });
        found.find(|parts| !parts.is_empty()).unwrap_or_default()
    }
}

/// Whether an expression contains a call, an attribute or a subscript. Attributes and subscripts may also call a
/// function.
fn has_access(node: Node) -> bool {
    matches!(node.kind(), "call" | "await" | "attribute" | "subscript")
        || children(node).into_iter().any(has_access)
}

/// Whether an expression contains a call.
pub(super) fn has_call(node: Node) -> bool {
    matches!(node.kind(), "call" | "await") || children(node).into_iter().any(has_call)
}
