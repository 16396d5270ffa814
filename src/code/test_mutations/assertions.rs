//! Collects the mutations of assertions: what the search has in common for all languages.

use std::marker::PhantomData;
use std::ops::Range;

use rand::seq::SliceRandom as _;
use tree_sitter::Node;

use super::mutation::{Edit, Mutation, MutationKind, Relation, mentions};
use super::vocabulary::Vocabulary;
use crate::code::{children, last_line, name_of};

/// (assertion, opposite assertion with the same arguments). The first pair with a name counts.
const OPPOSITES: [(&str, &str); 27] = [
    ("assertEqual", "assertNotEqual"),
    ("assertEquals", "assertNotEqual"),
    ("assertTrue", "assertFalse"),
    ("assert_", "assertFalse"),
    ("assertIn", "assertNotIn"),
    ("assertIs", "assertIsNot"),
    ("assertIsNone", "assertIsNotNone"),
    ("assertIsInstance", "assertNotIsInstance"),
    ("assertGreater", "assertLess"),
    ("assertGreaterEqual", "assertLess"),
    ("assertLessEqual", "assertGreater"),
    ("assertRegex", "assertNotRegex"),
    ("assertAlmostEqual", "assertNotAlmostEqual"),
    ("assert_called", "assert_not_called"),
    ("assert_called_once", "assert_not_called"),
    ("assertNull", "assertNotNull"),
    ("assertSame", "assertNotSame"),
    ("isTrue", "isFalse"),
    ("isNull", "isNotNull"),
    ("isEmpty", "isNotEmpty"),
    ("isEqualTo", "isNotEqualTo"),
    ("isSameInstanceAs", "isNotSameInstanceAs"),
    ("isSameAs", "isNotSameAs"),
    ("contains", "doesNotContain"),
    ("containsKey", "doesNotContainKey"),
    ("isInstanceOf", "isNotInstanceOf"),
    ("isPresent", "isEmpty"),
];
/// The negative assertions that tests in general often use, by the ends of their names.
const USUAL: [&str; 3] = ["assertIsNotNone", "assertNotIn", "NotNull"];
/// How many times another name or operator is drawn.
const DRAWN: usize = 3;

/// What differs between languages.
pub(crate) trait Syntax: Sized {
    /// Adds the mutations of `node`, if it is an assertion.
    fn visit<'a>(found: &mut Assertions<'a, Self>, node: Node<'a>);

    /// An edit that replaces a name in an expected value by another name that the test can use.
    fn other_name(found: &Assertions<'_, Self>, name: Node) -> Option<Edit>;
}

/// Collects the mutations of the assertions in a function or a file.
pub(crate) struct Assertions<'a, L> {
    pub text: &'a str,
    pub file: &'a Vocabulary<'a>,
    /// The name of the code under test.
    pub target: &'a str,
    /// The function or file that is searched.
    pub root: Node<'a>,
    pub mutations: Vec<Mutation>,
    /// The 1-based line in which the effect of the target is first visible. `None` if it is not known.
    pub effect: Option<u32>,
    /// The byte range of the current statement.
    pub statement: Range<usize>,
    /// How the value of the current assertion relates to the target.
    pub relation: Relation,
    language: PhantomData<L>,
}

impl<'a, L: Syntax> Assertions<'a, L> {
    /// The mutations of all assertions in `root`, the best first. Mutations of equal quality are in random order.
    /// Mutations that change the number of lines are left out, as are statements that end before the line `effect`.
    pub fn mutations(
        root: Node<'a>,
        file: &'a Vocabulary<'a>,
        target: &'a str,
        effect: Option<u32>,
    ) -> Vec<Mutation> {
        let mut found = Self {
            text: file.text,
            file,
            target,
            root,
            mutations: Vec::new(),
            effect,
            statement: root.byte_range(),
            relation: Relation::Unknown,
            language: PhantomData,
        };
        found.collect(root);
        let mut mutations = found.mutations;
        mutations.retain(|mutation| mutation.preserves_lines(file.text));
        mutations.shuffle(&mut rand::rng());
        mutations.sort_by_key(Mutation::order);
        mutations
    }

    fn collect(&mut self, node: Node<'a>) {
        let outer = self.statement.clone();
        if node.kind().ends_with("_statement") || node.kind() == "local_variable_declaration" {
            if self.effect.is_some_and(|effect| last_line(node) < effect) {
                return;
            }
            self.statement = node.byte_range();
        }
        L::visit(self, node);
        for child in children(node) {
            self.collect(child);
        }
        self.statement = outer;
    }

    pub fn source(&self, node: Node) -> &'a str {
        &self.text[node.byte_range()]
    }

    /// Adds a mutation, unless there is one with the same edit.
    pub fn add(&mut self, kind: MutationKind, edit: Option<Edit>) {
        let edit = edit.filter(|edit| self.mutations.iter().all(|known| known.edit != *edit));
        self.mutations.extend(edit.map(|edit| Mutation {
            edit,
            kind,
            relation: self.relation,
            assertion: self.statement.start,
        }));
    }

    /// Whether the code of `node` calls the target with `name` in the arguments.
    pub fn gives_to_target(&self, node: Node, name: &str) -> bool {
        let mentions = |field: &str, word: &str| {
            let part = node.child_by_field_name(field);
            part.is_some_and(|part| mentions(self.source(part), word))
        };
        let is_target = mentions("function", self.target) || mentions("name", self.target);
        let mut parts = children(node).into_iter();
        is_target && mentions("arguments", name)
            || parts.any(|part| self.gives_to_target(part, name))
    }

    /// Edits that replace a name, an attribute or an operator in a computed expectation by another one that the test can
    /// use. The names of called functions stay, as do lambdas and, in Java, the arguments of the target.
    /// Each is drawn several times, because the reference may pass with the first drawn.
    pub fn operands(&self, node: Node) -> Vec<Edit> {
        let drawn = (0..DRAWN).flat_map(|_| self.drawn_operands(node));
        drawn.collect()
    }

    fn drawn_operands(&self, node: Node) -> Vec<Edit> {
        let mut found = Vec::new();
        match node.kind() {
            "identifier" => found.extend(L::other_name(self, node)),
            "attribute" | "field_access" => found.extend(self.other_attribute(node)),
            "binary_operator" | "binary_expression" => found.extend(self.other_operator(node)),
            "lambda" | "lambda_expression" | "class_literal" => return found,
            "method_invocation" if name_of(node, self.text) == Some(self.target) => return found,
            _ => {}
        }
        let field = |name: &str| node.child_by_field_name(name);
        let fixed = [field("name"), field("attribute"), field("field")];
        for part in children(node) {
            if Some(part) == field("function") {
                let object = part.child_by_field_name("object");
                found.extend(object.into_iter().flat_map(|of| self.drawn_operands(of)));
            } else if !fixed.contains(&Some(part)) {
                found.extend(self.drawn_operands(part));
            }
        }
        found
    }

    /// Another attribute of the same object that the file reads.
    fn other_attribute(&self, attribute: Node) -> Option<Edit> {
        let object = self.source(attribute.child_by_field_name("object")?);
        let is_of_object = |other: &str| other.rsplit_once('.').is_some_and(|of| of.0 == object);
        self.file.other(attribute, is_of_object)
    }

    fn other_operator(&self, binary: Node) -> Option<Edit> {
        let operator = binary.child_by_field_name("operator")?;
        let is_text = self.source(binary).contains('"') && binary.kind() == "binary_expression";
        let other = match self.source(operator) {
            "+" if !is_text => "-",
            "-" | "*" => "+",
            "/" | "//" => "*",
            _ => return None,
        };
        Some((operator.byte_range(), other.to_owned()))
    }
}

/// The opposite of the assertion `name`, with the same arguments. `None` if no opposite is known.
pub(crate) fn opposite(name: &str) -> Option<&'static str> {
    let first = OPPOSITES.iter().find(|pair| pair.0 == name);
    let second = || OPPOSITES.iter().find(|pair| pair.1 == name);
    first
        .map(|pair| pair.1)
        .or_else(|| second().map(|pair| pair.0))
}

/// Whether tests in general often use the assertion `name`.
pub(crate) fn is_usual(name: &str) -> bool {
    !name.contains("Not") || USUAL.iter().any(|end| name.ends_with(end))
}
