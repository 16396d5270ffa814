//! The screens: state, messages, update, effects; views; keymap; theme; terminal.

pub mod text;
pub mod theme;
