//! Java: what files declare, and what a method uses of its project.
//!
//! Types come from declarations: of fields, parameters, local variables, constructors and results of methods. The
//! arguments of generic types are not used, and overloads are not resolved. What is unknown stays unknown.

mod facts;
mod imported_files;
mod locate;
mod names;
pub(super) mod outline;
mod project;
mod snippet;
mod support;
mod test_mutations;
#[cfg(test)]
mod tests;
mod uses;

pub use project::JavaProject;
pub(crate) use support::Java;
