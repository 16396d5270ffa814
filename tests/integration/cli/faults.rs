//! Commands that write a file for the user, with a fault at each of their calls: the file is the earlier one or the whole
//! new one, and no run panics.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::text;
use crate::call_faults::{Fault, Faults, walk};

const EARLIER: &str = "an earlier file";
/// More than any of these commands makes: an ordinary run of the tests tries every call too.
const USUAL: u64 = 64;

const RESULTS: &str = "{\"namespace\":\"p.f\",\"completion\":\"    return 1\\n\",\"Result\":\"Pass\"}\n\
                       {\"namespace\":\"p.g\",\"completion\":\"    return 2\\n\",\"Result\":\"Fail\"}\n";

#[test]
fn no_failing_call_tears_a_page() {
    let home = tempfile::tempdir().unwrap();
    let results = home.path().join("results.jsonl");
    fs::write(&results, RESULTS).unwrap();
    let output = home.path().join("page.html");
    let arguments = ["report", path(&results), "--html", path(&output)];
    each_call(home.path(), &arguments, &output);
}

#[test]
fn no_failing_call_tears_a_picture() {
    let home = tempfile::tempdir().unwrap();
    let output = home.path().join("screen.svg");
    let arguments = ["--screenshot", path(&output), "--size", "80x24"];
    each_call(home.path(), &arguments, &output);
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs a command that writes `output`, with every fault in turn.
fn each_call(home: &Path, arguments: &[&str], output: &Path) {
    let faults = Faults::new(home);
    let run = |fault: Fault| {
        fs::write(output, EARLIER).unwrap();
        let run = Command::new(env!("CARGO_BIN_EXE_evoscope"))
            .args(arguments)
            .env("EVOSCOPE_HOME", home)
            .envs(faults.variables(fault))
            .output()
            .unwrap();
        (run, fs::read_to_string(output).unwrap())
    };
    // The first run makes caches; the second counts the calls of those that follow.
    run(Fault::Error(0));
    let (first, whole) = run(Fault::Error(0));
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert_ne!(whole, EARLIER);
    let calls = faults.calls();
    for fault in walk(calls, USUAL) {
        let (ended, left) = run(fault);
        let said = text(&ended.stderr);
        assert!(!said.contains("panicked"), "{fault:?}: {said}");
        assert!(
            left == whole || left == EARLIER,
            "{fault:?}: the file is torn: {said}"
        );
        assert!(
            left == whole || !ended.status.success(),
            "{fault:?}: the command reports success without its file"
        );
    }
    eprintln!("{}: {calls} calls", arguments[0]);
}
