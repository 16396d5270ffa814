//! Access to the files of a project, for the search for tests; and a function for the ids of tests.

use crate::benchmark::RepoPath;

/// The unchanged files of a project.
pub trait Sources {
    /// The text of a file. `None` if the file cannot be read or is not UTF-8.
    fn text(&self, path: &RepoPath) -> Option<String>;
    /// The files directly in a folder, without the files in its subfolders.
    fn files_in(&self, folder: &str) -> Vec<RepoPath>;
    /// The path of the source file of a Java class. `class` is the qualified name, with `$` before a nested class.
    /// `None` if there is no such file.
    fn java_source(&self, class: &str) -> Option<RepoPath> {
        let _ = class;
        None
    }
}

/// The id of a test without the test's parameters: `a.py::f` for `a.py::f[1-2]`.
pub fn without_parameters(id: &str) -> &str {
    id.split('[').next().unwrap_or(id)
}
