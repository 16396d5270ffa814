use std::fs;
use std::path::Path;

use super::super::repository::tests::History;
use super::*;

const PRODUCTION: &str = "\
diff --git a/p/a.py b/p/a.py
--- a/p/a.py
+++ b/p/a.py
@@ -1,2 +1,5 @@
 x = 1
 y = 2
+
+def f():
+    return x
diff --git a/p/new.py b/p/new.py
new file mode 100755
--- /dev/null
+++ b/p/new.py
@@ -0,0 +1 @@
+z = 3
diff --git a/old.py b/old.py
deleted file mode 100644
--- a/old.py
+++ /dev/null
@@ -1 +0,0 @@
-gone
";

const TESTS: &str = "\
diff --git a/p/a.py b/p/a.py
--- a/p/a.py
+++ b/p/a.py
@@ -1,5 +1,5 @@
-x = 1
+x = 10
 y = 2
 
 def f():
     return x";

fn patch(text: &str) -> Patch<'_> {
    Patch {
        name: "the patch",
        text,
    }
}

fn contents(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>, std::time::SystemTime)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            let changed = entry.metadata().unwrap().modified().unwrap();
            found.push((path.clone(), fs::read(&path).unwrap(), changed));
        }
    }
    found.sort();
    found
}

#[test]
fn patches_are_applied_in_order_and_the_repository_is_not_changed() {
    let history = History::new();
    let files = [
        ("p/a.py", "x = 1\ny = 2\n"),
        ("old.py", "gone\n"),
        ("fixed.py", "k\n"),
    ];
    let base = history.commit(&files, &[], "base");
    // The repository already has an object that the patches create. The file of this object must not change.
    history.blob(b"z = 3\n");
    let before = contents(history.folder.path());
    let tree = history
        .open()
        .patched(base, &[patch(PRODUCTION), patch(TESTS)])
        .unwrap();
    let paths: Vec<_> = tree
        .entries()
        .iter()
        .map(|entry| (entry.path.as_str(), entry.executable))
        .collect();
    assert_eq!(
        paths,
        [("fixed.py", false), ("p/a.py", false), ("p/new.py", true)]
    );
    let text = |path| tree.read_path(&RepoPath::new(path)).unwrap().unwrap();
    assert_eq!(
        &*text("p/a.py"),
        b"x = 10\ny = 2\n\ndef f():\n    return x\n"
    );
    assert_eq!(
        (&*text("p/new.py"), &*text("fixed.py")),
        (&b"z = 3\n"[..], &b"k\n"[..])
    );
    assert_eq!(tree.commit(), None);
    assert_eq!(contents(history.folder.path()), before);
}

#[test]
fn a_patch_that_does_not_apply_is_reported_with_file_and_hunk() {
    let history = History::new();
    let base = history.commit(
        &[("p/a.py", "x = 2\ny = 2\n"), ("old.py", "gone\n")],
        &[],
        "base",
    );
    let why = history
        .open()
        .patched(base, &[patch(PRODUCTION)])
        .unwrap_err();
    let text = why.to_string();
    assert!(text.contains("p/a.py, hunk '@@ -1,2 +1,5 @@'"), "{text}");
    let base = history.commit(&[("old.py", "gone\n")], &[], "other");
    let text = history
        .open()
        .patched(base, &[patch(PRODUCTION)])
        .unwrap_err()
        .to_string();
    assert!(text.contains("p/a.py"), "{text}");
    let text = history
        .open()
        .patched(base, &[patch("no patch")])
        .unwrap_err()
        .to_string();
    assert!(text.contains("the patch cannot be read"), "{text}");
}

#[test]
fn line_endings_are_retained_and_other_files_may_be_missing_from_the_clone() {
    let history = History::new();
    let text = history.blob(b"a\r\nb\r\n");
    let absent = BlobId::of(b"never stored").unwrap();
    let tree = history.raw_tree(&[(b"a.txt", 0o100_644, text), (b"big", 0o100_644, absent)]);
    let base = history.commit_tree(tree, &[], "one");
    let change =
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-a\r\n+c\r\n b\r\n";
    let tree = history.open().patched(base, &[patch(change)]).unwrap();
    let text = tree.read_path(&RepoPath::new("a.txt")).unwrap().unwrap();
    assert_eq!(&*text, b"c\r\nb\r\n");
    assert!(tree.lacks(absent) && !tree.lacks(tree.blob_at(&RepoPath::new("a.txt")).unwrap()));
    assert!(tree.read(absent).is_err());
}

#[test]
fn a_hunk_is_applied_where_its_lines_are_found() {
    let history = History::new();
    let base = history.commit(
        &[
            ("p/a.py", "# one\n# two\nx = 1\ny = 2\n"),
            ("old.py", "gone\n"),
        ],
        &[],
        "base",
    );
    let files = history
        .open()
        .patched_files(base, &[patch(PRODUCTION)])
        .unwrap();
    let changed = files.iter().find(|file| file.path.as_str() == "p/a.py");
    let changed = changed.unwrap();
    assert_eq!(
        changed.content.as_deref(),
        Some(&b"# one\n# two\nx = 1\ny = 2\n\ndef f():\n    return x\n"[..])
    );
    assert_eq!(changed.added, [5, 6, 7]);
}

#[test]
fn a_unified_diff_without_git_lines_is_applied() {
    let history = History::new();
    let files = [("p/a.py", "x = 1\ny = 2\n"), ("old.py", "gone\n")];
    let base = history.commit(&files, &[], "base");
    let plain = "Index: p/a.py\n=====\n--- p/a.py\t2023-01-01 10:00:00 +0000\n+++ p/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n\
        +x = 3\n y = 2\n--- /dev/null\n+++ b/p/new.py\n@@ -0,0 +1 @@\n+z = 3\n--- a/old.py\n+++ /dev/null\n\
        @@ -1 +0,0 @@\n-gone\n";
    let tree = history.open().patched(base, &[patch(plain)]).unwrap();
    let paths: Vec<_> = tree
        .entries()
        .iter()
        .map(|entry| entry.path.as_str())
        .collect();
    assert_eq!(paths, ["p/a.py", "p/new.py"]);
    let text = tree.read_path(&RepoPath::new("p/a.py")).unwrap().unwrap();
    assert_eq!(&*text, b"x = 3\ny = 2\n");
}

#[test]
fn the_hint_names_the_form_of_a_patch_that_does_not_apply() {
    let history = History::new();
    let base = history.commit(&[("a.py", "x = 1\n"), ("b.png", "old")], &[], "base");
    let crlf = "diff --git a/a.py b/a.py\r\n--- a/a.py\r\n+++ b/a.py\r\n@@ -1 +1 @@\r\n-x = 1\r\n+x = 2\r\n";
    let binary = "diff --git a/b.png b/b.png\nindex 1111111..2222222 100644\nBinary files a/b.png and b/b.png differ\n";
    for (text, hint) in [(crlf, "CRLF"), (binary, "--binary")] {
        let why = history.open().patched(base, &[patch(text)]).unwrap_err();
        assert!(
            why.advice().unwrap().contains(hint),
            "{why}: {:?}",
            why.advice()
        );
    }
}
