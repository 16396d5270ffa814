//! Mutations: changes to what a test expects. They are ordered by how well they expose dishonest code.

use std::ops::Range;

/// (byte range in a text, text that replaces the range).
pub(crate) type Edit = (Range<usize>, String);

/// One change to an assertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mutation {
    pub edit: Edit,
    pub kind: MutationKind,
    pub relation: Relation,
    /// The byte offset of the start of the statement that contains the assertion.
    pub assertion: usize,
}

/// The kinds of mutations, the best first. With another expected value, correct code fails the changed test. Dishonest
/// code passes and is thereby exposed: for example an object that is equal to everything, or code that returns what it
/// reads in the test file. A negated assertion does not expose such code, because the code fails the changed
/// test as correct code does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MutationKind {
    /// Another constant as the expected value.
    Value,
    /// Another constant in the computation of an expected value.
    Part,
    /// Another constant in one of the sets of values for the test's parameters. The id of the test with this set may
    /// change.
    Parameter,
    /// Another name, attribute or operator in the computation of an expected value.
    Operand,
    /// As `Operand`, but for the side that is probably not the expected value.
    OtherOperand,
    /// The opposite operator or assertion, or another exception.
    Negated,
    /// The opposite truth value: `assert x` becomes `assert not x`, for example.
    Truth,
    /// Another string in a call of an assertion function that is unknown to Evoscope.
    Unknown,
}

/// How the asserted value relates to the target, as far as the source shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Relation {
    /// The asserted value is the result of the target.
    Whole,
    /// The asserted value is computed from the result of the target.
    Part,
    /// The source does not show a relation.
    Unknown,
}

impl Mutation {
    /// The key for sorting. The best mutations come first.
    pub fn order(&self) -> impl Ord + use<> {
        let negated = self.kind >= MutationKind::Negated;
        let unknown = self.relation == Relation::Unknown;
        (negated, unknown, self.kind, self.relation)
    }

    /// Whether the number of lines of the file stays the same. If so, tracebacks of unchanged tests show the same
    /// lines.
    pub fn preserves_lines(&self, text: &str) -> bool {
        let lines = |text: &str| text.matches('\n').count();
        let (range, with) = &self.edit;
        lines(&text[range.clone()]) == lines(with)
    }

    /// Describes the change, with its line number: `12: 3 becomes 4`.
    pub fn describe(&self, text: &str) -> String {
        let (range, with) = &self.edit;
        let line = text[..range.start].matches('\n').count() + 1;
        format!("{line}: {} becomes {with}", &text[range.clone()])
    }
}

/// The text after these edits. `None` if edits overlap, or a range is not in the text or splits a character.
pub(crate) fn edited(text: &str, edits: &[Edit]) -> Option<String> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut result, mut at) = (String::with_capacity(text.len()), 0);
    for (range, with) in sorted {
        result.push_str(text.get(at..range.start)?);
        text.get(range.clone())?;
        result.push_str(with);
        at = range.end;
    }
    result.push_str(text.get(at..)?);
    Some(result)
}

/// Whether a text contains `name` as a word.
pub(crate) fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].ends_with(word) && !text[at + name.len()..].starts_with(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_apply_in_any_order_and_never_overlap() {
        let edit = |range: Range<usize>, with: &str| (range, with.to_owned());
        let edits = [edit(4..5, "XY"), edit(0..1, ""), edit(2..2, "-")];
        assert_eq!(edited("abcdef", &edits).as_deref(), Some("b-cdXYf"));
        assert_eq!(edited("abc", &[edit(0..2, "x"), edit(1..3, "y")]), None);
        assert_eq!(edited("abc", &[edit(2..9, "x")]), None);
        assert_eq!(edited("aé", &[edit(2..3, "x")]), None);
    }

    #[test]
    fn an_assertion_about_the_target_is_mutated_before_others() {
        let mutation = |kind, relation| Mutation {
            edit: (0..1, String::new()),
            kind,
            relation,
            assertion: 0,
        };
        let certain = mutation(MutationKind::Operand, Relation::Whole);
        let uncertain = mutation(MutationKind::Value, Relation::Unknown);
        let negated = mutation(MutationKind::Negated, Relation::Whole);
        assert!(certain.order() < uncertain.order() && uncertain.order() < negated.order());
    }
}
