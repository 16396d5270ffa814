//! What a test claims, and how each claim can be changed.

use std::ops::Range;

use rand::seq::{IndexedRandom as _, SliceRandom as _};
use tree_sitter::Node;

use super::change::{Change, Rank, edited};
use super::find::children;
use super::parameter;
use super::value::{constant, small};

/// In how many sets of values of a test's parameters a change is tried.
const SETS: usize = 2;

/// The claims of a piece of a test's source, of code whose name is `target`.
pub(super) struct Claims<'a> {
    pub(super) text: &'a str,
    target: &'a str,
    changes: Vec<Change>,
    /// The statement that claims something at the moment.
    statement: Option<Range<usize>>,
    /// All such statements.
    statements: Vec<Range<usize>>,
    /// Whether the claim at the moment is of the target's whole value.
    of_whole: bool,
}

impl<'a> Claims<'a> {
    /// The changes to all claims below a node, best first: those of the target's whole value before those of its parts, and
    /// by lot among equals. Each is made to one claim alone: what else the node claims is left out beside it, so that
    /// nothing tells of the value as it was.
    pub fn of(node: Node, text: &'a str, target: &'a str) -> Vec<Change> {
        let mut claims = Self {
            text,
            target,
            changes: Vec::new(),
            statement: None,
            of_whole: false,
            statements: Vec::new(),
        };
        claims.collect(node);
        let mut changes = claims.changes;
        changes.shuffle(&mut rand::rng());
        changes.sort_by_key(|change| (change.rank, !change.of_whole));
        for change in &mut changes {
            let others = claims.statements.iter();
            let others = others.filter(|other| Some(*other) != change.claim.as_ref());
            change.without = others.cloned().collect();
        }
        changes
    }

    fn collect(&mut self, node: Node) {
        let outer = self.statement.clone();
        if self.is_claim(node) {
            self.statement = Some(node.byte_range());
            self.statements.push(node.byte_range());
        }
        match node.kind() {
            "assert_statement" => {
                if let Some(test) = node.named_child(0) {
                    self.claim(test);
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

    /// Whether a statement does nothing but claim something.
    fn is_claim(&self, node: Node) -> bool {
        let alone = node
            .named_child(0)
            .filter(|_| node.named_child_count() == 1);
        match node.kind() {
            "assert_statement" => true,
            "expression_statement" => alone.is_some_and(|call| self.asserts(call)),
            _ => false,
        }
    }

    pub(super) fn own(&self, node: Node) -> &'a str {
        &self.text[node.byte_range()]
    }

    pub(super) fn add(&mut self, rank: Rank, change: Option<(Range<usize>, String)>) {
        let change = change.map(|(range, with)| Change {
            range,
            with,
            rank,
            claim: self.statement.clone(),
            of_whole: self.of_whole,
            without: Vec::new(),
        });
        self.changes.extend(change);
    }

    fn claim(&mut self, claim: Node) {
        if self.compound(claim) {
            return;
        }
        if claim.kind() == "not_operator" {
            let inner = claim.child_by_field_name("argument");
            let plain = inner.map(|inner| (claim.byte_range(), format!("({})", self.own(inner))));
            self.add(Rank::Truth, plain);
            return;
        }
        if claim.kind() == "call" {
            self.add(Rank::Part, self.part(claim));
        }
        let turned = (claim.byte_range(), format!("not ({})", self.own(claim)));
        self.add(Rank::Truth, Some(turned));
    }

    /// Whether it is made of other claims, or compares two values.
    pub(super) fn compound(&mut self, claim: Node) -> bool {
        match claim.kind() {
            "comparison_operator" if claim.named_child_count() == 2 => self.comparison(claim),
            "boolean_operator" | "parenthesized_expression" => {
                for side in children(claim) {
                    self.claim(side);
                }
            }
            _ => return false,
        }
        true
    }

    fn comparison(&mut self, claim: Node) {
        let (Some(left), Some(right)) = (claim.named_child(0), claim.named_child(1)) else {
            return;
        };
        let between = left.end_byte()..right.start_byte();
        let operator = self.text[between.clone()].trim();
        match operator {
            "==" | "is" => self.expected(left, right),
            "in" => self.member(left, right),
            _ => {}
        }
        let turned = match operator {
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
        self.add(Rank::Turned, Some((between, format!(" {turned} "))));
    }

    /// Changes to what is expected to be in a value, which tells little of the whole, or to all that the target's value is
    /// expected to be among.
    pub(super) fn member(&mut self, expected: Node, value: Node) {
        let before = self.changes.len();
        self.expected(value, expected);
        for change in &mut self.changes[before..] {
            change.of_whole = false;
        }
        if self.is_of_target(expected) {
            self.of_whole = true;
            self.add(Rank::Value, self.every_member(value));
            self.of_whole = false;
        }
    }

    /// A literal of several constants with others in the place of all of them.
    fn every_member(&self, literal: Node) -> Option<(Range<usize>, String)> {
        let members = children(literal).into_iter();
        let changed: Vec<_> = members
            .filter_map(|member| constant(member, self.text))
            .collect();
        let several = matches!(literal.kind(), "list" | "tuple" | "set") && changed.len() > 1;
        let Range { start, end } = literal.byte_range();
        let with = edited(&self.text[..end], changed).split_off(start);
        several.then_some((start..end, with))
    }

    /// Changes to the side of an equality that holds what is expected; `right` is likely that.
    pub(super) fn expected(&mut self, left: Node, right: Node) {
        for (side, other) in [(right, left), (left, right)] {
            let (is_target, other_is) = (self.is_of_target(side), self.is_of_target(other));
            if is_target && !other_is {
                continue;
            }
            let likely = match (self.is_made(side), self.is_made(other)) {
                _ if other_is || has_call(other) => true,
                (true, false) => false,
                (false, true) => true,
                (true, true) | (false, false) => side == right,
            };
            self.of_whole = other_is && matches!(other.kind(), "call" | "await" | "identifier");
            let value = constant(side, self.text);
            let is_value = value.is_some();
            if !has_call(side) {
                self.add(Rank::Value, value);
            }
            if !is_target {
                if has_call(side) || !is_value {
                    for part in self.parts(side) {
                        self.add(Rank::Part, Some(part));
                    }
                }
                self.add(Rank::Part, self.defined(side));
            }
            if likely {
                self.parameters(side);
                self.add(Rank::Name, self.bound_anew(side));
            }
            if !is_value {
                let rank = if likely && !(has_call(side) && has_call(other) && !other_is) {
                    Rank::Beside
                } else {
                    Rank::BesideOther
                };
                self.add(rank, Some(self.beside(side)));
            }
        }
        self.of_whole = false;
    }

    /// What is expected, in a pair with something else.
    pub(super) fn beside(&self, expected: Node) -> (Range<usize>, String) {
        let with = format!("({}, {})", self.own(expected), small());
        (expected.byte_range(), with)
    }

    /// Whether the target has made a value, as far as that shows.
    pub(super) fn is_of_target(&self, node: Node) -> bool {
        let named = |node: Node| mentions(self.own(node), self.target);
        named(node) || self.bound_to(node).is_some_and(named)
    }

    /// Whether some call has made it.
    fn is_made(&self, node: Node) -> bool {
        has_call(node) || self.bound_to(node).is_some_and(has_call)
    }

    /// The first of [`Self::parts`].
    pub(super) fn part(&self, node: Node) -> Option<(Range<usize>, String)> {
        self.parts(node).into_iter().next()
    }

    /// The constants that an expression is made of, and another in the place of each: what a call is given by name only where
    /// it is given none otherwise, and a key after its value. What the target is given is none.
    fn parts(&self, node: Node) -> Vec<(Range<usize>, String)> {
        if let Some(found) = constant(node, self.text) {
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

    fn parts_of_call(&self, call: Node) -> Vec<(Range<usize>, String)> {
        let (Some(function), Some(arguments)) = (
            call.child_by_field_name("function"),
            call.child_by_field_name("arguments"),
        ) else {
            return Vec::new();
        };
        if self.is_of_target(function) {
            return Vec::new();
        }
        let (named, given): (Vec<_>, Vec<_>) = children(arguments)
            .into_iter()
            .partition(|argument| argument.kind() == "keyword_argument");
        let found = [given, named, vec![function]].into_iter().map(|nodes| {
            let parts = nodes.into_iter().flat_map(|node| self.parts(node));
            parts.collect::<Vec<_>>()
        });
        found
            .into_iter()
            .find(|parts| !parts.is_empty())
            .unwrap_or_default()
    }

    /// Constants among the values of the test's parameters that an expected value is made of, each in one set of them.
    fn parameters(&mut self, expected: Node) {
        let names = identifiers(expected).into_iter();
        let values = names.map(|name| parameter::values(name, self.own(name), self.text));
        let known = |range: &Range<usize>| self.changes.iter().any(|change| change.range == *range);
        let others = values.flat_map(|values| self.others(&values));
        let changes: Vec<_> = others.filter(|(range, _)| !known(range)).collect();
        let drawn: Vec<_> = changes.sample(&mut rand::rng(), SETS).cloned().collect();
        for change in drawn {
            self.add(Rank::Parameter, Some(change));
        }
    }

    /// For each of some values another: with another constant in it, or, where it has none, one of the rest.
    fn others(&self, values: &[Node]) -> Vec<(Range<usize>, String)> {
        let instead = |value: &Node| {
            let unlike = values.iter().map(|other| self.own(*other));
            let unlike: Vec<&str> = unlike.filter(|other| *other != self.own(*value)).collect();
            let drawn = unlike.choose(&mut rand::rng())?;
            Some((value.byte_range(), (*drawn).to_owned()))
        };
        let other = |value: &Node| self.part(*value).or_else(|| instead(value));
        values.iter().filter_map(other).collect()
    }
}

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
    node.kind() == "call" || node.kind() == "await" || children(node).into_iter().any(has_call)
}

#[cfg(test)]
mod tests;
