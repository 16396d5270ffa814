//! Runs `generate` with a fault at one of its system calls, and then again without a fault. The second run must retain
//! the recorded answers, request only the missing answers, and complete the folder.

use std::fs;

use serde_json::Value;

use super::server::{Server, answer};
use super::{Place, TASK, lines, text};
use crate::call_faults::{Fault, Faults, walk};

/// How many system calls fail, one in each run of `generate`, when the tests are run in the usual way.
const USUAL: u64 = 8;
const SAMPLES: usize = 3;
const ARGUMENTS: [&str; 8] = [
    "--setting",
    "without_context",
    "--task",
    TASK,
    "--samples",
    "3",
    "--jobs",
    "1",
];

#[test]
fn no_failing_call_loses_an_answer() {
    let place = Place::new();
    let server = Server::start(|_| answer("```python\ndef x():\n    return 1\n```"));
    let faults = Faults::new(place.home.path());
    // The first run fills the caches. The second run makes as many calls as each later run.
    for _ in 0..2 {
        assert_eq!(generate(&place, &server, &faults, Fault::Error(0)), SAMPLES);
    }
    let calls = faults.calls();
    for fault in walk(calls, USUAL) {
        generate(&place, &server, &faults, fault);
    }
    eprintln!("generate: {calls} calls");
}

/// Runs `generate` with a fault, and then again without a fault. Returns how many answers the first run recorded.
fn generate(place: &Place, server: &Server, faults: &Faults, fault: Fault) -> usize {
    let _ = fs::remove_dir_all(place.out());
    let endpoint = server.endpoint();
    let run = place
        .command(&endpoint, &ARGUMENTS)
        .envs(faults.variables(fault))
        .output()
        .unwrap();
    let said = text(&run.stderr);
    assert!(!said.contains("panicked"), "{fault:?}: {said}");
    let records = set_folder(place).join("records.jsonl");
    let before = fs::read_to_string(&records).unwrap_or_default();
    let whole = before.rfind('\n').map_or(0, |at| at + 1);
    assert!(
        whole == before.len() || matches!(fault, Fault::Kill(_)),
        "{fault:?}: a record is incomplete"
    );
    let recorded = before[..whole].lines().count();
    let asked = server.seen().len();
    let again = place.generate(&endpoint, &ARGUMENTS);
    assert!(again.status.success(), "{fault:?}: {}", text(&again.stderr));
    assert_eq!(
        server.seen().len() - asked,
        SAMPLES - recorded,
        "{fault:?}: only the missing answers are requested"
    );
    let folder = set_folder(place);
    let after = fs::read_to_string(folder.join("records.jsonl")).unwrap();
    assert!(
        after.starts_with(&before[..whole]),
        "{fault:?}: a record was lost"
    );
    let completions: Vec<Value> = lines(&folder.join("completion.jsonl"));
    assert_eq!(completions.len(), SAMPLES, "{fault:?}");
    recorded
}

/// The folder of the only completion set, or the folder of the setting if there is no set yet.
fn set_folder(place: &Place) -> std::path::PathBuf {
    let setting = place.out().join("without_context");
    let first = fs::read_dir(&setting)
        .into_iter()
        .flatten()
        .flatten()
        .next();
    first.map_or(setting, |entry| entry.path())
}
