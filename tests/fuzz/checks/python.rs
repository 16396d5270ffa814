//! Checks of Python source: outline, chunks, imports, the dependencies of every definition, and the insertion of a
//! completion.

use evoscope::benchmark::{Language, LineSpan, RepoPath};
use evoscope::code::{
    DependencyResolver, Library, Project, adjust_indent, chunks, outline, splice,
};
use evoscope::error::Cancel;
use evoscope::history::Snapshot;

/// Runs the checks, and panics if one fails.
pub fn check(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder for the input");
    // The input is cut at the first NUL into two modules, which can import each other.
    let cut = first_nul(bytes).unwrap_or(bytes.len());
    let (first, second) = (&bytes[..cut], &bytes[(cut + 1).min(bytes.len())..]);
    std::fs::write(folder.path().join("a.py"), first).expect("the input is written");
    std::fs::write(folder.path().join("b.py"), second).expect("the input is written");

    let text = String::from_utf8_lossy(first);
    for span in chunks(Language::Python, &text) {
        assert!(
            span.first() >= 1 && span.first() <= span.last(),
            "a chunk is not a span of lines"
        );
    }
    let snapshot = Snapshot::folder(folder.path(), &Cancel::default()).expect("the folder reads");
    let project = Project::new(snapshot, Library::default(), []);
    let resolver = DependencyResolver::new(&project);
    let path = RepoPath::new("a.py");
    let found = outline(Language::Python, first);
    for definition in &found.definitions {
        for dependency in &resolver.dependencies(&path, definition).found {
            resolver.in_turn(dependency);
        }
    }
    let completion = String::from_utf8_lossy(second);
    for indent in [0, 4, 8] {
        adjust_indent(&completion, indent);
        outline(
            Language::Python,
            &splice(first, LineSpan::line(1), &completion, indent),
        );
    }
}

fn first_nul(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&byte| byte == 0)
}
