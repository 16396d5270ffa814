//! Finds the files of the project that a file imports.

use rustc_hash::FxHashMap;
use tree_sitter::{Node, TreeCursor};

use super::project::{ModuleRef, Project};
use super::syntax;
use crate::benchmark::{Language, RepoPath};
use crate::history::Snapshot;

/// The project's files that `source`, the file at `path`, imports. Each is listed once, in the order of the imports.
/// Imports inside functions count too. For a package, its `__init__.py` is listed. Modules outside the project are left
/// out.
pub fn imported_files(
    language: Language,
    snapshot: &Snapshot,
    path: &RepoPath,
    source: &[u8],
) -> Vec<RepoPath> {
    let Some(tree) = syntax::parse(language, source) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    match language {
        Language::Python => {
            let project = Project::new(snapshot.clone(), super::Library::default(), []);
            let resolve = |statement: Node| python(&project, path, source, statement);
            each_import(&tree.root_node(), |node| found.extend(resolve(node)));
        }
        Language::Java => {
            let classes = classes_by_name(snapshot);
            let resolve = |statement: Node| java(&classes, source, statement);
            each_import(&tree.root_node(), |node| found.extend(resolve(node)));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|file| file != path && seen.insert(file.clone()));
    found
}

/// Visits every import statement, without recursion.
fn each_import(root: &Node, mut visit: impl FnMut(Node)) {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let is_import = matches!(
            node.kind(),
            "import_statement" | "import_from_statement" | "import_declaration"
        );
        if is_import {
            visit(node);
        }
        if !is_import && cursor.goto_first_child() {
            continue;
        }
        if !next_after(&mut cursor) {
            return;
        }
    }
}

fn next_after(cursor: &mut TreeCursor) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}

fn text<'s>(source: &'s [u8], node: Node) -> &'s str {
    source
        .get(node.byte_range())
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .unwrap_or_default()
}

/// The name in an item of an import statement, without its alias.
fn plain_name<'s>(source: &'s [u8], item: Node) -> &'s str {
    let named = match item.kind() {
        "aliased_import" => item.child_by_field_name("name").unwrap_or(item),
        _ => item,
    };
    text(source, named)
}

fn python(project: &Project, path: &RepoPath, source: &[u8], statement: Node) -> Vec<RepoPath> {
    let Some(file) = project.file_at(path) else {
        return Vec::new();
    };
    let mut cursor = statement.walk();
    let names: Vec<&str> = statement
        .children_by_field_name("name", &mut cursor)
        .map(|item| plain_name(source, item))
        .collect();
    let Some(module) = statement.child_by_field_name("module_name") else {
        let modules = names
            .iter()
            .filter_map(|name| project.import(file, name, 0));
        return modules
            .filter_map(|module| file_of(project, module))
            .collect();
    };
    let written = text(source, module);
    let dotted = written.trim_start_matches('.');
    let level = u32::try_from(written.len() - dotted.len()).unwrap_or(0);
    let Some(from) = project.import(file, dotted.trim(), level) else {
        return Vec::new();
    };
    let mut files: Vec<RepoPath> = file_of(project, from).into_iter().collect();
    let inside = names
        .iter()
        .filter_map(|name| project.submodule(from, name));
    files.extend(inside.filter_map(|module| file_of(project, module)));
    files
}

fn file_of(project: &Project, module: ModuleRef) -> Option<RepoPath> {
    match module {
        ModuleRef::File(file) => Some(project.path(file).clone()),
        ModuleRef::Folder(_) => None,
    }
}

/// The project's Java files, by the parts of their dotted paths that end in the class name: `a.b.C`, `b.C`, `C`.
fn classes_by_name(snapshot: &Snapshot) -> FxHashMap<String, RepoPath> {
    let mut classes = FxHashMap::default();
    for entry in snapshot.entries() {
        let Some(stem) = entry.path.as_str().strip_suffix(".java") else {
            continue;
        };
        let dotted = stem.replace('/', ".");
        let tails = dotted.match_indices('.').map(|(at, _)| &dotted[at + 1..]);
        for tail in std::iter::once(dotted.as_str()).chain(tails) {
            classes
                .entry(tail.to_owned())
                .or_insert_with(|| entry.path.clone());
        }
    }
    classes
}

/// The file of an imported class. For a static import, the file of the class that has the member. Empty for a whole
/// package.
fn java(classes: &FxHashMap<String, RepoPath>, source: &[u8], statement: Node) -> Vec<RepoPath> {
    let mut cursor = statement.walk();
    let whole_package = statement
        .children(&mut cursor)
        .any(|child| child.kind() == "asterisk");
    let Some(name) = statement.named_child(0).filter(|_| !whole_package) else {
        return Vec::new();
    };
    let dotted = text(source, name);
    let owner = dotted.rsplit_once('.').map(|(owner, _)| owner);
    std::iter::once(dotted)
        .chain(owner)
        .filter(|name| name.contains('.'))
        .find_map(|name| classes.get(name).cloned())
        .into_iter()
        .collect()
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
    fn every_form_of_python_import_names_its_files_once() {
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
    fn java_imports_name_classes_and_owners_of_static_members() {
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
