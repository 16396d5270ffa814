//! Converts unified diffs without `diff --git` lines, as `diff -u`, Subversion and Mercurial write them, to git's format,
//! because libgit2 reads only this format. The names of files are understood as `git apply` understands them.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::hunk_offsets::{Hunk, hunk_lines};

/// The name of a missing file.
const NOTHING: &str = "/dev/null";
/// The prefixes that git writes before paths.
const PREFIXES: [&str; 6] = ["a", "b", "c", "i", "o", "w"];

/// The patch with a `diff --git` line before each file that has none. Lines before a file's header, such as `Index:`
/// and `diff -u` lines, stay. `exists` returns whether there is a file or a folder at a path before the patch.
pub(super) fn in_git_format(patch: &str, exists: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let lines: Vec<&str> = patch.split_inclusive('\n').collect();
    let mut out = String::with_capacity(patch.len());
    let (mut has_git_line, mut changed) = (false, false);
    let mut at = 0;
    while let Some(&line) = lines.get(at) {
        if line.starts_with("diff --git ") {
            has_git_line = true;
        } else if let Some(hunk) = Hunk::of(line) {
            let end = at + 1 + hunk_lines(&hunk, &lines[at + 1..]);
            out.extend(lines[at..end].iter().copied());
            has_git_line = false;
            at = end;
            continue;
        } else if !has_git_line && let Some(header) = header(&lines[at..], &exists) {
            out.push_str(&header);
            changed = true;
            at += 2;
            continue;
        }
        out.push_str(line);
        at += 1;
    }
    if changed {
        Cow::Owned(out)
    } else {
        Cow::Borrowed(patch)
    }
}

/// The header in git's format, if `lines` begin with `---` and `+++` lines and a hunk. `None` if they do not, or if a
/// name is quoted.
fn header(lines: &[&str], exists: &impl Fn(&str) -> bool) -> Option<String> {
    let (old, new) = (lines.first()?, lines.get(1)?);
    let (old, new) = (old.strip_prefix("--- ")?, new.strip_prefix("+++ ")?);
    Hunk::of(lines.get(2)?)?;
    let (old, new) = (name(old), name(new));
    let path = match (old, new) {
        (NOTHING, NOTHING) => return None,
        (NOTHING, new) => new_path(new, exists),
        (old, NOTHING) => old_path(old, !has_prefix(old), exists).unwrap_or_else(|| stripped(old)),
        (old, new) => {
            // The name of a backup, such as `a.py.orig`, is the longer one.
            let names = if new.starts_with(old) {
                [old, new]
            } else {
                [new, old]
            };
            let known = names
                .iter()
                .find_map(|name| old_path(name, old == new, exists));
            known.unwrap_or_else(|| stripped(names[0]))
        }
    };
    if path.is_empty() || path.starts_with('"') {
        return None;
    }
    let mut header = format!("diff --git a/{path} b/{path}\n");
    header.push_str(match (old, new) {
        (NOTHING, _) => "new file mode 100644\n",
        (_, NOTHING) => "deleted file mode 100644\n",
        _ => "",
    });
    let side = |name, prefix| match name {
        NOTHING => NOTHING.to_owned(),
        _ => format!("{prefix}/{path}"),
    };
    let _ = write!(header, "--- {}\n+++ {}\n", side(old, "a"), side(new, "b"));
    Some(header)
}

/// The name in a `---` or `+++` line, without a time stamp. A time stamp of 1970 marks a missing file.
fn name(line: &str) -> &str {
    let line = line.trim_end();
    let (name, stamp) = match line.split_once('\t') {
        Some((name, stamp)) => (name, stamp),
        None => match time_stamp(line) {
            Some(at) => line.split_at(at),
            None => (line, ""),
        },
    };
    let stamp = stamp.trim_start();
    let epoch = stamp.starts_with("1970-01-01 00:00:00") || stamp.starts_with("1969-12-31 ");
    if epoch { NOTHING } else { name.trim_end() }
}

/// The index at which a time stamp such as ` 2023-01-01 10:00:00` begins.
fn time_stamp(line: &str) -> Option<usize> {
    const SHAPE: &[u8] = b" 0000-00-00 00:00";
    let is_stamp = |part: &[u8]| {
        part.iter().zip(SHAPE).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            shape => byte == shape,
        })
    };
    line.as_bytes().windows(SHAPE.len()).position(is_stamp)
}

/// The path of an existing file: the name without its first folder, or the whole name. The whole name comes first if it
/// has no prefix (`bare`). `None` if neither exists.
fn old_path<'n>(name: &'n str, bare: bool, exists: &impl Fn(&str) -> bool) -> Option<&'n str> {
    let mut paths = [stripped(name), name.trim_start_matches("./")];
    if bare {
        paths.reverse();
    }
    paths.into_iter().find(|path| exists(path))
}

/// The path of a new file. Its name begins with a prefix such as `b/`, or with a folder that the project may have.
fn new_path<'n>(name: &'n str, exists: &impl Fn(&str) -> bool) -> &'n str {
    let whole = name.trim_start_matches("./");
    let top = whole.split_once('/').map(|(top, _)| top);
    match top {
        Some(top) if !has_prefix(name) && exists(top) => whole,
        Some(_) => stripped(name),
        None => whole,
    }
}

/// Whether a name begins with a prefix of git.
fn has_prefix(name: &str) -> bool {
    let top = name.split_once('/').map(|(top, _)| top);
    top.is_some_and(|top| PREFIXES.contains(&top))
}

/// The name without its first folder. The whole name if there is no folder.
fn stripped(name: &str) -> &str {
    match name.split_once('/') {
        Some((_, rest)) => rest.trim_start_matches('/'),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(patch: &str) -> String {
        let exists = |path: &str| matches!(path, "p" | "p/a.py" | "a.py");
        in_git_format(patch, exists).into_owned()
    }

    #[test]
    fn each_plain_header_gets_a_git_line() {
        for (old, new, path) in [
            ("a/p/a.py", "b/p/a.py", "p/a.py"),
            ("p/a.py", "p/a.py", "p/a.py"),
            ("./p/a.py", "./p/a.py", "p/a.py"),
            (
                "p/a.py\t2023-01-01 10:00:00 +0100",
                "p/a.py\t(working copy)",
                "p/a.py",
            ),
            (
                "old/p/a.py 2023-01-01 10:00:00",
                "new/p/a.py 2023-01-01 10:00",
                "p/a.py",
            ),
            ("a.py.orig", "a.py", "a.py"),
            ("a.py\r", "a.py\r", "a.py"),
        ] {
            let patch =
                format!("Index: x\n=====\n--- {old}\n+++ {new}\n@@ -1 +1 @@\n--- b\n+++ c\n");
            let expected = format!(
                "Index: x\n=====\ndiff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n--- b\n+++ c\n"
            );
            assert_eq!(converted(&patch), expected, "{old}");
        }
    }

    #[test]
    fn new_and_deleted_files_are_marked() {
        let new = converted("--- /dev/null\n+++ p/new.py\n@@ -0,0 +1 @@\n+x\n");
        assert!(new.starts_with("diff --git a/p/new.py b/p/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/p/new.py\n"));
        let new = converted(
            "--- a/q/n.py\t1970-01-01 00:00:00.000 +0000\n+++ b/q/n.py\n@@ -0,0 +1 @@\n+x\n",
        );
        assert!(
            new.starts_with("diff --git a/q/n.py b/q/n.py\nnew file mode"),
            "{new}"
        );
        let gone = converted("--- p/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
        assert!(
            gone.contains("deleted file mode 100644\n--- a/p/a.py\n+++ /dev/null\n"),
            "{gone}"
        );
    }

    #[test]
    fn a_patch_in_git_format_and_other_text_stay() {
        let git = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n--- b\n+++ c\n";
        assert!(matches!(in_git_format(git, |_| true), Cow::Borrowed(_)));
        let plain = format!("{git}--- p/a.py\n+++ p/a.py\n@@ -1 +1 @@\n-b\n+c\n");
        let both = converted(&plain);
        assert_eq!(both.matches("diff --git").count(), 2, "{both}");
        assert_eq!(converted("--- no\n+++ patch\n"), "--- no\n+++ patch\n");
    }
}
