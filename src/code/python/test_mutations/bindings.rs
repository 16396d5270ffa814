//! Finds the values of the names that an assertion reads, and edits that change these values.

use rand::seq::IndexedRandom as _;
use tree_sitter::Node;

use super::assertions::Assertions;
use crate::code::test_mutations::mutation::Edit;
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

    /// An edit of the value that a loop or an assignment gives to a name. The edit replaces a constant in the value.
    /// `value` is the name, or an item of the name. `None` if the name is an argument of the target: the edit would
    /// change the input and not the expectation.
    pub(super) fn bound_constant(&self, value: Node) -> Option<Edit> {
        let collection = value.child_by_field_name("value");
        let name = collection
            .filter(|_| value.kind() == "subscript")
            .unwrap_or(value);
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

    /// A local name becomes another local name. The name of a class or a constant becomes another such name of the file.
    pub(super) fn other_name(&self, name: Node) -> Option<Edit> {
        let own = self.source(name);
        let function = ancestors(name).find(|node| node.kind() == "function_definition")?;
        let mut local = Vec::new();
        self.bound_names(function, name.start_byte(), &mut local);
        let others = if local.contains(&own) {
            local
        } else if BUILT_IN.contains(&own) {
            BUILT_IN.to_vec()
        } else if own.starts_with(char::is_uppercase) {
            let alike = self.file.of("identifier").iter().copied();
            alike.filter(|other| is_like(own, other)).collect()
        } else {
            Vec::new()
        };
        let is_other = |other: &&str| *other != own && !matches!(*other, "self" | "cls");
        let others: Vec<&str> = others.into_iter().filter(is_other).collect();
        let drawn = others.choose(&mut rand::rng())?;
        Some((name.byte_range(), (*drawn).to_owned()))
    }

    /// Adds the names that a function binds before the byte offset `before`, as a parameter or by a statement.
    fn bound_names<'t>(&'t self, node: Node, before: usize, found: &mut Vec<&'t str>) {
        let bound = match node.kind() {
            "parameters" => Some(node),
            "assignment" | "for_statement" => node.child_by_field_name("left").filter(|left| {
                matches!(left.kind(), "identifier" | "pattern_list" | "tuple_pattern")
            }),
            _ => None,
        };
        let is_name = |name: &Node| name.kind() == "identifier";
        match bound {
            Some(bound) if is_name(&bound) => found.push(self.source(bound)),
            Some(bound) => {
                let names = children(bound).into_iter().filter(is_name);
                found.extend(names.map(|name| self.source(name)));
            }
            None => {}
        }
        for child in children(node) {
            if child.start_byte() < before {
                self.bound_names(child, before, found);
            }
        }
    }
}

/// Built-in types that tests often name.
const BUILT_IN: [&str; 6] = ["dict", "float", "int", "list", "str", "tuple"];

/// Whether two names are both constants or both classes, as far as their case shows.
fn is_like(a: &str, b: &str) -> bool {
    let is_constant = |name: &str| !name.contains(char::is_lowercase);
    b.starts_with(char::is_uppercase) && is_constant(a) == is_constant(b)
}
