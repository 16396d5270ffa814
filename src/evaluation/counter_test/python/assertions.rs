//! What a test asserts, and how each assertion can be changed.

use rand::seq::{IndexedRandom as _, SliceRandom as _};
use tree_sitter::Node;

use super::super::mutation::{Edit, Mutation, MutationKind, Relation, edited};
use super::definition::{children, name_of};
use super::literal::{other_constant, small_number};
use super::parameters;

/// In how many sets of values of a test's parameters a mutation is tried.
const SETS: usize = 2;

/// Methods of Python's own types. A test that calls one of these does not show that it calls a target of that name.
const COMMON: [&str; 24] = [
    "add", "append", "close", "copy", "count", "decode", "encode", "extend", "find", "format",
    "get", "index", "insert", "items", "join", "keys", "open", "pop", "read", "remove", "split",
    "update", "values", "write",
];

/// Collects the mutations of a piece of a test's source, of code whose name is `target`.
pub(super) struct Assertions<'a> {
    pub(super) text: &'a str,
    target: &'a str,
    mutations: Vec<Mutation>,
    /// Where the statement starts that is read at the moment.
    statement: usize,
    /// What the assertion that is read at the moment is about.
    relation: Relation,
    /// Whether test functions are left out.
    outside_tests: bool,
}

impl<'a> Assertions<'a> {
    /// The mutations of all assertions below a node, the best first, in random order among equals.
    pub fn mutations(node: Node, text: &'a str, target: &'a str) -> Vec<Mutation> {
        Self::collected(node, text, target, false)
    }

    /// The same, without those in functions that are tests by their name.
    pub fn outside_tests(node: Node, text: &'a str, target: &'a str) -> Vec<Mutation> {
        Self::collected(node, text, target, true)
    }

    fn collected(node: Node, text: &'a str, target: &'a str, outside_tests: bool) -> Vec<Mutation> {
        let mut assertions = Self {
            text,
            target,
            mutations: Vec::new(),
            statement: node.start_byte(),
            relation: Relation::Unknown,
            outside_tests,
        };
        assertions.collect(node);
        let mut mutations = assertions.mutations;
        mutations.shuffle(&mut rand::rng());
        mutations.sort_by_key(Mutation::order);
        mutations
    }

    fn collect(&mut self, node: Node) {
        let is_test = |name: &str| name.starts_with("test");
        if self.outside_tests
            && node.kind() == "function_definition"
            && name_of(node, self.text).is_some_and(is_test)
        {
            return;
        }
        let outer = self.statement;
        if node.kind().ends_with("_statement") {
            self.statement = node.start_byte();
        }
        match node.kind() {
            "assert_statement" => {
                if let Some(condition) = node.named_child(0) {
                    self.condition(condition);
                }
            }
            "call" => self.call(node),
            _ => {}
        }
        for child in children(node) {
            self.collect(child);
        }
        self.statement = outer;
    }

    pub(super) fn source(&self, node: Node) -> &'a str {
        &self.text[node.byte_range()]
    }

    pub(super) fn add(&mut self, kind: MutationKind, edit: Option<Edit>) {
        let (relation, assertion) = (self.relation, self.statement);
        self.mutations.extend(edit.map(|edit| Mutation {
            edit,
            kind,
            relation,
            assertion,
        }));
    }

    /// Reads what follows as about a value of these nodes.
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
        if condition.kind() == "not_operator" {
            let inner = condition.child_by_field_name("argument");
            let plain = inner.map(|inner| format!("({})", self.source(inner)));
            let edit = plain.map(|plain| (condition.byte_range(), plain));
            self.add(MutationKind::Truth, edit);
            return;
        }
        if condition.kind() == "call" {
            self.add(MutationKind::Part, self.parts(condition).into_iter().next());
        }
        let negated = (condition.byte_range(), format!("not ({source})"));
        self.add(MutationKind::Truth, Some(negated));
    }

    /// Whether a condition is made of others or compares two values; it is read then.
    pub(super) fn compound(&mut self, condition: Node) -> bool {
        match condition.kind() {
            "comparison_operator" if condition.named_child_count() == 2 => {
                self.comparison(condition);
            }
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
        let (Some(left), Some(right)) = (comparison.named_child(0), comparison.named_child(1))
        else {
            return;
        };
        let between = &self.text[left.end_byte()..right.start_byte()];
        let operator = between.trim();
        match operator {
            "==" | "is" => self.expected(left, right),
            "in" => self.member(left, right),
            _ => {}
        }
        let negated = match operator {
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
        let start = left.end_byte() + (between.len() - between.trim_start().len());
        let edit = (start..start + operator.len(), negated.to_owned());
        self.about(&[left, right]);
        self.add(MutationKind::Negated, Some(edit));
    }

    /// Mutations of what is expected to be in a value, which says little about the whole, or of everything that the
    /// target's value is expected to be among.
    pub(super) fn member(&mut self, expected: Node, value: Node) {
        let before = self.mutations.len();
        self.expected(value, expected);
        for mutation in &mut self.mutations[before..] {
            mutation.relation = mutation.relation.max(Relation::Part);
        }
        if self.is_of_target(expected) {
            self.about(&[expected]);
            self.add(MutationKind::Value, self.every_member(value));
        }
    }

    /// A literal of several constants with others in the place of all of them.
    fn every_member(&self, literal: Node) -> Option<Edit> {
        let members = children(literal).into_iter();
        let others: Vec<_> = members
            .filter_map(|member| other_constant(member, self.text))
            .collect();
        let several = matches!(literal.kind(), "list" | "tuple" | "set") && others.len() > 1;
        let range = literal.byte_range();
        let with = edited(&self.text[..range.end], &others)?.split_off(range.start);
        several.then_some((range, with))
    }

    /// Mutations of the side of an equality that holds what is expected; that is probably `right`.
    pub(super) fn expected(&mut self, left: Node, right: Node) {
        for (side, other) in [(right, left), (left, right)] {
            let (is_target, other_is) = (self.is_of_target(side), self.is_of_target(other));
            if is_target && !other_is {
                continue;
            }
            let likely = match (self.is_computed(side), self.is_computed(other)) {
                _ if other_is || has_call(other) => true,
                (true, false) => false,
                (false, true) => true,
                (true, true) | (false, false) => side == right,
            };
            self.about(&[other]);
            self.constants(side, is_target);
            if likely {
                self.parameters(side);
                self.add(MutationKind::Rebound, self.rebound(side));
            }
            if other_constant(side, self.text).is_none() {
                let both_computed = has_call(side) && has_call(other) && !other_is;
                let kind = if likely && !both_computed {
                    MutationKind::Paired
                } else {
                    MutationKind::PairedOther
                };
                self.add(kind, Some(self.paired(side)));
            }
        }
    }

    /// Constants that an expected value is, is computed from, or was bound to.
    fn constants(&mut self, side: Node, is_target: bool) {
        let constant = other_constant(side, self.text);
        let is_constant = constant.is_some();
        if !has_call(side) {
            self.add(MutationKind::Value, constant);
        }
        if is_target {
            return;
        }
        if has_call(side) || !is_constant {
            for part in self.parts(side) {
                self.add(MutationKind::Part, Some(part));
            }
        }
        self.add(MutationKind::Part, self.bound_constant(side));
    }

    /// The expected expression in a pair with something else.
    pub(super) fn paired(&self, expected: Node) -> Edit {
        let with = format!("({}, {})", self.source(expected), small_number());
        (expected.byte_range(), with)
    }

    fn relation_of(&self, node: Node) -> Relation {
        let direct = matches!(node.kind(), "call" | "await" | "identifier");
        match self.is_of_target(node) {
            true if COMMON.contains(&self.target) => Relation::Unknown,
            true if direct => Relation::Whole,
            true => Relation::Part,
            false => Relation::Unknown,
        }
    }

    /// Whether the target has computed a value, as far as the source shows.
    pub(super) fn is_of_target(&self, node: Node) -> bool {
        let names_it = |node: Node| mentions(self.source(node), self.target);
        names_it(node) || self.bound_to(node).is_some_and(names_it)
    }

    /// Whether some call has computed it.
    fn is_computed(&self, node: Node) -> bool {
        has_call(node) || self.bound_to(node).is_some_and(has_call)
    }

    /// The constants that an expression is made of, and another one for each. Those given to the target are not among
    /// them; those given to a call by name are where it is given no others; a key comes after its value.
    pub(super) fn parts(&self, node: Node) -> Vec<Edit> {
        if let Some(found) = other_constant(node, self.text) {
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
        if self.is_of_target(function) {
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

    /// Constants among the values of the parameters that an expected value is made of, each in one set of them.
    fn parameters(&mut self, expected: Node) {
        let names = identifiers(expected).into_iter();
        let values = names.map(|name| parameters::values(name, self.source(name), self.text));
        let others: Vec<_> = values.flat_map(|values| self.others(&values)).collect();
        let drawn: Vec<_> = others.sample(&mut rand::rng(), SETS).cloned().collect();
        for edit in drawn {
            self.add(MutationKind::Parameter, Some(edit));
        }
    }

    /// For each of some values another: with another constant in it, or, where it has none, one of the rest.
    fn others(&self, values: &[Node]) -> Vec<Edit> {
        let swapped = |value: &Node| {
            let others = values.iter().map(|other| self.source(*other));
            let others: Vec<&str> = others
                .filter(|other| *other != self.source(*value))
                .collect();
            let drawn = others.choose(&mut rand::rng())?;
            Some((value.byte_range(), (*drawn).to_owned()))
        };
        let other = |value: &Node| {
            self.parts(*value)
                .into_iter()
                .next()
                .or_else(|| swapped(value))
        };
        values.iter().filter_map(other).collect()
    }
}

/// Whether a text has `name` as a word.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].ends_with(word) && !text[at + name.len()..].starts_with(word)
    })
}

fn identifiers(node: Node<'_>) -> Vec<Node<'_>> {
    let own = (node.kind() == "identifier").then_some(node);
    let below = children(node).into_iter().flat_map(identifiers);
    own.into_iter().chain(below).collect()
}

fn has_call(node: Node) -> bool {
    matches!(node.kind(), "call" | "await") || children(node).into_iter().any(has_call)
}
