//! Ways to change what a test expects: a constant in an assertion, an expected value, a parameter, an operator.

use std::ops::Range;

use tree_sitter::Node;

use super::super::subject::Subject;
use super::claim::Claims;
use super::find::{children, find_function, parse};
use super::place::place;
use crate::benchmark::RepoPath;
use crate::environment::is_python;

/// One replacement in a test's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// The bytes replaced.
    pub range: Range<usize>,
    /// What stands there instead.
    pub with: String,
    /// How good it is.
    pub rank: Rank,
    /// The statement whose claim it changes.
    pub claim: Option<Range<usize>>,
    /// Whether that claims something of the target's whole value.
    pub of_whole: bool,
    /// Other claims of the test, which are left out beside it.
    pub without: Vec<Range<usize>>,
}

/// How good a change is, the best first: code that is equal to everything, or gives what it finds in the test, passes the
/// first of them as it passes the test itself. It fails a turned operator, as right code does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Another expected constant.
    Value,
    /// Another constant among those that an expected value is made of, by calls or in another line.
    Part,
    /// Another constant in a set of the test's parameters, which may give the test another id.
    Parameter,
    /// An expected name is given another value before.
    Name,
    /// Something beside what is expected.
    Beside,
    /// The same, on the side that is likely not the expected one.
    BesideOther,
    /// Another operator, assertion or exception.
    Turned,
    /// Another truth.
    Truth,
    /// A string of an assertion of which nothing is known.
    Unknown,
}

impl Change {
    /// The text with nothing but this changed.
    pub fn apply(&self, text: &str) -> String {
        edited(text, vec![(self.range.clone(), self.with.clone())])
    }

    /// What is done to the text: the change, and the other claims left out.
    pub fn edits(&self) -> Vec<(Range<usize>, String)> {
        let own = (self.range.clone(), self.with.clone());
        let others = self.without.iter().cloned();
        let without = others.map(|range| (range, "pass".to_owned()));
        std::iter::once(own).chain(without).collect()
    }

    /// `12: 3 becomes 4`.
    pub fn describe(&self, text: &str) -> String {
        let line = text[..self.range.start].matches('\n').count() + 1;
        if self.range.is_empty() {
            return format!(
                "{line}: {} is added",
                self.with.trim_end_matches([' ', ';', '\n', '\t'])
            );
        }
        format!(
            "{line}: {} becomes {}",
            &text[self.range.clone()],
            self.with
        )
    }
}

/// A text with other pieces in the place of some that do not overlap.
pub(super) fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut edited = text.to_owned();
    for (range, with) in edits {
        edited.replace_range(range, &with);
    }
    edited
}

/// A test function in its file.
pub(super) struct TestFunction {
    /// The bytes that it takes, decorators left out.
    pub place: Range<usize>,
    /// How it can be changed, best first.
    pub changes: Vec<Change>,
}

/// The test that `names` names in the file `text`, of code whose name is `target`.
pub(super) fn test_function(text: &str, names: &[String], target: &str) -> Option<TestFunction> {
    let tree = parse(text)?;
    let function = find_function(tree.root_node(), text, names)?;
    let mut changes = Claims::of(function, text, target);
    if let [name] = names {
        let own_calls = calls_of(tree.root_node(), text, name);
        for change in &mut changes {
            change.without.extend(own_calls.iter().cloned());
        }
    }
    Some(TestFunction {
        place: function.byte_range(),
        changes,
    })
}

/// The statements by which a file calls a test when it is loaded: with a changed claim, pytest would not come to the test.
fn calls_of(module: Node, text: &str, name: &str) -> Vec<Range<usize>> {
    let is_call = |statement: &Node| {
        let call = statement
            .named_child(0)
            .filter(|_| statement.kind() == "expression_statement");
        let function = call.and_then(|call| call.child_by_field_name("function"));
        function.is_some_and(|function| text[function.byte_range()] == *name)
    };
    let calls = children(module).into_iter().filter(is_call);
    calls.map(|call| call.byte_range()).collect()
}

/// The changes to assertions outside the tests themselves: in the rest of their files, and in the files beside them.
pub(super) fn changes_in_supporting_code(
    subject: &Subject,
    expected: &[String],
) -> Vec<(RepoPath, Change)> {
    let mut found = Vec::new();
    for path in supporting_files(subject, expected) {
        let Some(text) = subject.source(&path) else {
            continue;
        };
        let target = subject.namespace.name();
        let changes = parse(&text).map(|tree| Claims::of(tree.root_node(), &text, target));
        // What a parameter is asked for by would change too.
        let changes = changes
            .into_iter()
            .flatten()
            .filter(|change| change.rank != Rank::Parameter);
        found.extend(changes.map(|change| (path.clone(), change)));
    }
    found.sort_by_key(|(_, change)| change.rank);
    found
}

fn supporting_files(subject: &Subject, expected: &[String]) -> Vec<RepoPath> {
    let mut own: Vec<RepoPath> = expected
        .iter()
        .filter_map(|id| Some(place(id, subject)?.0))
        .collect();
    own.sort();
    own.dedup();
    let folders: Vec<String> = own.iter().map(|path| path.folder().to_owned()).collect();
    let beside = subject
        .project
        .files
        .iter()
        .map(|file| &file.path)
        .filter(|path| {
            let support = matches!(path.file_name(), "__init__.py" | "conftest.py")
                || ["util", "helper", "base", "common", "support"]
                    .iter()
                    .any(|word| path.file_name().contains(word));
            support
                && is_python(path.as_str())
                && folders.iter().any(|folder| path.folder() == folder)
        });
    let mut all = own.clone();
    all.extend(beside.filter(|path| !own.contains(path)).cloned());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_its_file_calls_is_not_called_there() {
        let text = "def test():\n    assert f() == 3\n\n\nVALUES = [1]\ntest()\nother.test()\n";
        let found = test_function(text, &["test".to_owned()], "f").unwrap();
        let changed = edited(text, found.changes[0].edits());
        assert!(
            changed.ends_with("VALUES = [1]\npass\nother.test()\n"),
            "{changed}"
        );
        assert!(!changed.contains("== 3"), "{changed}");
        let text = format!("class T:\n    def test(self):\n        assert f() == 3\n\n\n{text}");
        let names = ["T", "test"].map(str::to_owned);
        let found = test_function(&text, &names, "f").unwrap();
        assert!(edited(&text, found.changes[0].edits()).contains("\ntest()\n"));
    }
}
