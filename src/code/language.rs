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

/// What a piece of code, such as a completion, depends on, as far as the code itself shows. The file around the code is
/// not read. A module counts as part of the standard library if this version of Python 3 has the module; with `None`,
/// if any version has it. Java ignores `version`.
pub fn reach_of_code(language: Language, code: &str, version: Option<Minor>) -> DependencyScope {
    support(language).reach_of_code(code, version)
}
