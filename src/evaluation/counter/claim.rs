//! What a test claims, and how each claim can be changed.

use std::ops::Range;

use rand::seq::IndexedRandom as _;
use tree_sitter::Node;

use super::change::{Change, Rank};
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
}

impl<'a> Claims<'a> {
    /// The changes to all claims below a node, best first.
    pub fn of(node: Node, text: &'a str, target: &'a str) -> Vec<Change> {
        let mut claims = Self {
            text,
            target,
            changes: Vec::new(),
        };
        claims.collect(node);
        claims.changes.sort_by_key(|change| change.rank);
        claims.changes
    }

    fn collect(&mut self, node: Node) {
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
    }

    pub(super) fn own(&self, node: Node) -> &'a str {
        &self.text[node.byte_range()]
    }

    pub(super) fn add(&mut self, rank: Rank, change: Option<(Range<usize>, String)>) {
        let changes = change.map(|(range, with)| Change { range, with, rank });
        self.changes.extend(changes);
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
            "in" => self.expected(right, left),
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

    /// Changes to the side of an equality that holds what is expected; `right` is likely that.
    pub(super) fn expected(&mut self, left: Node, right: Node) {
        for (side, other) in [(right, left), (left, right)] {
            let (is_target, other_is) = (self.is_of_target(side), self.is_of_target(other));
            if is_target && !other_is {
                continue;
            }
            let likely = side == right || other_is || has_call(other);
            let value = constant(side, self.text);
            let is_value = value.is_some();
            if !has_call(side) {
                self.add(Rank::Value, value);
            }
            if !is_target {
                if has_call(side) || !is_value {
                    self.add(Rank::Part, self.part(side));
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
    }

    /// What is expected, in a pair with something else.
    pub(super) fn beside(&self, expected: Node) -> (Range<usize>, String) {
        let with = format!("({}, {})", self.own(expected), small());
        (expected.byte_range(), with)
    }

    fn is_of_target(&self, node: Node) -> bool {
        mentions(self.own(node), self.target)
    }

    /// A constant that an expression is made of, and another in its place. What the target is given is none.
    pub(super) fn part(&self, node: Node) -> Option<(Range<usize>, String)> {
        if let Some(found) = constant(node, self.text) {
            return Some(found);
        }
        match node.kind() {
            "call" => {
                let function = node.child_by_field_name("function")?;
                if self.is_of_target(function) {
                    return None;
                }
                let given = children(node.child_by_field_name("arguments")?);
                given
                    .into_iter()
                    .find_map(|value| self.part(value))
                    .or_else(|| self.part(function))
            }
            "keyword_argument" => self.part(node.child_by_field_name("value")?),
            "lambda" | "identifier" => None,
            _ => children(node)
                .into_iter()
                .find_map(|child| self.part(child)),
        }
    }

    /// A constant in what a name was last bound to, before it is expected, and another in its place.
    fn defined(&self, name: Node) -> Option<(Range<usize>, String)> {
        if name.kind() != "identifier" {
            return None;
        }
        let own = self.own(name);
        let mut at = name;
        while let Some(above) = at.parent() {
            if above.kind() == "for_statement"
                && let Some(found) = self.in_loop(above, own)
            {
                return Some(found);
            }
            for child in children(above).into_iter().rev() {
                let is_before = child.end_byte() <= at.start_byte();
                let bound = child.named_child(0).filter(|_| is_before);
                let bound = bound.filter(|bound| bound.kind() == "assignment");
                let left = bound.and_then(|bound| bound.child_by_field_name("left"));
                if left.is_some_and(|left| self.own(left) == own) {
                    let right = bound?.child_by_field_name("right")?;
                    return self.part(right).filter(|_| !self.is_of_target(right));
                }
            }
            at = above;
        }
        None
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

    /// The same for a name that a loop binds, to one of the values that are written out.
    fn in_loop(&self, over: Node, name: &str) -> Option<(Range<usize>, String)> {
        let left = over.child_by_field_name("left")?;
        let last = children(over.child_by_field_name("right")?).pop()?;
        if self.own(left) == name {
            return self.part(last);
        }
        let place = children(left)
            .into_iter()
            .position(|each| self.own(each) == name)?;
        if !matches!(last.kind(), "tuple" | "list") {
            return None;
        }
        self.part(*children(last).get(place)?)
    }

    /// Before the claim, a name of the function's own is bound to something else, so that it is found nowhere as it was.
    fn bound_anew(&self, name: Node) -> Option<(Range<usize>, String)> {
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
        Some((start..start, format!("{own} = ({own}, {}); ", small())))
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

fn mentions(text: &str, name: &str) -> bool {
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
mod tests {
    use super::super::find::parse;
    use super::*;

    /// What a test's source becomes by each change, best first.
    fn changed(text: &str) -> Vec<String> {
        let tree = parse(text).unwrap();
        let changes = Claims::of(tree.root_node(), text, "f");
        changes.iter().map(|change| change.apply(text)).collect()
    }

    /// The best change to a test whose lines these are, told by the text that it leaves before and after itself.
    fn best(lines: &str, before: &str, after: &str) {
        let text = format!("def test(given, want):\n    {lines}\n");
        let first = changed(&text).remove(0);
        let first = first.split_once("\n    ").unwrap().1.trim_end();
        assert_ne!(first, lines);
        assert!(
            first.starts_with(before) && first.ends_with(after),
            "{lines} became {first}"
        );
    }

    #[test]
    fn the_expected_constant_changes_and_the_input_does_not() {
        best("assert f(3) == 4", "assert f(3) == ", "");
        best("assert 'abc' == f('x')", "assert '", "' == f('x')");
        best("assert f(3) == [1, 'ab']", "assert f(3) == [1, '", "']");
        best(
            "self.assertTrue(f(3) == 4)",
            "self.assertTrue(f(3) == ",
            ")",
        );
        best("assert 3 in f(1)", "assert ", " in f(1)");
        best("self.assertIn('ab', f(1))", "self.assertIn('", "', f(1))");
        best("assert f(1) is True", "assert f(1) is False", "");
    }

    #[test]
    fn what_an_expected_value_is_made_of_changes() {
        best(
            "assert f(3) == approx(2.5, rel=1)",
            "assert f(3) == approx(",
            ", rel=1)",
        );
        best("assert f(3) == Slow(4)", "assert f(3) == Slow(", ")");
        best("assert isclose(f(3), 0.5)", "assert isclose(f(3), 0.", ")");
        best("x = 5\n    assert f(3) == x", "x = ", "assert f(3) == x");
        best(
            "for a, b in [(1, 2), (3, 4)]:\n        assert f(a) == b",
            "for a, b in [(1, 2), (3, ",
            "assert f(a) == b",
        );
        best(
            "run.assert_called_once_with(5, f(1))",
            "run.assert_called_once_with(",
            ", f(1))",
        );
    }

    #[test]
    fn a_name_that_is_expected_is_another_value_wherever_it_is_looked_at() {
        best(
            "assert f(given) == want",
            "want = (want, ",
            "); assert f(given) == want",
        );
        best(
            "self.assertEqual(want, f(given))",
            "want = (want, ",
            "); self.assertEqual(want, f(given))",
        );
        best("assert f(given) == WANT", "assert f(given) == (WANT, ", ")");
        best(
            "assert f(given) == self.want",
            "assert f(given) == (self.want, ",
            ")",
        );
        best(
            "assert f(given) == other(given)",
            "assert f(given) == (other(given), ",
            ")",
        );
    }

    #[test]
    fn a_parameter_that_is_expected_has_another_value_in_its_list() {
        let text = "@pytest.mark.parametrize('a, want', [(1, 2), (1, 2)])\ndef test(a, want):\n    assert f(a) == want\n";
        for changed in changed(text).iter().take(SETS) {
            let (before, after) = changed.split_once("\ndef").unwrap();
            assert!(
                text.ends_with(after) && !text.starts_with(before),
                "{changed}"
            );
            assert_eq!(changed.matches("(1, 2)").count(), 1, "{changed}");
        }
        let text = "@mark.parametrize('a, want', [(1, int), (2, str)])\ndef test(a, want):\n    assert f(a) is want\n";
        let swapped = &changed(text)[0];
        assert!(
            swapped.contains("(1, str), (2, str)") || swapped.contains("(1, int), (2, int)"),
            "{swapped}"
        );
    }

    #[test]
    fn an_operator_is_turned_where_nothing_else_is_left() {
        best("assert f(1) != 3", "assert f(1) == 3", "");
        best("assert f(1)", "assert not (f(1))", "");
        best("self.assertFalse(f(1))", "self.assertTrue(f(1))", "");
        best("run.assert_called_once()", "run.assert_not_called()", "");
        best(
            "self.assertRaises(KeyError, f)",
            "self.assertRaises(",
            "Error, f)",
        );
    }

    #[test]
    fn an_assertion_of_the_projects_own_is_given_another_string() {
        best(
            "self.assertRenders(f('a'), dedent('bc'))",
            "self.assertRenders(f('a'), dedent('",
            "'))",
        );
        best(
            "eq_ignore_whitespace(f(3), 'ab')",
            "eq_ignore_whitespace(f(3), '",
            "')",
        );
    }
}
