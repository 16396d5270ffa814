//! Finds the project's files that a file imports.

use super::language::support;
use super::parse::parse;
use crate::benchmark::{Language, RepoPath};
use crate::history::Snapshot;

/// The project's files that the file at `path` with the content `source` imports. Each file is listed once, in the
/// order of the imports. Imports inside functions count too. For a package, its `__init__.py` is listed. The file
/// itself and modules outside the project are left out. The result is empty if the file exceeds the limits of the
/// parser.
pub fn imported_files(
    language: Language,
    snapshot: &Snapshot,
    path: &RepoPath,
    source: &[u8],
) -> Vec<RepoPath> {
    let Some(tree) = parse(language, source) else {
        return Vec::new();
    };
    let mut found = support(language).imported_files(snapshot, path, source, &tree);
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|file| file != path && seen.insert(file.clone()));
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::error::Cancel;

    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Snapshot) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = dir.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let snapshot = Snapshot::folder(dir.path(), &Cancel::default()).unwrap();
        (dir, snapshot)
    }

    fn names(found: &[RepoPath]) -> Vec<&str> {
        found.iter().map(RepoPath::as_str).collect()
    }

    #[test]
    fn every_kind_of_python_import_is_followed_and_each_file_is_listed_once() {
        let (_dir, snapshot) = project(&[
            ("pkg/__init__.py", ""),
            ("pkg/a.py", "A = 1\n"),
            ("pkg/b.py", ""),
            ("pkg/sub/__init__.py", ""),
            ("pkg/sub/c.py", ""),
        ]);
        let source = b"import os\nfrom . import a\nimport pkg.b as b, sys\nfrom pkg.a import A\n\
            def f():\n    from .sub.c import nothing as it\n    import json\n";
        let found = imported_files(
            Language::Python,
            &snapshot,
            &RepoPath::new("pkg/b.py"),
            source,
        );
        assert_eq!(
            names(&found),
            ["pkg/__init__.py", "pkg/a.py", "pkg/sub/c.py"]
        );
    }

    #[test]
    fn java_imports_lead_to_classes_and_to_owners_of_static_members() {
        let (_dir, snapshot) = project(&[
            (
                "src/main/java/org/x/Ring.java",
                "package org.x; class Ring {}",
            ),
            (
                "src/main/java/org/x/Log.java",
                "package org.x; class Log {}",
            ),
        ]);
        let source = b"package org.y;\nimport org.x.Ring;\nimport static org.x.Log.write;\n\
            import java.util.*;\nclass Y {}\n";
        let path = RepoPath::new("src/main/java/org/y/Y.java");
        let found = imported_files(Language::Java, &snapshot, &path, source);
        assert_eq!(
            names(&found),
            [
                "src/main/java/org/x/Ring.java",
                "src/main/java/org/x/Log.java"
            ]
        );
    }
}
