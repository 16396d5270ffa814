//! Java: what files declare, and what a method uses of its project.
//!
//! Types are those that the code declares: of fields, parameters, local variables, constructors and methods' results.
//! What a generic type holds, and what an overload returns, is not worked out; what is unknown stays unknown.

mod alone;
mod facts;
mod names;
mod project;
#[cfg(test)]
mod tests;
mod uses;

pub(crate) use alone::reach_of_code;
pub use project::JavaProject;
