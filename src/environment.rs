//! (shim)
/// shim
pub(crate) use crate::evaluation::FIXTURES;
pub use crate::evaluation::{Environment, ProjectFiles};
