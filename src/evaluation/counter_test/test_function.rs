//! What each language's module says of a test: its function `test` finds the test of these names in a file, of code that
//! is named `target`. The mutations leave other tests as they are, and the assertions before the line that `effect` gives
//! for the test's lines.

use std::ops::Range;

use super::mutation::{Edit, Mutation};

/// A test function in its file.
pub(super) struct TestFunction {
    /// Its bytes with its decorators or annotations.
    pub range: Range<usize>,
    /// Its mutations, the best first.
    pub mutations: Vec<Mutation>,
    /// What is changed with each of them: calls of the test by the file itself, which would fail when it is imported.
    pub calls: Vec<Edit>,
}
