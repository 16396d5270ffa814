//! Empty folders that a project's tests write into. Version control and releases do not contain them.

use crate::benchmark::RepoPath;
use crate::history::SourceTree;

/// The folders that the project's Makefile creates with `mkdir -p`, if they do not exist yet and are inside an existing
/// top-level folder. A path with shell variables or quotes is ignored.
pub(super) fn made_by_the_project(tree: &SourceTree) -> Vec<RepoPath> {
    let makefile = tree.read("Makefile").unwrap_or_default();
    let makefile = String::from_utf8_lossy(&makefile);
    let commands = makefile.split(['\n', ';', '&']);
    let commands = commands.map(|command| command.trim_start().trim_start_matches(['@', '-', ' ']));
    let arguments = commands.filter_map(|command| command.strip_prefix("mkdir -p "));
    let paths = arguments.flat_map(str::split_whitespace);
    let missing = paths.filter(|path| {
        let top = path.split_once('/').map(|(top, _)| top);
        is_inside(path) && top.is_some_and(|top| tree.is_folder(top)) && !tree.has(path)
    });
    let mut found: Vec<RepoPath> = missing.map(RepoPath::new).collect();
    found.sort();
    found.dedup();
    found
}

/// Whether a path is relative, has no component `.`, `..` or "", and contains no characters that a shell would expand.
pub(super) fn is_inside(path: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._-/ +".contains(c);
    !path.is_empty()
        && !path.starts_with('/')
        && path.chars().all(plain)
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_a_plain_path_below_an_existing_folder_is_found() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("tests/there")).unwrap();
        let makefile = "all:\n\t@ echo 'new' && mkdir -p tests/db tests/there\n\t-mkdir -p \"tests/a b\"\n\
                        \t@mkdir -p $(OUT)/x\n\tmkdir -p /tmp/x tests/y\n\tmkdir -p build/html ../up\n\
                        \tmkdir -p dist/x\n";
        fs::write(dir.path().join("Makefile"), makefile).unwrap();
        let found = made_by_the_project(&dir.path().into());
        let paths: Vec<&str> = found.iter().map(RepoPath::as_str).collect();
        assert_eq!(paths, ["tests/db", "tests/y"]);
    }
}
