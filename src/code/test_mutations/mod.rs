//! The mutations of tests. A mutation changes what a test function expects, so that correct code must fail the changed
//! function.

pub(super) mod assertions;
pub(super) mod constant;
pub(super) mod mutation;
pub(super) mod sources;
pub(super) mod test_source;
pub(super) mod vocabulary;

pub(crate) use mutation::{Edit, Mutation, MutationKind, edited};
pub use sources::{Sources, without_parameters};
pub(crate) use test_source::{TestFunction, TestSource};
