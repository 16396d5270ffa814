//! What each language provides to make mutations of a test file.

use std::ops::Range;

use super::mutation::{Edit, Mutation};

/// A test function in its file.
pub(crate) struct TestFunction {
    /// The byte range of the function, with its decorators or annotations.
    pub range: Range<usize>,
    /// The mutations of the function, the best first.
    pub mutations: Vec<Mutation>,
    /// Edits that must accompany each mutation. They remove the statements of the file that call the test. Such a call
    /// of a changed test would make the import of the file fail.
    pub calls: Vec<Edit>,
}

/// A test file.
pub(crate) trait TestSource {
    /// Finds a test. `names` are the names of its classes, the outermost first, followed by the name of the function.
    /// `target` is the name of the code under test. `effect` receives the range of the test's lines. It returns the
    /// 1-based line in which the target's effect is first visible. The mutations change neither other tests nor
    /// assertions before this line. `None` if the file does not have the test.
    fn test(
        &self,
        names: &[String],
        target: &str,
        effect: &dyn Fn(Range<u32>) -> Option<u32>,
    ) -> Option<TestFunction>;

    /// The mutations of assertions outside of test functions. Mutations of the values of test parameters are left out.
    fn support(&self, target: &str) -> Vec<Mutation>;
}
