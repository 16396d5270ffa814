//! The Java sample, and the messages of commands on a machine without a JDK.

use std::path::Path;
use std::process::{Command, Output};

use super::{evoscope, text};

/// The folder in which Linux distributions install JDKs.
const SYSTEM_JDKS: &str = "/usr/lib/jvm";

const COMPLETIONS: [&str; 3] = [
    "evaluate",
    "--completions=sample:java/humanevo",
    "--completions=sample:java/codereval/java_heron-70b_original.jsonl",
];

/// Runs `evoscope` as on a machine without a JDK: `JAVA_HOME` is unset, `HOME` is `home`, and [`SYSTEM_JDKS`] is
/// hidden. `None` if this folder cannot be hidden, or if `PATH` has another JDK.
fn without_jdk(home: &Path, arguments: &[&str]) -> Option<Output> {
    let hide = format!("test ! -e {SYSTEM_JDKS} || mount -t tmpfs none {SYSTEM_JDKS}");
    let hidden = |script: &str| {
        let mut command = Command::new("unshare");
        command.args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            script,
            "sh",
        ]);
        command.env_remove("JAVA_HOME").env("HOME", home);
        command
    };
    let can_hide = hidden(&format!("{hide}; ! command -v javac")).output();
    if !can_hide.is_ok_and(|tried| tried.status.success()) {
        eprintln!("not tested: the JDKs of this machine cannot be hidden");
        return None;
    }
    let run = hidden(&format!("{hide}; exec \"$@\""))
        .arg(env!("CARGO_BIN_EXE_evoscope"))
        .args(arguments)
        .env("EVOSCOPE_HOME", home)
        .output();
    Some(run.unwrap())
}

#[test]
fn the_java_sample_is_listed_and_an_unknown_sample_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let listed = evoscope(home.path(), &["tasks", "sample:java", "--json"]);
    assert!(listed.status.success(), "{}", text(&listed.stderr));
    let listed = text(&listed.stdout);
    assert_eq!(listed.lines().count(), 12);
    assert!(
        listed
            .lines()
            .all(|line| line.contains(r#""anchor":"exact""#))
    );
    let unknown = evoscope(home.path(), &["tasks", "sample:jva"]);
    assert!(!unknown.status.success());
    assert!(text(&unknown.stderr).contains("there is no sample 'jva'"));
}

#[test]
fn without_a_jdk_one_message_says_what_to_install() {
    let home = tempfile::tempdir().unwrap();
    let arguments = [&COMPLETIONS[..], &["--sandbox=local", "sample:java"]].concat();
    let Some(run) = without_jdk(home.path(), &arguments) else {
        return;
    };
    assert_eq!(text(&run.stdout), "");
    let lines = text(&run.stderr);
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].ends_with("this machine has no JDK"), "{lines:?}");
    assert!(
        lines[1].contains("apt install default-jdk-headless"),
        "{lines:?}"
    );
    assert!(!run.status.success());
}

#[test]
fn without_a_jdk_baselines_say_once_what_to_install() {
    let home = tempfile::tempdir().unwrap();
    let arguments = ["evaluate", "--sandbox=local", "sample:java"];
    let Some(run) = without_jdk(home.path(), &arguments) else {
        return;
    };
    let listed = text(&run.stdout);
    let unusable = listed.lines().filter(|line| line.starts_with("unusable"));
    assert_eq!(unusable.count(), 12, "{listed}");
    assert_eq!(
        listed.matches("default-jdk-headless").count(),
        1,
        "{listed}"
    );
}

#[test]
fn without_a_jdk_commands_that_run_no_tests_work() {
    let home = tempfile::tempdir().unwrap();
    let task = "--task=marsh-end__dunlin-12-share";
    for arguments in [
        &["tasks", "sample:java"][..],
        &["show", "sample:java", task],
        &[
            "context",
            "sample:java",
            task,
            "--setting=local_infilling",
            "--at=base",
        ],
        &["compare", "sample:java", task],
        &["deps", "sample:java", task],
        &["statistics", "sample:java"],
    ] {
        let Some(run) = without_jdk(home.path(), arguments) else {
            return;
        };
        let said = text(&run.stderr);
        assert!(run.status.success(), "{arguments:?}: {said}");
        assert!(!said.contains("JDK"), "{arguments:?}: {said}");
        assert!(!run.stdout.is_empty(), "{arguments:?}");
    }
}
