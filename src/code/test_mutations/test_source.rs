//! What each language's module says of a test file.

use std::ops::Range;

use super::mutation::{Edit, Mutation};

/// A test function in its file.
pub(crate) struct TestFunction {
    /// Its bytes with its decorators or annotations.
    pub range: Range<usize>,
    /// Its mutations, the best first.
    pub mutations: Vec<Mutation>,
    /// What is changed with each of them: calls of the test by the file itself, which would fail when it is imported.
    pub calls: Vec<Edit>,
}

/// A test file.
pub(crate) trait TestSource {
    /// The test that `names` names, of code that is named `target`. Its mutations leave other tests as they are, and the
    /// assertions before the line that `effect` gives for its lines.
    fn test(
        &self,
        names: &[String],
        target: &str,
        effect: &dyn Fn(Range<u32>) -> Option<u32>,
    ) -> Option<TestFunction>;

    /// The mutations of the assertions outside test functions, except those of parameters.
    fn support(&self, target: &str) -> Vec<Mutation>;
}
