//! Runs commands that write a file for the user, each time with a fault at another system call. A fault is an error of
//! the call, or the end of the program at the call. Afterwards the file is the earlier file or the whole new file, and
//! the command has not panicked.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::text;
use crate::call_faults::{Fault, Faults, walk};

const EARLIER: &str = "an earlier file";
/// At how many calls of a command faults are tried by default. No command makes more calls, so every call gets faults.
const USUAL: u64 = 64;

const RESULTS: &str = "{\"namespace\":\"p.f\",\"completion\":\"    return 1\\n\",\"Result\":\"Pass\"}\n\
                       {\"namespace\":\"p.g\",\"completion\":\"    return 2\\n\",\"Result\":\"Fail\"}\n";

#[test]
fn no_failing_call_leaves_a_partial_page() {
    let home = tempfile::tempdir().unwrap();
    let results = home.path().join("results.jsonl");
    fs::write(&results, RESULTS).unwrap();
    let output = home.path().join("page.html");
    let arguments = ["report", path(&results), "--html", path(&output)];
    each_call(home.path(), &arguments, &output);
}

#[test]
fn no_failing_call_leaves_a_partial_picture() {
    let home = tempfile::tempdir().unwrap();
    let output = home.path().join("screen.svg");
    let arguments = ["--screenshot", path(&output), "--size", "80x24"];
    each_call_with("<svg>earlier</svg>", home.path(), &arguments, &output);
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn each_call(home: &Path, arguments: &[&str], output: &Path) {
    each_call_with(EARLIER, home, arguments, output);
}

/// Runs a command once for each fault. The command writes `output`. Before each run, `output` has the text `earlier`.
fn each_call_with(earlier: &str, home: &Path, arguments: &[&str], output: &Path) {
    let faults = Faults::new(home);
    let run = |fault: Fault| {
        fs::write(output, earlier).unwrap();
        let run = Command::new(env!("CARGO_BIN_EXE_evoscope"))
            .args(arguments)
            .env("EVOSCOPE_HOME", home)
            .envs(faults.variables(fault))
            .output()
            .unwrap();
        (run, fs::read_to_string(output).unwrap())
    };
    // Calls are counted from 1, so these two runs have no fault. The first run fills the caches. The second run makes
    // as many calls as each later run.
    run(Fault::Error(0));
    let (first, whole) = run(Fault::Error(0));
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert_ne!(whole, earlier);
    let calls = faults.calls();
    for fault in walk(calls, USUAL) {
        let (ended, left) = run(fault);
        let said = text(&ended.stderr);
        assert!(!said.contains("panicked"), "{fault:?}: {said}");
        assert!(
            left == whole || left == earlier,
            "{fault:?}: the file is incomplete: {said}"
        );
        assert!(
            left == whole || !ended.status.success(),
            "{fault:?}: the command reports success without its file"
        );
    }
    eprintln!("{}: {calls} calls", arguments[0]);
}
