//! A generation in the explorer, on a pseudo-terminal, with a server that sends prepared answers.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::pty::Pty;
use super::{PROGRAM, RESTORED};
use crate::generate::server::{Server, answer};

/// An API key that no output and no file may contain.
const KEY: &str = "sk-scripted-0123456789";

/// A server that answers the first eight requests at once, and all other requests when `may` is true.
fn server(may: &Arc<AtomicBool>) -> Server {
    let may = Arc::clone(may);
    Server::start(move |seen| {
        while seen.number >= 8 && !may.load(Ordering::Acquire) {
            thread::sleep(Duration::from_millis(5));
        }
        answer("```python\ndef f():\n    return None\n```")
    })
}

/// The paths of the files that contain `text`, in a folder and its subfolders.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if fs::read(&path).is_ok_and(|own| String::from_utf8_lossy(&own).contains(text)) {
            found.push(path.display().to_string());
        }
    }
    found
}

/// Opens the sample and generates for its first benchmark with `without_context@base`. Returns after eight answers.
fn start(home: &Path, server: &Server) -> Pty {
    let settings = home.join("config");
    fs::create_dir_all(&settings).unwrap();
    let text = format!(
        "[generate]\nendpoint = '{}'\nmodel = 'scripted-model'\n",
        server.endpoint()
    );
    fs::write(settings.join("config.toml"), text).unwrap();
    let variables = HashMap::from([("OPENAI_API_KEY", KEY)]);
    let mut pty = Pty::start(PROGRAM, &[], home, (120, 40), &variables);
    pty.wait_for("1 of 132");
    pty.send("C");
    pty.wait_for("scripted-model");
    pty.send("jjjl");
    pty.wait_for("the 33 listed");
    pty.send("jjjjjjjjjj ");
    pty.wait_for("[x] base");
    pty.send("s");
    pty.wait_for("33 requests to");
    assert!(
        pty.text().contains("with the key in OPENAI_API_KEY"),
        "{}",
        pty.text()
    );
    assert!(
        server.seen().is_empty(),
        "nothing is sent before the user confirms"
    );
    pty.send("\r");
    pty.wait_for("8 of 33");
    pty
}

#[test]
fn a_generation_can_be_paused_and_continued_and_its_completions_are_opened() {
    let home = tempfile::tempdir().unwrap();
    let may = Arc::<AtomicBool>::default();
    let server = server(&may);
    let mut pty = start(home.path(), &server);
    while server.seen().len() < 16 {
        thread::sleep(Duration::from_millis(5));
    }
    pty.send("p");
    pty.wait_for("paused");
    may.store(true, Ordering::Release);
    pty.wait_for("16 of 33");
    pty.settle(Duration::from_millis(500));
    assert_eq!(server.seen().len(), 16, "no request during the pause");
    pty.send("\x1b");
    pty.wait_for("generating 16 of 33, paused");
    pty.send("5G");
    pty.wait_for("scripted-model");
    pty.send("C");
    pty.wait_for("paused");
    pty.send("p");
    pty.wait_for("33 of 33");
    pty.wait_for("R evaluates them");
    pty.send("R");
    pty.wait_for("scripted-model, without context@base");
    pty.send("q");
    assert_eq!(pty.wait_for_end(), 0);
    let written = String::from_utf8_lossy(&pty.written).into_owned();
    for sequence in RESTORED {
        assert!(written.contains(sequence), "not undone: {sequence:?}");
    }
    assert!(!pty.screen().alternate_screen());
    assert_eq!(server.seen().len(), 33, "each request is sent once");
    assert!(server.seen()[0].headers.contains(KEY));
    assert!(!written.contains(KEY));
    assert_eq!(files_with(home.path(), KEY), [""; 0]);
    let folder = home
        .path()
        .join("generated/without_context@base/scripted-model");
    let completions = fs::read_to_string(folder.join("completion.jsonl")).unwrap();
    assert_eq!(completions.lines().count(), 33);
}

#[test]
fn quitting_during_a_generation_asks_first_and_stored_answers_stay() {
    let home = tempfile::tempdir().unwrap();
    let may = Arc::<AtomicBool>::default();
    let server = server(&may);
    let mut pty = start(home.path(), &server);
    pty.send("q");
    pty.wait_for("a generation is in progress");
    pty.send("x");
    pty.wait_for("cancelled");
    pty.send("q");
    assert_eq!(pty.wait_for_end(), 0);
    let folder = home
        .path()
        .join("generated/without_context@base/scripted-model");
    let records = fs::read_to_string(folder.join("records.jsonl")).unwrap();
    assert_eq!(records.lines().count(), 8);
    may.store(true, Ordering::Release);
}
