//! Text as a terminal may show it: cleaned of controls, measured in columns, wrapped, cut and styled.
//!
//! Nothing that came from a file, a model or a test log reaches the terminal but through here. Widths are those of
//! grapheme clusters (`unicode-width`), as ratatui counts them.

mod clean;
mod fit;
mod style;

pub use clean::{Piece, TAB, pieces, sanitize};
pub use fit::{fit, shorten_path, truncate, truncate_middle, truncate_start, width, wrap, wrapped};
pub use style::{Layer, styled};
