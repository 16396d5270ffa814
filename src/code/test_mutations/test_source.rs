//! What the mutations of each language provide for a test file.

use std::ops::Range;

use super::mutation::{Edit, Mutation};

/// A test function in its file.
pub(crate) struct TestFunction {
    /// Its bytes, with its decorators or annotations.
    pub range: Range<usize>,
    /// Its mutations, the best first.
    pub mutations: Vec<Mutation>,
    /// Edits to make with each mutation: calls of the test by the file itself, which would fail when the file is
    /// imported.
    pub calls: Vec<Edit>,
}

/// A test file.
pub(crate) trait TestSource {
    /// The test at `names`, for code that is named `target`. Its mutations do not change other tests. They also do not
    /// change assertions before the line that `effect` returns for the lines of the test.
    fn test(
        &self,
        names: &[String],
        target: &str,
        effect: &dyn Fn(Range<u32>) -> Option<u32>,
    ) -> Option<TestFunction>;

    /// The mutations of assertions outside of test functions, except those of parameters.
    fn support(&self, target: &str) -> Vec<Mutation>;
}
