//! The files that tests are looked up in, and the ids of tests.

use crate::benchmark::RepoPath;

/// The files of a project as written.
pub trait Sources {
    /// The text of a file; `None` where it can't be read or is not UTF-8.
    fn text(&self, path: &RepoPath) -> Option<String>;
    /// The files directly in a folder.
    fn files_in(&self, folder: &str) -> Vec<RepoPath>;
    /// The source that holds a Java class, by its full name.
    fn java_source(&self, class: &str) -> Option<RepoPath> {
        let _ = class;
        None
    }
}

/// An id without its parameters.
pub fn without_parameters(id: &str) -> &str {
    id.split('[').next().unwrap_or(id)
}
