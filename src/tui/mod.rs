//! The screens: state, messages, update, effects; views; keymap; theme; terminal.

pub mod aligned;
pub mod chart;
pub mod highlight;
pub mod screenshot;
pub mod text;
pub mod theme;
