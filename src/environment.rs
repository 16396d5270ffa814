//! (shim)
pub use crate::evaluation::{Environment, ProjectFiles};
/// shim
pub use crate::evaluation::FIXTURES;
