//! Completions in real sandboxes, end to end: hostile ones, two runs at once, kills in mid-run.
//!
//! A sandbox that this machine does not have is no failure: its tests are counted as ignored, with the reason. To run
//! them, `.ci/base-image` makes the image, and `EVOSCOPE_TEST_PYTHON` names a Python that has pytest; with
//! `EVOSCOPE_TEST_CONTAINERS=required` missing containers are a failure.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod claims;
mod fixture;
mod hostile;
mod insiders;
mod kinds;
mod page;
mod plugins;
mod resumed;
mod runs;

use std::process::ExitCode;
use std::sync::OnceLock;

use evoscope::evaluation::{CompletionVerdict, SandboxKind, VerdictStore};
use libtest_mimic::{Arguments, Failed, Trial};

use fixture::{Project, available, judge, settings};
use hostile::{KINDS, Kind};
use insiders::INSIDERS;

const SANDBOXES: [SandboxKind; 2] = [SandboxKind::Docker, SandboxKind::Local];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = page::trials();
    for kind in SANDBOXES {
        let missing = available(kind).err();
        let required =
            std::env::var("EVOSCOPE_TEST_CONTAINERS").is_ok_and(|word| word == "required");
        if let (SandboxKind::Docker, Some(why), true) = (kind, &missing, required) {
            eprintln!(
                "the {} sandbox is required here and cannot be had: {why}",
                kind.word()
            );
            return ExitCode::FAILURE;
        }
        if let Some(why) = &missing {
            eprintln!(
                "the tests of the {} sandbox are ignored: {why}",
                kind.word()
            );
        }
        for (number, case) in hostile_kinds().enumerate() {
            let name = format!("{}::hostile::{}", kind.word(), case.0);
            trials.push(
                Trial::test(name, move || verdict_is_right(kind, number))
                    .with_ignored_flag(missing.is_some()),
            );
        }
        for (name, test) in runs::TESTS {
            let name = format!("{}::{name}", kind.word());
            trials.push(
                Trial::test(name, move || {
                    test(kind);
                    Ok(())
                })
                .with_ignored_flag(missing.is_some()),
            );
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn hostile_kinds() -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().chain(INSIDERS)
}

/// All kinds, judged in one run of the sandbox.
fn judged(kind: SandboxKind) -> &'static [CompletionVerdict] {
    static DOCKER: OnceLock<Vec<CompletionVerdict>> = OnceLock::new();
    static LOCAL: OnceLock<Vec<CompletionVerdict>> = OnceLock::new();
    let cell = match kind {
        SandboxKind::Docker | SandboxKind::Podman => &DOCKER,
        SandboxKind::Local => &LOCAL,
    };
    cell.get_or_init(|| {
        let project = Project::new();
        let before = project.snapshot();
        let completions: Vec<&str> = hostile_kinds().map(|case| case.1).collect();
        let store = VerdictStore::in_memory().unwrap();
        let found = judge(kind, &project.subject(), &completions, settings(), &store).unwrap();
        assert!(project.snapshot() == before, "the source tree was touched");
        found
    })
}

fn verdict_is_right(kind: SandboxKind, number: usize) -> Result<(), Failed> {
    let Some(Kind(name, _, allowed)) = hostile_kinds().nth(number) else {
        return Err("no such kind".into());
    };
    let found = &judged(kind)[number];
    if allowed.contains(&found.verdict) {
        return Ok(());
    }
    Err(format!(
        "{name}: {} ({}), not one of {allowed:?}",
        found.verdict, found.reason
    )
    .into())
}
