//! Pictures of a screen (`--screenshot`): they change nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use evoscope::benchmark::TaskId;
use evoscope::review::{Change, Decision, ReviewStore, ReviewSubject};
use evoscope::workspace::{AppDirs, OpenOptions, Workspace};

use super::text;
use crate::terminal::fixture;

/// Every file and folder below `folder`, with the contents of the files.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
            found.insert(path, Vec::new());
        } else {
            let contents = fs::read(&path).unwrap();
            found.insert(path, contents);
        }
    }
    found
}

/// Runs `evoscope` with empty folders as the user's home and for temporary files, and `home` as `EVOSCOPE_HOME`.
/// Afterwards these three folders must be as before.
fn unchanged(home: &Path, arguments: &[&str]) -> Output {
    let empty = tempfile::tempdir().unwrap();
    let before = tree(home);
    let output = Command::new(env!("CARGO_BIN_EXE_evoscope"))
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", empty.path())
        .env("TMPDIR", empty.path())
        .env("EVOSCOPE_HOME", home)
        .env("USER", "ben")
        .output()
        .unwrap();
    assert!(tree(home) == before, "{arguments:?} changed EVOSCOPE_HOME");
    assert_eq!(tree(empty.path()), BTreeMap::new(), "{arguments:?}");
    output
}

#[test]
fn no_key_in_a_picture_changes_or_creates_a_file_of_the_user() {
    let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let benchmark = place.path().join("benchmark");
    fixture::write(&benchmark);
    let picture = place.path().join("x.svg");
    let (benchmark, picture) = (benchmark.to_str().unwrap(), picture.to_str().unwrap());
    let with_log = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(&[benchmark.into()], &OpenOptions::default()).unwrap();
    let log = workspace
        .review_log(&AppDirs::under(with_log.path()))
        .unwrap();
    let mut log = ReviewStore::open(&log.path).unwrap();
    let (task, subject) = (TaskId::new("pack.core.first"), ReviewSubject::Requirement);
    let change = Change::Decide(Decision::Accept);
    log.append("shot", &task, &subject, change, 0, 1.0).unwrap();
    for home in [home.path(), with_log.path()] {
        for (path, keys) in [
            (Some(benchmark), "Jyyya"),
            (Some(benchmark), "Ja<bs>u"),
            (Some(benchmark), "5rR<enter>"),
            (Some(benchmark), "ALC"),
            (None, "Jyyya"),
            (Some("sample:java"), "Jyyya"),
        ] {
            let mut arguments = vec!["--screenshot", picture, "--annotator", "shot"];
            arguments.extend(["--keys", keys]);
            arguments.extend(path);
            let output = unchanged(home, &arguments);
            let error = text(&output.stderr);
            assert!(output.status.success(), "{arguments:?}: {error}");
        }
        for arguments in [
            &["demo", "--screenshot", picture, "--keys", "   "][..],
            &["theme", "show", "light", "--screenshot", picture],
        ] {
            let output = unchanged(home, arguments);
            assert!(output.status.success(), "{}", text(&output.stderr));
        }
    }
}
