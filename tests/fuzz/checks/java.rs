//! Checks of Java source: finds the outline, the chunks, and the dependencies of each definition.

use evoscope::benchmark::{Language, RepoPath};
use evoscope::code::{JavaProject, chunks, outline};
use evoscope::error::Cancel;
use evoscope::history::Snapshot;

/// Runs the checks, and panics if one fails.
pub fn check(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder for the input");
    std::fs::write(folder.path().join("A.java"), bytes).expect("the input is written");
    let text = String::from_utf8_lossy(bytes);
    for span in chunks(Language::Java, &text) {
        assert!(
            span.first() >= 1 && span.first() <= span.last(),
            "a chunk is not a span of lines"
        );
    }
    let snapshot = Snapshot::folder(folder.path(), &Cancel::default()).expect("the folder reads");
    let project = JavaProject::new(snapshot);
    let path = RepoPath::new("A.java");
    for definition in &outline(Language::Java, bytes).definitions {
        project.dependencies(&path, definition);
    }
}
