//! Modules that are carried into a sandbox as code, by the first lines of the warden's own program.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use evoscope::evaluation::Interpreter;

use crate::fixture::local;

const BOOT: &str = include_str!("../../src/evaluation/python/boot.py");
const CARRIED: &str = include_str!("../../src/evaluation/python/carried.py");

/// What a module holds, and its form for another time where it had to be looked for.
fn loaded(folder: &Path, verified: bool, carried: &[u8]) -> (String, String) {
    let Interpreter::Host { python, .. } = local().unwrap().1.interpreter else {
        panic!("no interpreter of this machine");
    };
    let path = folder.to_str().unwrap();
    let program = format!(
        "{CARRIED}\nsys.path.insert(0, {path:?})\nimport held\nprint(held.VALUE, CARRYING.end().get('held', ''))\n"
    );
    let mut input = Vec::new();
    let number = |number: usize| u32::try_from(number).unwrap().to_be_bytes();
    input.extend(number(0));
    input.extend(number(program.len()));
    input.extend(program.as_bytes());
    input.extend(number(usize::from(verified)));
    input.extend(number(usize::from(!carried.is_empty())));
    if !carried.is_empty() {
        input.extend(number(carried.len()));
        input.extend(carried);
    }
    let mut child = Command::new(python)
        .args(["-B", "-s", "-S", "-c", BOOT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let (value, told) = text.trim_end_matches('\n').split_once(' ').unwrap();
    (value.to_owned(), told.to_owned())
}

/// A module's code is used again, but not when its file is another one by now.
pub fn held_against_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("held.py");
    fs::write(&file, "VALUE = 1\n").unwrap();
    let (value, told) = loaded(folder.path(), true, b"");
    assert_eq!(value, "1");
    let carried = STANDARD.decode(told).unwrap();
    let known = ("1".to_owned(), String::new());
    assert_eq!(loaded(folder.path(), true, &carried), known);
    fs::write(&file, "VALUE = 22\n").unwrap();
    let (value, told) = loaded(folder.path(), true, &carried);
    assert_eq!(value, "22");
    assert!(!told.is_empty(), "what is new is told");
    // Where files cannot change, they are not looked at.
    assert_eq!(loaded(folder.path(), false, &carried), known);
}
