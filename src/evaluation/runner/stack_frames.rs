//! Finds the source files of stack frames, for languages in which a stack frame has only a package and a file name.

use std::collections::HashMap;

use super::report::RunReport;
use crate::benchmark::Language;
use crate::environment::ProjectFiles;

/// The paths of a project's source files.
pub(super) struct SourcePaths {
    /// Key: file name, value: the paths of the source files with this name, from the project's root.
    sources: HashMap<String, Vec<String>>,
}

impl SourcePaths {
    pub fn of(project: &ProjectFiles) -> Self {
        let mut sources: HashMap<String, Vec<String>> = HashMap::new();
        for path in project.paths() {
            if Language::of_path(path.as_str()).is_some() {
                let of_name = sources.entry(path.file_name().to_owned()).or_default();
                of_name.push(path.as_str().to_owned());
            }
        }
        Self { sources }
    }

    /// Replaces the file of each stack frame in the report, such as `a/b/T.java`, with the path of its source file from
    /// the project's root. If there is no such source file, the frame stays unchanged.
    pub fn place_frames(&self, report: &mut RunReport) {
        let failures = report
            .tests
            .values_mut()
            .filter_map(|test| test.failure.as_mut());
        for (file, _, _) in failures.flat_map(|failure| &mut failure.frames) {
            if let Some(path) = self.path_of(file) {
                path.clone_into(file);
            }
        }
    }

    /// The shortest path of a source file that is `inner` or ends with `/` and `inner`. `None` if there is none.
    fn path_of(&self, inner: &str) -> Option<&str> {
        let name = inner.rsplit('/').next()?;
        let below = |path: &&String| {
            let folder = path.strip_suffix(inner);
            folder.is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        };
        let found = self.sources.get(name)?.iter().filter(below);
        found.min_by_key(|path| path.len()).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_frame_is_the_source_in_the_folder_of_its_package() {
        let paths = ["m/src/test/java/a/b/T.java", "m/src/test/java/b/T.java"];
        let sources = HashMap::from([("T.java".to_owned(), paths.map(str::to_owned).to_vec())]);
        let project = SourcePaths { sources };
        assert_eq!(project.path_of("a/b/T.java"), Some(paths[0]));
        assert_eq!(project.path_of("b/T.java"), Some(paths[1]));
        assert_eq!(project.path_of("c/T.java"), None);
    }
}
