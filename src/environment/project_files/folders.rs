//! Empty folders that a project's tests write into: version control and releases do not hold them.

use std::fs;
use std::path::Path;

use crate::benchmark::RepoPath;

/// The files that make folders before tests are run.
const MAKERS: [&str; 4] = ["Makefile", "makefile", "GNUmakefile", "tox.ini"];

/// The missing folders that the project's own Makefile or `tox.ini` makes by a plain `mkdir` below an existing folder.
pub(super) fn made_by_the_project(root: &Path) -> Vec<RepoPath> {
    let mut found = Vec::new();
    for maker in MAKERS {
        let text = fs::read(root.join(maker)).unwrap_or_default();
        for command in String::from_utf8_lossy(&text).split(['\n', ';', '&']) {
            for path in folders_of(command) {
                let inside = path
                    .split_once('/')
                    .is_some_and(|(top, _)| root.join(top).is_dir());
                let path = RepoPath::new(path);
                if inside && !root.join(&path).exists() && !found.contains(&path) {
                    found.push(path);
                }
            }
        }
    }
    found
}

/// The arguments of a `mkdir`, where all of them are plain paths inside the project.
fn folders_of(command: &str) -> Vec<&str> {
    let command = command
        .split_once("commands =")
        .map_or(command, |(_, command)| command);
    let mut words = command
        .split_whitespace()
        .map(|word| word.trim_start_matches(['@', '-']));
    let first = words.by_ref().find(|word| !word.is_empty());
    let quoted_blank = command
        .split_whitespace()
        .any(|word| word.matches(['"', '\'']).count() % 2 == 1);
    if first != Some("mkdir") || quoted_blank {
        return Vec::new();
    }
    let arguments = command
        .split_whitespace()
        .skip_while(|word| !word.ends_with("mkdir"))
        .skip(1);
    let paths: Vec<&str> = arguments
        .filter(|word| !word.starts_with('-'))
        .map(|word| {
            word.trim_matches(['"', '\''])
                .trim_end_matches('/')
                .trim_start_matches("./")
        })
        .collect();
    if paths.iter().all(|path| is_inside(path)) {
        paths
    } else {
        Vec::new()
    }
}

/// Whether a path is relative, without a way out and without anything that a shell would replace.
pub(super) fn is_inside(path: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._-/ +".contains(c);
    !path.is_empty()
        && !path.starts_with('/')
        && path.chars().all(plain)
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_folder_below_an_existing_one_is_made() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("tests/there")).unwrap();
        let makefile = "all:\n\t@ echo 'new' && mkdir -p tests/db tests/there\n\t-mkdir \"tests/a b\"\n\
                        \t@mkdir -p $(OUT)/x\n\tmkdir -p /tmp/x tests/y\n\tmkdir -p build/html ../up\n\tmkdir dist/x\n";
        fs::write(dir.path().join("Makefile"), makefile).unwrap();
        fs::write(
            dir.path().join("tox.ini"),
            "[testenv]\ncommands = mkdir -p ./tests/out/\n",
        )
        .unwrap();
        let found = made_by_the_project(dir.path());
        let paths: Vec<&str> = found.iter().map(RepoPath::as_str).collect();
        assert_eq!(paths, ["tests/db", "tests/out"]);
    }
}
