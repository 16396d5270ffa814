//! What each language provides to make mutations of a test file.

use std::ops::Range;

use super::mutation::{Edit, Mutation};

/// A test function in its file.
pub(crate) struct TestFunction {
    /// The byte range of the function, with its decorators or annotations.
    pub range: Range<usize>,
    /// The mutations of the function, the best first.
    pub mutations: Vec<Mutation>,
    /// Edits to apply with every mutation. They remove the calls of the test at the top level of the file. Otherwise
    /// the changed test would fail while the file is imported.
    pub calls: Vec<Edit>,
}

/// A test file.
pub(crate) trait TestSource {
    /// Finds a test, or returns `None` if the file does not have it. `names` are the names of its classes, the
    /// outermost first, followed by the name of the function. `target` is the name of the code under test. `effect`
    /// receives the range of the test's lines and returns the 1-based line in which the target's effect is first
    /// visible. The mutations do not change other tests, or assertions before this line.
    fn test(
        &self,
        names: &[String],
        target: &str,
        effect: &dyn Fn(Range<u32>) -> Option<u32>,
    ) -> Option<TestFunction>;

    /// The mutations of assertions outside of test functions. Mutations of the values of test parameters are left out.
    fn support(&self, target: &str) -> Vec<Mutation>;
}
