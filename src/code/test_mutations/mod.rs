//! The mutations of tests: changes to the expectations of a test function, so that code with the right behaviour must
//! fail the test.

pub(super) mod mutation;
pub(super) mod sources;
pub(super) mod test_source;

pub(crate) use mutation::{Edit, Mutation, MutationKind, edited};
pub use sources::{Sources, without_parameters};
pub(crate) use test_source::{TestFunction, TestSource};
