//! Support for Java: the declarations of files, and the elements of its project that a method uses.
//!
//! The type of an expression follows from the declarations of fields, parameters, local variables, constructors and
//! methods. Arguments of generic types are not used, and overloads are not resolved. Uses of an expression are left out
//! if its type does not follow from declarations.

mod facts;
mod imported_files;
mod locate;
mod names;
pub(super) mod outline;
mod project;
mod snippet;
mod splice;
mod support;
mod test_mutations;
#[cfg(test)]
mod tests;
mod uses;
mod whole_method;

pub use project::JavaProject;
pub(crate) use support::Java;
