//! Java: what files declare, and what a method uses of its project.
//!
//! Types are those that the code declares: of fields, parameters, local variables, constructors and methods' results.
//! What a generic type holds, and what an overload returns, is not worked out; what is unknown stays unknown.

mod facts;
mod names;
mod project;
mod snippet;
#[cfg(test)]
mod tests;
mod uses;

pub use project::JavaProject;
pub(crate) use snippet::reach_of_code;
