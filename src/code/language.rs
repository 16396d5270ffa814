//! The support for each language.

use super::language_support::LanguageSupport;
use super::levels::DependencyScope;
use super::stdlib::Minor;
use super::{java, python};
use crate::benchmark::Language;

/// The support for a language.
pub(crate) fn support(language: Language) -> &'static dyn LanguageSupport {
    match language {
        Language::Python => &python::Python,
        Language::Java => &java::Java,
    }
}

/// What a piece of code, such as a completion, reaches without its file. `version` is the minor version of Python 3
/// that provides the standard library, or `None` for any version. It is not used for Java.
pub fn reach_of_code(language: Language, code: &str, version: Option<Minor>) -> DependencyScope {
    support(language).reach_of_code(code, version)
}
