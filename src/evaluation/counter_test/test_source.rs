//! What each language's module says of a test file.

use std::ops::Range;

use super::mutation::{Edit, Mutation};
use super::{java, python};
use crate::benchmark::Language;

/// A test function in its file.
pub(super) struct TestFunction {
    /// Its bytes with its decorators or annotations.
    pub range: Range<usize>,
    /// Its mutations, the best first.
    pub mutations: Vec<Mutation>,
    /// What is changed with each of them: calls of the test by the file itself, which would fail when it is imported.
    pub calls: Vec<Edit>,
}

/// A test file.
pub(super) trait TestSource {
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

/// A test file of a language; `None` where the text is not parsed.
pub(super) fn test_source<'a>(
    language: Language,
    text: &'a str,
) -> Option<Box<dyn TestSource + 'a>> {
    Some(match language {
        Language::Python => Box::new(python::TestFile::parse(text)?),
        Language::Java => Box::new(java::TestFile::parse(text)?),
    })
}

/// Whether a file of that name probably has code that the tests next to it share.
pub(super) fn is_support(language: Language, name: &str) -> bool {
    match language {
        Language::Python => python::TestFile::is_support(name),
        Language::Java => java::TestFile::is_support(name),
    }
}
