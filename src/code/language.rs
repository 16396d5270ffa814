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

/// What code reaches that is given without its file, such as generated code. `version` is the version of Python 3 that
/// provides the standard library, or `None` for any version. Java ignores it.
pub fn reach_of_code(language: Language, code: &str, version: Option<Minor>) -> DependencyScope {
    support(language).reach_of_code(code, version)
}
