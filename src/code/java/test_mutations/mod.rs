//! The mutations of Java tests. A mutation changes what a test expects: an assertion of `JUnit` 3, 4 or 5, Truth,
//! `AssertJ` or Hamcrest, or an expected exception.
//!
//! If a mutation did not compile, every test of its file would fail. So each replacement has a suitable type: a string
//! replaces a string, a number replaces a number, and an assertion replaces an assertion with the same parameters.

mod assertions;

use std::ops::Range;

use tree_sitter::Node;

use self::assertions::Assertions;
use crate::benchmark::{Language, RepoPath};
use crate::code::test_mutations::mutation::Mutation;
use crate::code::test_mutations::sources::{Sources, without_parameters};
use crate::code::test_mutations::test_source::{TestFunction, TestSource};
use crate::code::test_mutations::vocabulary::Vocabulary;
use crate::code::{ancestors, first_line, last_line, name_of};

/// The maximum number of levels of base classes that are searched for a method.
const DEPTH: u8 = 4;

/// A parsed Java test file.
pub(crate) struct TestFile<'a>(Vocabulary<'a>);

impl<'a> TestFile<'a> {
    /// Whether a file with this name probably contains code that the tests in its folder share.
    pub fn is_support(name: &str) -> bool {
        let words = [
            "Util", "Helper", "Base", "Common", "Support", "Assert", "Abstract",
        ];
        Language::of_path(name) == Some(Language::Java)
            && words.iter().any(|word| name.contains(word))
    }

    /// Parses a test file. `None` if the file exceeds the limits of the parser.
    pub fn parse(text: &'a str) -> Option<Self> {
        Vocabulary::parse(Language::Java, text).map(Self)
    }
}

impl TestSource for TestFile<'_> {
    fn test(
        &self,
        names: &[String],
        target: &str,
        effect: &dyn Fn(Range<u32>) -> Option<u32>,
    ) -> Option<TestFunction> {
        let method = find_method(self.0.tree.root_node(), self.0.text, names)?;
        let effect = effect(first_line(method)..last_line(method) + 1);
        Some(TestFunction {
            range: method.byte_range(),
            mutations: Assertions::mutations(method, &self.0, target, effect),
            calls: Vec::new(),
        })
    }

    fn support(&self, target: &str) -> Vec<Mutation> {
        let root = self.0.tree.root_node();
        let mut found = Assertions::mutations(root, &self.0, target, None);
        let in_test = |of: Node| of.kind() == "method_declaration" && is_test(of, self.0.text);
        found.retain(|mutation| {
            let range = &mutation.edit.0;
            let edited = root.descendant_for_byte_range(range.start, range.end);
            !edited.into_iter().flat_map(ancestors).any(in_test)
        });
        found
    }
}

/// The named children of a node, without comments.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = crate::code::children(node);
    found.retain(|child| !child.is_extra());
    found
}

/// Whether a method is a test: it has a test annotation, or its name begins with `test`, as in `JUnit` 3.
fn is_test(method: Node, text: &str) -> bool {
    let annotations = children(method)
        .into_iter()
        .filter(|child| child.kind() == "modifiers")
        .flat_map(children)
        .filter_map(|annotation| name_of(annotation, text));
    let marks = |name: &str| name.ends_with("Test") || name.ends_with("TestFactory");
    annotations.into_iter().any(marks)
        || name_of(method, text).is_some_and(|name| name.starts_with("test"))
}

/// Finds the test with the id `package.Outer$Inner#method`. Returns the path of its file, and the names of its classes,
/// the outermost first, followed by the name of the method. `None` if the id has another format or the class has no
/// source file.
pub(crate) fn place(id: &str, sources: &dyn Sources) -> Option<(RepoPath, Vec<String>)> {
    let (class, method) = without_parameters(id).split_once('#')?;
    let path = sources.java_source(class)?;
    let nested = class.rsplit('.').next().unwrap_or(class);
    // `$` separates nested classes, but a name may also begin with `$`. So the outermost name is that of the file.
    let own = path.file_name().trim_end_matches(".java");
    let inner = nested
        .strip_prefix(own)
        .unwrap_or_default()
        .split('$')
        .filter(|name| !name.is_empty());
    let names = std::iter::once(own).chain(inner).chain([method]);
    let names = names.map(str::to_owned).collect();
    Some((path, names))
}

/// Finds a method. `names` are the names of its classes, the outermost first, followed by the name of the method. A
/// method that the class inherits from a top-level class in the file is found too.
fn find_method<'t>(root: Node<'t>, text: &str, names: &[String]) -> Option<Node<'t>> {
    let (method, classes) = names.split_last()?;
    let mut scope = root;
    for name in classes {
        scope = members(scope)
            .into_iter()
            .find(|member| is_class(*member) && name_of(*member, text) == Some(name))?;
    }
    method_of(root, scope, text, method, DEPTH)
}

fn method_of<'t>(
    root: Node<'t>,
    class: Node<'t>,
    text: &str,
    name: &str,
    depth: u8,
) -> Option<Node<'t>> {
    let named = |member: &Node| {
        member.kind() == "method_declaration" && name_of(*member, text) == Some(name)
    };
    let own: Vec<Node> = members(class).into_iter().filter(named).collect();
    // If several overloads have this name, take the first that is a test, or else the last overload.
    let own = own
        .iter()
        .find(|method| is_test(**method, text))
        .or(own.last())
        .copied();
    own.or_else(|| {
        let base = children(class.child_by_field_name("superclass")?)
            .into_iter()
            .next()?;
        let base = &text[base.byte_range()];
        let class = members(root)
            .into_iter()
            .find(|member| is_class(*member) && name_of(*member, text) == Some(base))?;
        method_of(root, class, text, name, depth.checked_sub(1)?)
    })
}

fn is_class(node: Node) -> bool {
    matches!(
        node.kind(),
        "class_declaration" | "interface_declaration" | "enum_declaration" | "record_declaration"
    )
}

fn members(scope: Node<'_>) -> Vec<Node<'_>> {
    children(scope.child_by_field_name("body").unwrap_or(scope))
}

#[cfg(test)]
mod tests;
