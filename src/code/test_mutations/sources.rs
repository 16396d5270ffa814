//! The files in which tests are found, and the ids of tests.

use crate::benchmark::RepoPath;

/// The unchanged files of a project.
pub trait Sources {
    /// The text of a file. `None` if it cannot be read or is not UTF-8.
    fn text(&self, path: &RepoPath) -> Option<String>;
    /// The files directly in a folder, without those in its subfolders.
    fn files_in(&self, folder: &str) -> Vec<RepoPath>;
    /// The source file of a Java class, by its full name.
    fn java_source(&self, class: &str) -> Option<RepoPath> {
        let _ = class;
        None
    }
}

/// The id without the parameters of the test.
pub fn without_parameters(id: &str) -> &str {
    id.split('[').next().unwrap_or(id)
}
