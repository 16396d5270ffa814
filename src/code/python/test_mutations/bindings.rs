//! Finds the values of the names that an assertion reads, and edits that change these values.

use rand::seq::IndexedRandom as _;
use tree_sitter::Node;

use super::assertions::Assertions;
use super::literal::small_number;
use crate::code::test_mutations::mutation::Edit;
use crate::code::test_mutations::mutation::mentions;
use crate::code::{ancestors, children, listed_elements};

impl Assertions<'_> {
    /// The right side of the last assignment to `x` before `value`. `value` is a name `x`, or an attribute or item of
    /// `x`, such as `x.y` and `x[0]`.
    pub(super) fn bound_to<'t>(&self, value: Node<'t>) -> Option<Node<'t>> {
        let object = |node: &Node<'t>| {
            node.child_by_field_name("object")
                .or_else(|| node.child_by_field_name("value"))
                .filter(|_| matches!(node.kind(), "attribute" | "subscript"))
        };
        let name = std::iter::successors(Some(value), object).last()?;
        if name.kind() != "identifier" {
            return None;
        }
        let mut at = value;
        loop {
            for child in children(at.parent()?).into_iter().rev() {
                let bound = child.named_child(0).filter(|bound| {
                    child.end_byte() <= at.start_byte() && bound.kind() == "assignment"
                });
                let left = bound.and_then(|bound| bound.child_by_field_name("left"));
                if left.is_some_and(|left| self.source(left) == self.source(name)) {
                    return bound?.child_by_field_name("right");
                }
            }
            at = at.parent()?;
        }
    }

    /// Whether the test function around `name` calls the target with this name in the arguments.
    pub(super) fn is_given_to_target(&self, name: Node) -> bool {
        let mut around = ancestors(name);
        let function = around.find(|node| node.kind() == "function_definition");
        function.is_some_and(|function| self.gives_to_target(function, self.source(name)))
    }

    /// Whether the code of `node` calls the target with `name` in the arguments.
    fn gives_to_target(&self, node: Node, name: &str) -> bool {
        let names = |field: &str, word: &str| {
            let part = node.child_by_field_name(field);
            part.is_some_and(|part| mentions(self.source(part), word))
        };
        let gives =
            node.kind() == "call" && names("function", self.target) && names("arguments", name);
        gives
            || children(node)
                .into_iter()
                .any(|child| self.gives_to_target(child, name))
    }

    /// An edit of the value that a loop or an assignment gives to a name. The edit replaces a constant in the value.
    /// `None` if the name is an argument of the target: the edit would change the input and not the expectation.
    pub(super) fn bound_constant(&self, name: Node) -> Option<Edit> {
        if name.kind() != "identifier" || self.is_given_to_target(name) {
            return None;
        }
        let mut loops = ancestors(name).filter(|node| node.kind() == "for_statement");
        let in_loop = loops.find_map(|each| self.loop_constant(each, self.source(name)));
        in_loop.or_else(|| {
            let right = self.bound_to(name)?;
            let part = self.parts(right).into_iter().next();
            part.filter(|_| !self.is_of_target(right))
        })
    }

    /// An edit of the literal list of a `for` statement. It replaces a constant in the value that a random element of
    /// the list gives to `name`. `None` if the loop does not bind `name` or has no literal list.
    fn loop_constant(&self, each: Node, name: &str) -> Option<Edit> {
        let left = each.child_by_field_name("left")?;
        let listed = listed_elements(each.child_by_field_name("right")?, self.text)?;
        let drawn = *listed.choose(&mut rand::rng())?;
        if self.source(left) == name {
            return self.parts(drawn).into_iter().next();
        }
        let mut names = children(left).into_iter();
        let place = names.position(|each| self.source(each) == name)?;
        if !matches!(drawn.kind(), "tuple" | "list") {
            return None;
        }
        self.parts(*children(drawn).get(place)?).into_iter().next()
    }

    /// An edit that binds a local name to another value just before the assertion, on the same line. `None` if the test
    /// function does not bind the name, if the name is in a lambda or comprehension, or if the assertion passes the
    /// name to the target.
    pub(super) fn rebound(&self, name: Node) -> Option<Edit> {
        let own = self.source(name);
        if name.kind() != "identifier" || own == "self" {
            return None;
        }
        let (mut statement, mut at) = (None, name);
        while at.kind() != "function_definition" {
            if matches!(
                at.kind(),
                "lambda" | "list_comprehension" | "generator_expression"
            ) {
                return None;
            }
            if matches!(at.kind(), "assert_statement" | "expression_statement") {
                statement = statement.or(Some(at));
            }
            at = at.parent()?;
        }
        let statement = statement.filter(|_| self.binds(at, own))?;
        if self.gives_to_target(statement, own) {
            return None;
        }
        let start = statement.start_byte();
        Some((
            start..start,
            format!("{own} = ({own}, {}); ", small_number()),
        ))
    }

    /// Whether a function binds a name, as a parameter or by an assignment or a loop.
    fn binds(&self, node: Node, name: &str) -> bool {
        let bound = match node.kind() {
            "parameters" => Some(node),
            "assignment" | "for_statement" => node.child_by_field_name("left").filter(|left| {
                matches!(left.kind(), "identifier" | "pattern_list" | "tuple_pattern")
            }),
            _ => None,
        };
        bound.is_some_and(|bound| mentions(self.source(bound), name))
            || children(node)
                .into_iter()
                .any(|child| self.binds(child, name))
    }
}
