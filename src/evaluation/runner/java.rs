//! Support for Java tests: the runner's own Java sources, and the project paths of stack frames.

use std::collections::HashMap;

use include_dir::{Dir, File, include_dir};

use super::report::RunReport;
use crate::benchmark::Language;
use crate::environment::{ProjectFiles, RunnerSource};

static SOURCES: Dir = include_dir!("$CARGO_MANIFEST_DIR/src/evaluation/java/evoscope/runner");

/// The Java sources of the runner. Each environment holds them compiled for its JDK.
pub(in crate::evaluation) fn java_sources() -> Vec<RunnerSource> {
    let mut found: Vec<RunnerSource> = SOURCES.files().filter_map(named).collect();
    found.sort_unstable();
    found
}

fn named(file: &'static File) -> Option<RunnerSource> {
    let name = file.path().file_name()?.to_str()?.strip_suffix(".java")?;
    Some((name, file.contents_utf8()?))
}

/// The Java sources of a project.
pub(super) struct JavaProject {
    /// Paths by file name.
    sources: HashMap<String, Vec<String>>,
}

impl JavaProject {
    pub fn of(project: &ProjectFiles) -> Self {
        let mut sources: HashMap<String, Vec<String>> = HashMap::new();
        for path in project.paths() {
            if Language::of_path(path.as_str()) == Some(Language::Java) {
                let of_name = sources.entry(path.file_name().to_owned()).or_default();
                of_name.push(path.as_str().to_owned());
            }
        }
        Self { sources }
    }

    /// Replaces the files of stack frames by paths relative to the project's root. A JVM knows only package and file
    /// name.
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
    fn a_frame_is_placed_in_the_source_of_its_package() {
        let paths = ["m/src/test/java/a/b/T.java", "m/src/test/java/b/T.java"];
        let sources = HashMap::from([("T.java".to_owned(), paths.map(str::to_owned).to_vec())]);
        let project = JavaProject { sources };
        assert_eq!(project.path_of("a/b/T.java"), Some(paths[0]));
        assert_eq!(project.path_of("b/T.java"), Some(paths[1]));
        assert_eq!(project.path_of("c/T.java"), None);
    }

    #[test]
    fn every_source_is_embedded() {
        let names: Vec<&str> = java_sources().iter().map(|(name, _)| *name).collect();
        assert!(
            names.contains(&"TestRun") && names.contains(&"CompilerService"),
            "{names:?}"
        );
    }
}
