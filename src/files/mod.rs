//! Reads files of other programs and writes files for users, so that nothing else is read and nothing is lost.
//!
//! | what | how |
//! | --- | --- |
//! | a file that was named, or found in a benchmark's folder | [`open`]: only regular files, so that no pipe or device blocks |
//! | a file of a project | [`open_beneath`], [`read_beneath`]: never out of the project, whatever links say; with a size limit |
//! | a page, a picture, a table, the place of the last run | [`replace`]: a temporary file in the same folder, synced, then renamed |
//! | results | [`OwnedFile`]: locked for one process, whole lines at its end |
//!
//! Databases are SQLite files. [`database_hint`] gives hints for their errors, and a cache leaves [`CACHE_RESERVE`]
//! free. An output is never an input of the same command: [`refuse_inputs`].

mod database;
mod input;
mod output;
mod owned;

pub use database::{CACHE_RESERVE, database_hint, has_free_space, retry_while_busy};
pub use input::{
    LARGEST_SOURCE, is_file_beneath, is_folder_beneath, open, open_beneath, read, read_beneath,
    read_text, too_large,
};
pub use output::{refuse_inputs, replace};
pub use owned::{OpenedFile, OwnedFile};
