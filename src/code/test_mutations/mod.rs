//! The mutations of tests: changes to the expectations of a test function, so that code with the right behaviour must
//! fail the test.

mod java;
mod mutation;
mod python;
mod sources;
mod test_source;

pub(crate) use java::place as java_test_place;
pub(crate) use mutation::{Edit, Mutation, MutationKind, edited};
pub use sources::{Sources, without_parameters};
pub(crate) use test_source::{TestFunction, TestSource};

use crate::benchmark::Language;

/// Parses a test file. `None` if its text cannot be parsed.
pub(crate) fn test_source(language: Language, text: &str) -> Option<Box<dyn TestSource + '_>> {
    Some(match language {
        Language::Python => Box::new(python::TestFile::parse(text)?),
        Language::Java => Box::new(java::TestFile::parse(text)?),
    })
}

/// Whether a file with this name probably has code that the tests next to it share.
pub(crate) fn is_test_support(language: Language, name: &str) -> bool {
    match language {
        Language::Python => python::TestFile::is_support(name),
        Language::Java => java::TestFile::is_support(name),
    }
}
