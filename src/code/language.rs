//! The support for each language, and functions that pass a call on to this support.

use super::language_support::LanguageSupport;
use super::levels::DependencyScope;
use super::stdlib::Minor;
use super::test_mutations::TestSource;
use super::{java, python};
use crate::benchmark::Language;

/// The support for a language.
pub(crate) fn support(language: Language) -> &'static dyn LanguageSupport {
    match language {
        Language::Python => &python::Python,
        Language::Java => &java::Java,
    }
}

/// What code reaches that is given without its file, such as generated code. `version` is the version of Python 3 that
/// provides the standard library, or `None` for any version. Java ignores it.
pub fn reach_of_code(language: Language, code: &str, version: Option<Minor>) -> DependencyScope {
    support(language).reach_of_code(code, version)
}

/// Parses a test file. `None` if its text cannot be parsed.
pub(crate) fn test_source(language: Language, text: &str) -> Option<Box<dyn TestSource + '_>> {
    support(language).test_source(text)
}

/// Whether a file with this name probably contains code that is shared by the tests in its folder.
pub(crate) fn is_test_support(language: Language, name: &str) -> bool {
    support(language).is_test_support(name)
}
