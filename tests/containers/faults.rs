//! `evaluate` with a fault at one of its system calls. The result file contains every verdict that `evaluate` printed.
//! A second run of the same command has all results.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use evoscope::evaluation::SandboxKind;
use serde_json::Value;

use crate::call_faults::{Fault, Faults, walk};
use crate::resumed::{Place, bodies, expected, left_behind, run_through};

/// How many of the system calls get a fault, unless `EVOSCOPE_TEST_FAULTS` is set.
const USUAL: u64 = 8;

pub fn none_loses_a_result(kind: SandboxKind) {
    // One sandbox is enough, because the faults are in Evoscope's own calls.
    if kind != SandboxKind::Local {
        return;
    }
    let bodies = bodies(3);
    let place = Place::new(&bodies);
    let faults = Faults::new(place.home.path());
    // The first run builds the environment. The second run has no fault and counts the calls.
    assert!(place.command(kind).status().unwrap().success());
    run(&place, kind, &faults, Fault::Error(0), &expected(&bodies));
    let walked = walk(faults.calls(), USUAL);
    for &fault in &walked {
        run(&place, kind, &faults, fault, &expected(&bodies));
    }
    eprintln!(
        "evaluate: {} calls, {} faults",
        faults.calls(),
        walked.len()
    );
}

/// The disk of the `state` folder has space for the verdicts, but for no cache.
pub fn a_full_disk_loses_no_verdict(kind: SandboxKind) {
    if kind != SandboxKind::Local {
        return;
    }
    let bodies = bodies(3);
    let place = Place::new(&bodies);
    assert!(place.command(kind).status().unwrap().success());
    forget(&place);
    let state = place.home.path().join("state");
    fs::create_dir_all(&state).unwrap();
    let command = place.command(kind);
    // Mounts a small file system at `state`, which only this run sees. At the end, copies the store to the parent
    // folder.
    let script = "mount -t tmpfs -o size=3m none \"$0\" || exit 99; \"$@\"; code=$?; cp \"$0\"/verdicts.sqlite* \"$0\"/..; exit $code";
    // Without root, the mount needs a user namespace.
    let namespaces: &[&str] = if nix::unistd::geteuid().is_root() {
        &["--mount"]
    } else {
        &["--user", "--map-root-user", "--mount"]
    };
    let mut outer = Command::new("unshare");
    outer
        .args(namespaces)
        .args(["sh", "-c", script])
        .arg(&state);
    let ended = run_through(&mut outer, &command)
        .stdout(Stdio::null())
        .stderr(fs::File::create(place.complaints()).unwrap())
        .status()
        .unwrap();
    let said = fs::read_to_string(place.complaints()).unwrap();
    assert!(ended.success(), "{ended}: {said}");
    assert_eq!(place.table(), expected(&bodies), "{said}");
    let store = rusqlite::Connection::open(place.home.path().join("verdicts.sqlite")).unwrap();
    let stored: i64 = store
        .query_row("SELECT count(*) FROM verdicts", [], |row| row.get(0))
        .unwrap();
    assert_eq!(stored, 3, "{said}");
}

fn run(
    place: &Place,
    kind: SandboxKind,
    faults: &Faults,
    fault: Fault,
    expected: &BTreeMap<String, String>,
) {
    forget(place);
    let output = place
        .command(kind)
        .envs(faults.variables(fault))
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    let reported = reported(&output.stdout);
    let said = fs::read_to_string(place.complaints()).unwrap();
    assert!(!said.contains("panicked"), "{fault:?}: {said}");
    let rows = result_rows(place, fault);
    for (completion, verdict) in &reported {
        let found = rows.iter().find(|row| &row["completion"] == completion);
        let found = found.unwrap_or_else(|| {
            panic!("{fault:?}: {completion:?} was reported, and is lost\n{said}")
        });
        assert_eq!(&found["verdict"], verdict, "{fault:?}: {said}");
    }
    let again = place.command(kind).status().unwrap();
    let said = fs::read_to_string(place.complaints()).unwrap();
    assert!(again.success(), "{fault:?}: {said}");
    assert_eq!(&place.table(), expected, "{fault:?}: {said}");
    assert_eq!(left_behind(kind, place, &[]), [""; 0], "{fault:?}");
}

/// Removes the stored verdicts and the results of earlier runs, but not the environment.
fn forget(place: &Place) {
    let state = place.home.path().join("state");
    for folder in fs::read_dir(state).into_iter().flatten().flatten() {
        if folder.file_name().to_string_lossy().contains(".sqlite") {
            fs::remove_file(folder.path()).unwrap();
        }
    }
    let _ = fs::remove_file(place.results());
}

/// (completion, verdict) of each complete printed line. Lines with the verdict `infrastructure` or `unusable` are left
/// out.
fn reported(printed: &[u8]) -> Vec<(Value, Value)> {
    let whole = printed
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    let lines = std::str::from_utf8(&printed[..whole]).unwrap().lines();
    lines
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| {
            !matches!(
                line["verdict"].as_str(),
                Some("infrastructure" | "unusable")
            )
        })
        .map(|line| (line["completion"].clone(), line["verdict"].clone()))
        .collect()
}

/// The complete rows of the result file. Only a killed process may leave a part of a row at the end.
fn result_rows(place: &Place, fault: Fault) -> Vec<Value> {
    let text = fs::read_to_string(place.results()).unwrap_or_default();
    let whole = text.rfind('\n').map_or(0, |at| at + 1);
    assert!(
        whole == text.len() || matches!(fault, Fault::Kill(_)),
        "{fault:?}: the last row is torn"
    );
    text[..whole]
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
