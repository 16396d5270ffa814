//! Java: what files declare, and what a method uses of its project.
//!
//! Types come from declarations: of fields, parameters, local variables, constructors and results of methods. The
//! arguments of generic types are not used, and overloads are not resolved. What is unknown stays unknown.

mod facts;
mod names;
mod project;
mod snippet;
#[cfg(test)]
mod tests;
mod uses;

pub use project::JavaProject;
pub(crate) use snippet::reach_of_code;
