//! Whole runs: beside each other, without leftovers, killed and resumed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use evoscope::benchmark::Verdict;
use evoscope::evaluation::{CounterTest, Judgement, Ledger, SandboxKind, Settings};

use crate::fixture::{IMAGE, Project, checkout, judge, lines, settings};
use crate::hostile::RIGHT;

/// A test of whole runs, by name.
pub type Run = (&'static str, fn(SandboxKind));

pub const TESTS: [Run; 6] = [
    ("a_right_one_passes_with_a_counter_test", right),
    ("an_unchanged_completion_is_not_run_again", known),
    ("two_runs_at_once_are_as_if_alone", two_at_once),
    ("a_task_whose_stub_passes_is_unusable", unusable),
    ("fresh_sessions_give_the_same_verdicts", fresh),
    (
        "killed_and_resumed_nothing_is_lost_or_doubled",
        killed_and_resumed,
    ),
];

fn right(kind: SandboxKind) {
    let project = Project::new();
    let ledger = Ledger::in_memory().unwrap();
    let found = judge(kind, &project.subject(), &[RIGHT], settings(), &ledger).unwrap();
    assert_eq!(found[0].verdict, Verdict::Pass, "{}", found[0].reason);
    assert_eq!(found[0].counter_test, CounterTest::Failed);
    assert_eq!(found[0].tests.len(), 4);
    assert_eq!(found[0].sandbox, kind);
}

fn known(kind: SandboxKind) {
    let project = Project::new();
    let ledger = Ledger::in_memory().unwrap();
    let first = judge(
        kind,
        &project.subject(),
        &[RIGHT, "return None\n"],
        settings(),
        &ledger,
    )
    .unwrap();
    assert_eq!(ledger.len().unwrap(), 2);
    let again = judge(
        kind,
        &project.subject(),
        &[RIGHT, "return None\n"],
        settings(),
        &ledger,
    )
    .unwrap();
    for (first, again) in first.iter().zip(&again) {
        assert_eq!(
            (first.verdict, &first.reason, &first.log),
            (again.verdict, &again.reason, &again.log)
        );
        let outcomes = |judgement: &Judgement| {
            judgement
                .tests
                .iter()
                .map(|test| (test.id.clone(), test.outcome))
                .collect::<Vec<_>>()
        };
        assert_eq!(outcomes(first), outcomes(again));
    }
    judge(
        kind,
        &project.subject(),
        &["return 1\n"],
        settings(),
        &ledger,
    )
    .unwrap();
    assert_eq!(ledger.len().unwrap(), 3);
}

fn two_at_once(kind: SandboxKind) {
    let project = Project::new();
    let subject = project.subject();
    let before = project.snapshot();
    let bodies: Vec<String> = (0..10)
        .map(|n| {
            if n % 2 == 0 {
                RIGHT.to_owned() + &format!("# {n}\n")
            } else {
                format!("return [{n}]\n")
            }
        })
        .collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let one = Settings {
        jobs: 1,
        ..settings()
    };
    std::thread::scope(|scope| {
        let runs = [0, 1].map(|_| {
            scope.spawn(|| {
                judge(
                    kind,
                    &subject,
                    &bodies,
                    one.clone(),
                    &Ledger::in_memory().unwrap(),
                )
                .unwrap()
            })
        });
        for run in runs {
            for (number, judgement) in run.join().unwrap().iter().enumerate() {
                let expected = if number % 2 == 0 {
                    Verdict::Pass
                } else {
                    Verdict::Fail
                };
                assert_eq!(judgement.verdict, expected, "{}", judgement.reason);
            }
        }
    });
    assert!(project.snapshot() == before);
}

fn unusable(kind: SandboxKind) {
    let project = Project::new();
    fs::write(
        project.folder.path().join("tests/test_calc.py"),
        "def test_list():\n    import pkg.calc\n",
    )
    .unwrap();
    let mut subject = (*project.subject()).clone();
    subject.tests = vec!["tests/test_calc.py::test_list".to_owned()];
    let found = judge(
        kind,
        &subject.into(),
        &[RIGHT],
        settings(),
        &Ledger::in_memory().unwrap(),
    )
    .unwrap();
    assert_eq!(found[0].verdict, Verdict::Unusable);
    assert!(found[0].reference_ok && !found[0].stub_fails);
}

fn fresh(kind: SandboxKind) {
    let project = Project::new();
    let fresh = Settings {
        fresh: true,
        ..settings()
    };
    let bodies = [RIGHT, "return None\n", "import os\nos._exit(0)\n"];
    let found = judge(
        kind,
        &project.subject(),
        &bodies,
        fresh,
        &Ledger::in_memory().unwrap(),
    )
    .unwrap();
    let verdicts: Vec<Verdict> = found.iter().map(|judgement| judgement.verdict).collect();
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Fail, Verdict::Fail]);
}

fn command(kind: SandboxKind, checkout: &Path, home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evoscope"));
    command
        .args([
            "evaluate",
            "--json",
            "--image",
            IMAGE,
            "--sandbox",
            kind.word(),
            "--timeout",
            "10",
            "--results",
        ])
        .arg(checkout.join("results.jsonl"))
        .arg("--completions")
        .arg(checkout.join("completion.jsonl"))
        .arg("--")
        .arg(checkout)
        .env("EVOSCOPE_HOME", home)
        .stderr(Stdio::null())
        .stdout(Stdio::null());
    command
}

fn table(results: &Path) -> BTreeMap<String, String> {
    lines(results)
        .iter()
        .map(|line| {
            (
                line["completion"].as_str().unwrap().to_owned(),
                line["verdict"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

/// Kills a run of many completions at several points and resumes it; the table equals an undisturbed run's.
fn killed_and_resumed(kind: SandboxKind) {
    let points: usize = std::env::var("EVOSCOPE_TEST_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(6);
    let bodies: Vec<String> = (0..60)
        .map(|n| {
            if n % 3 == 0 {
                format!("return [{n}]\n")
            } else {
                format!("{RIGHT}# {n}\n")
            }
        })
        .collect();
    let checkout = checkout(&bodies);
    let home = tempfile::tempdir().unwrap();
    let results = checkout.path().join("results.jsonl");
    for point in 1..=points {
        let mut run = command(kind, checkout.path(), home.path()).spawn().unwrap();
        let wanted = point * bodies.len() / (points + 1);
        loop {
            let written = fs::read_to_string(&results).map_or(0, |text| text.lines().count());
            if written >= wanted || run.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::park_timeout(std::time::Duration::from_millis(5));
        }
        run.kill().unwrap();
        run.wait().unwrap();
    }
    assert!(
        command(kind, checkout.path(), home.path())
            .status()
            .unwrap()
            .success()
    );
    let resumed = table(&results);
    assert_eq!(lines(&results).len(), bodies.len());
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(
        command(kind, checkout.path(), elsewhere.path())
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(resumed, table(&results));
    assert_eq!(
        resumed
            .values()
            .filter(|verdict| *verdict == "pass")
            .count(),
        40
    );
}
