//! What source means: parsing, outlines, imports, symbols, dependency resolution and levels, cached by blob id.

mod locate;
mod outline;
mod syntax;

pub use locate::{Anchor, AnchorState, locate, locate_in};
pub use outline::{Definition, DefinitionKind, Outline, outline};
pub use syntax::Bounds;
pub(crate) use syntax::parse;
