//! Who may import whom: each room knows only the rooms above it in the list of `src/lib.rs`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms in the order of the house; `cli` and `tui` share the last floor and do not know each other.
const ROOMS: [&str; 13] = [
    "error",
    "benchmark",
    "history",
    "code",
    "context",
    "environment",
    "evaluation",
    "metrics",
    "review",
    "workspace",
    "report",
    "cli",
    "tui",
];

/// The doors between the faces: the command line starts the explorer and checks its themes, and learns nothing else
/// of it.
const DOORS: [&str; 2] = ["cli/explore.rs", "cli/theme.rs"];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

fn room_of(src: &Path, file: &Path) -> Option<String> {
    let inside = file.strip_prefix(src).ok()?;
    let first = inside.components().next()?.as_os_str().to_str()?;
    let name = first.trim_end_matches(".rs");
    ROOMS.contains(&name).then(|| name.to_owned())
}

/// The rooms that a line of code names as `crate::room` or in `use crate::{room::…, …}`.
fn named_rooms(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        for (at, _) in code.match_indices("crate::") {
            let rest = &code[at + "crate::".len()..];
            let end = rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len());
            assert!(
                !rest.starts_with('{'),
                "line {}: write one `use crate::room::…` a room, so that this test can read it",
                number + 1
            );
            found.push((number + 1, &rest[..end]));
        }
    }
    found
}

#[test]
fn each_room_knows_only_the_rooms_above_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let mut breaches = Vec::new();
    for file in &files {
        let Some(room) = room_of(&src, file) else {
            continue;
        };
        let floor = ROOMS.iter().position(|name| *name == room).unwrap();
        let text = fs::read_to_string(file).unwrap();
        for (line, named) in named_rooms(&text) {
            let Some(other) = ROOMS.iter().position(|name| *name == named) else {
                continue;
            };
            let faces = room != named
                && [room.as_str(), named]
                    .iter()
                    .all(|r| ["cli", "tui"].contains(r));
            let door = faces && named == "tui" && DOORS.iter().any(|door| file.ends_with(door));
            if (other > floor || faces) && !door {
                breaches.push(format!("{}:{line}: {room} imports {named}", file.display()));
            }
        }
    }
    assert!(files.len() > 10, "found only {} files", files.len());
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}
