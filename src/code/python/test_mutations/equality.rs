//! Mutations of assertions that compare two values. A mutation changes the operand that is probably the expected value.

use rand::seq::IndexedRandom as _;
use tree_sitter::Node;

use super::assertions::{Assertions, has_call};
use crate::code::test_mutations::constant::{has_constants, other_constant};
use crate::code::test_mutations::mutation::{Edit, MutationKind, Relation, edited};
use crate::code::{children, parameter_values};

/// The maximum number of mutations that change parameters of the test, for one expected value.
const SETS: usize = 2;
/// How many times operands are drawn. With two names to draw from, all draws are trivial once in 2^24 times.
const DRAWS: usize = 8;

impl Assertions<'_> {
    /// Adds the mutations of `assert expected in value`. The [`Relation`] of these mutations is at best `Part`, because
    /// one member says little about the whole value. If the target computed `expected`, a further mutation changes all
    /// members of a literal `value`.
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

    /// An edit that replaces a constant in each member that has one. `None` if `literal` is not a literal list, tuple
    /// or set, or if fewer than two of its members have a constant.
    fn every_member(&self, literal: Node) -> Option<Edit> {
        let members = children(literal).into_iter();
        let others: Vec<_> = members
            .filter_map(|member| other_constant(member, self.file))
            .collect();
        let several = matches!(literal.kind(), "list" | "tuple" | "set") && others.len() > 1;
        let range = literal.byte_range();
        let with = edited(&self.text[..range.end], &others)?.split_off(range.start);
        several.then_some((range, with))
    }

    /// Adds the mutations of an assertion that two values are equal. The mutations change each side that may be the
    /// expected value. If nothing shows which side this is, `right` is more likely.
    pub(super) fn expected(&mut self, left: Node, right: Node) {
        // If the target may have computed both sides, assume that it computed those with its name, or else `left`.
        let left_is =
            self.is_of_target(left) && (self.names_target(left) || !self.names_target(right));
        let right_is = self.is_of_target(right) && (self.names_target(right) || !left_is);
        for (side, is_target, other, other_is) in [
            (right, right_is, left, left_is),
            (left, left_is, right, right_is),
        ] {
            if is_target && !other_is {
                continue;
            }
            let likely = match (self.is_computed(side), self.is_computed(other)) {
                _ if other_is || has_call(other) => true,
                (true, false) => false,
                (false, true) => true,
                (true, true) | (false, false) => side == right,
            };
            let of_target = [other];
            self.about(if other_is { &of_target } else { &[] });
            self.constants(side, is_target);
            if likely {
                self.parameters(side);
            }
            if !is_constant(side) {
                let both_computed = has_call(side) && has_call(other) && !other_is;
                let kind = if likely && !both_computed {
                    MutationKind::Operand
                } else {
                    MutationKind::OtherOperand
                };
                for edit in self.operands_other_than(side, self.source(other)) {
                    self.add(kind, Some(edit));
                }
            }
        }
    }

    /// The drawn operands of `side`, without the edit that makes the two sides equal: `trivial` in place of `side`. If
    /// only this edit was drawn, draws again.
    fn operands_other_than(&self, side: Node, trivial: &str) -> Vec<Edit> {
        let is_other = |edit: &Edit| edit.0 != side.byte_range() || edit.1 != trivial;
        let drawn = |_| -> Vec<Edit> {
            let operands = self.operands(side).into_iter();
            operands.filter(is_other).collect()
        };
        let mut rounds = (0..DRAWS).map(drawn);
        rounds.find(|edits| !edits.is_empty()).unwrap_or_default()
    }

    /// Adds mutations that change constants in the expected value `side`. If `side` is a variable, also adds a mutation
    /// that changes a constant in the variable's value. If the target computed `side` (`is_target`), only a literal
    /// `side` is changed.
    fn constants(&mut self, side: Node, is_target: bool) {
        if !has_call(side) {
            self.add(MutationKind::Value, other_constant(side, self.file));
        }
        if is_target {
            return;
        }
        let bound = self.bound_constant(side);
        if bound.is_none() && (has_call(side) || !is_constant(side)) {
            for part in self.parts(side) {
                self.add(MutationKind::Part, Some(part));
            }
        }
        self.add(MutationKind::Part, bound);
    }

    /// Adds mutations that change values of the test's parameters (`pytest.mark.parametrize`). Only parameters that the
    /// expected value contains are changed, and not the arguments of the target: a mutation must not change the
    /// target's input. Each mutation changes one value.
    fn parameters(&mut self, expected: Node) {
        let names = identifiers(expected).into_iter();
        let names = names.filter(|name| !self.is_given_to_target(*name));
        let values = names.map(|name| parameter_values(name, self.source(name), self.text));
        let others: Vec<_> = values.flat_map(|values| self.others(&values)).collect();
        let drawn: Vec<_> = others.sample(&mut rand::rng(), SETS).cloned().collect();
        for edit in drawn {
            self.add(MutationKind::Parameter, Some(edit));
        }
    }

    /// An edit for each of `values`. The edit replaces a constant in the value. A value without a constant is replaced
    /// by a different one of `values`.
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

/// Whether an expression may be or contain a constant, and nothing else.
fn is_constant(node: Node) -> bool {
    let parts = children(node);
    match node.kind() {
        "integer" | "float" | "true" | "false" | "none" | "string" => true,
        kind => has_constants(kind) && (parts.is_empty() || parts.into_iter().any(is_constant)),
    }
}

fn identifiers(node: Node<'_>) -> Vec<Node<'_>> {
    let own = (node.kind() == "identifier").then_some(node);
    let below = children(node).into_iter().flat_map(identifiers);
    own.into_iter().chain(below).collect()
}
