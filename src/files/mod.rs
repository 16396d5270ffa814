//! How files are written for users, so that nothing of theirs is lost.
//!
//! | what | how |
//! | --- | --- |
//! | a page, a picture, a table, the place of the last run | [`replace`]: a temporary file in the same folder, synced, then renamed |
//! | results | [`OwnedFile`]: locked for one process, whole lines at its end |
//!
//! An output never is an input of the same command: [`refuse_inputs`].

mod output;
mod owned;

pub use output::{refuse_inputs, replace};
pub use owned::{OpenedFile, OwnedFile};
