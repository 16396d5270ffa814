//! Names: what they were bound to before a claim looks at them, and how that can be changed.

use std::ops::Range;

use rand::seq::IndexedRandom as _;
use tree_sitter::Node;

use super::claim::{Claims, mentions};
use super::find::children;
use super::parameter;
use super::value::small;

impl Claims<'_> {
    /// What the name was last bound to, before it is looked at, that a value is or is taken from: `x`, `x.y`, `x[0]`.
    pub(super) fn bound_to<'t>(&self, value: Node<'t>) -> Option<Node<'t>> {
        let below = |node: &Node<'t>| {
            node.child_by_field_name("object")
                .or_else(|| node.child_by_field_name("value"))
                .filter(|_| matches!(node.kind(), "attribute" | "subscript"))
        };
        let name = std::iter::successors(Some(value), below).last()?;
        if name.kind() != "identifier" {
            return None;
        }
        let mut at = value;
        loop {
            for child in children(at.parent()?).into_iter().rev() {
                let bound = child.named_child(0);
                let bound = bound.filter(|bound| {
                    child.end_byte() <= at.start_byte() && bound.kind() == "assignment"
                });
                let left = bound.and_then(|bound| bound.child_by_field_name("left"));
                if left.is_some_and(|left| self.own(left) == self.own(name)) {
                    return bound?.child_by_field_name("right");
                }
            }
            at = at.parent()?;
        }
    }

    /// A constant in what a name was last bound to, before it is expected, and another in its place.
    pub(super) fn defined(&self, name: Node) -> Option<(Range<usize>, String)> {
        if name.kind() != "identifier" {
            return None;
        }
        let above = std::iter::successors(name.parent(), Node::parent);
        let mut loops = above.filter(|node| node.kind() == "for_statement");
        let in_loop = loops.find_map(|over| self.in_loop(over, self.own(name)));
        in_loop.or_else(|| {
            let right = self.bound_to(name)?;
            self.part(right).filter(|_| !self.is_of_target(right))
        })
    }

    /// The same for a name that a loop binds, to one of the values that are listed.
    fn in_loop(&self, over: Node, name: &str) -> Option<(Range<usize>, String)> {
        let left = over.child_by_field_name("left")?;
        let listed = parameter::listed(over.child_by_field_name("right")?, self.text)?;
        let drawn = *listed.choose(&mut rand::rng())?;
        if self.own(left) == name {
            return self.part(drawn);
        }
        let place = children(left)
            .into_iter()
            .position(|each| self.own(each) == name)?;
        if !matches!(drawn.kind(), "tuple" | "list") {
            return None;
        }
        self.part(*children(drawn).get(place)?)
    }

    /// Before the claim, a name of the function's own is bound to something else, so that it is found nowhere as it was.
    pub(super) fn bound_anew(&self, name: Node) -> Option<(Range<usize>, String)> {
        let own = self.own(name);
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
                statement = statement.or(Some(at.start_byte()));
            }
            at = at.parent()?;
        }
        let start = statement.filter(|_| self.binds(at, own))?;
        let line = &self.text[..start];
        let indent = &line[line.rfind('\n').map_or(0, |end| end + 1)..];
        let next = if indent.trim().is_empty() {
            format!("\n{indent}")
        } else {
            "; ".to_owned()
        };
        Some((start..start, format!("{own} = ({own}, {}){next}", small())))
    }

    /// Whether a name is a function's own.
    fn binds(&self, node: Node, name: &str) -> bool {
        let bound = match node.kind() {
            "parameters" => Some(node),
            "assignment" | "for_statement" => node.child_by_field_name("left").filter(|left| {
                matches!(left.kind(), "identifier" | "pattern_list" | "tuple_pattern")
            }),
            _ => None,
        };
        bound.is_some_and(|bound| mentions(self.own(bound), name))
            || children(node)
                .into_iter()
                .any(|child| self.binds(child, name))
    }
}
