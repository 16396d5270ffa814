//! Whole runs: beside each other, without leftovers, killed and resumed.

use std::fs;

use evoscope::benchmark::Verdict;
use evoscope::evaluation::{CompletionVerdict, CounterTest, SandboxKind, Settings, VerdictStore};

use crate::fixture::{Project, available, judge, settings};
use crate::hostile::{Kind, RIGHT};
use crate::second_run::{GUESSER, RIGHT_ONLY_WARM, SECOND_RUN};
use crate::{claims, first_run, kinds, machines, plugins, resumed};

/// A test of whole runs, by name.
pub type Run = (&'static str, fn(SandboxKind));

pub const TESTS: [Run; 35] = [
    ("a_right_one_passes_with_a_counter_test", right),
    (
        "a_counter_test_that_says_nothing_is_told",
        silent_counter_test,
    ),
    ("an_unchanged_completion_is_not_run_again", known),
    ("two_runs_at_once_are_as_if_alone", two_at_once),
    ("a_task_whose_stub_passes_is_unusable", unusable),
    ("fresh_sessions_give_the_same_verdicts", fresh),
    (
        "the_counter_test_of_an_honest_one_shares_its_session",
        honest_ones_share_a_session,
    ),
    (
        "a_counter_test_that_leaves_less_than_the_tests_shares_it_too",
        counter_tests_leave_less,
    ),
    (
        "what_passes_only_in_a_session_that_is_not_new_fails",
        right_only_warm,
    ),
    (
        "fresh_sessions_hide_which_run_is_the_second",
        fresh_hides_the_second,
    ),
    ("a_guesser_does_not_pass_many_pairs", guesser),
    (
        "where_a_run_has_left_the_machines_pipes_tells_little",
        last_digits,
    ),
    (
        "killed_and_resumed_nothing_is_lost_or_doubled",
        resumed::killed,
    ),
    (
        "a_run_that_is_told_to_end_leaves_nothing",
        resumed::terminated,
    ),
    ("what_is_left_out_is_counted_in_the_end", resumed::left_out),
    (
        "the_engine_stops_and_the_run_is_completed",
        resumed::engine_stopped,
    ),
    ("many_tasks_in_a_file", kinds::many_tasks_in_a_file),
    ("no_kind_of_claim_is_fooled", claims::each_claim),
    ("ids_renamed_by_a_plugin", kinds::renamed_ids),
    ("a_test_that_classes_inherit", kinds::inherited_tests),
    (
        "options_of_an_absent_plugin_are_left_out_and_told",
        kinds::options_of_an_absent_plugin,
    ),
    (
        "a_failure_that_is_no_tests_hinders_no_pass",
        plugins::failures_that_are_no_tests,
    ),
    (
        "coverage_is_not_measured_and_tests_are_not_shared_out",
        plugins::coverage_and_shares,
    ),
    ("fixtures_of_every_sort_are_found", plugins::fixtures),
    ("a_makefiles_folder_is_there", kinds::a_makefiles_folder),
    (
        "tests_that_nobody_asked_for_are_not_made",
        kinds::other_tests_of_the_file,
    ),
    (
        "modules_of_an_earlier_session_are_carried_in",
        kinds::modules_of_an_earlier_session,
    ),
    (
        "the_first_run_of_a_session_is_not_told_from_the_next",
        first_run::against_the_next,
    ),
    ("a_machine_knows_itself_by_name", kinds::localhost),
    ("its_own_folder_on_the_path", kinds::own_folder_on_the_path),
    ("a_run_may_use_every_processor", kinds::every_processor),
    (
        "a_reference_in_the_environment_is_found",
        kinds::reference_in_the_environment,
    ),
    ("an_endless_reference_is_unusable", kinds::endless_reference),
    ("right_and_prints_5_gb", kinds::endless_output),
    (
        "the_samples_verdicts_are_as_expected",
        kinds::the_samples_verdicts,
    ),
];

fn right(kind: SandboxKind) {
    let project = Project::new();
    let ledger = VerdictStore::in_memory().unwrap();
    let found = judge(kind, &project.subject(), &[RIGHT], settings(), &ledger).unwrap();
    assert_eq!(found[0].verdict, Verdict::Pass, "{}", found[0].reason);
    assert_eq!(found[0].counter_test, CounterTest::Failed);
    assert_eq!(found[0].tests.len(), 4);
    assert_eq!(found[0].sandbox, available(kind).unwrap().0.kind());
}

/// Its tests pass, and where they should not it waits without end.
const WAITS: &str = "
class Patient(list):
    def __eq__(self, other):
        while list(self) != other:
            pass
        return True
return Patient(value * factor for value in values)
";

fn silent_counter_test(kind: SandboxKind) {
    let project = Project::new();
    let ledger = VerdictStore::in_memory().unwrap();
    let short = Settings {
        seconds: Some(2),
        ..settings()
    };
    let found = judge(kind, &project.subject(), &[WAITS], short, &ledger).unwrap();
    assert_eq!(found[0].verdict, Verdict::Pass, "{}", found[0].reason);
    assert_eq!(found[0].counter_test, CounterTest::Silent);
    assert!(found[0].own_sessions);
    // Other tests beside this one may move the machine's numbers, for which there are more.
    assert!(found[0].pairs >= 2, "{}", found[0].pairs);
}

fn known(kind: SandboxKind) {
    let project = Project::new();
    let ledger = VerdictStore::in_memory().unwrap();
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
        let outcomes = |judgement: &CompletionVerdict| {
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
                    &VerdictStore::in_memory().unwrap(),
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
        &VerdictStore::in_memory().unwrap(),
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
        &VerdictStore::in_memory().unwrap(),
    )
    .unwrap();
    let verdicts: Vec<Verdict> = found.iter().map(|judgement| judgement.verdict).collect();
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Fail, Verdict::Fail]);
}

/// A session of its own for every counter-test would be the end of the warm interpreter's speed. What other tests do beside
/// this one may move the machine's numbers, and so take a few of the runs for theirs.
fn share_a_session(honest: &[CompletionVerdict]) {
    let own = honest.iter().filter(|judgement| judgement.own_sessions);
    let (own, all) = (own.count(), honest.len());
    assert!(own <= all / 4, "{own} of {all} in sessions of their own");
}

fn honest_ones_share_a_session(kind: SandboxKind) {
    let project = Project::new();
    let bodies: Vec<String> = (0..12)
        .map(|n| match n % 4 {
            0 => format!("print({n})\n{RIGHT}"),
            1 => format!("return [{n}]\n"),
            2 => format!("import tempfile\ntempfile.mkdtemp()\nreturn {n}\n"),
            _ => format!("{RIGHT}# {n}\n"),
        })
        .collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let one = Settings {
        jobs: 1,
        ..settings()
    };
    let ledger = VerdictStore::in_memory().unwrap();
    let found = judge(kind, &project.subject(), &bodies, one, &ledger).unwrap();
    for (body, judgement) in bodies.iter().zip(&found) {
        let passes = body.contains("factor");
        assert_eq!(judgement.verdict == Verdict::Pass, passes, "{body}");
    }
    share_a_session(&found);
}

/// Right code fails a counter-test before it comes to what the tests do afterwards.
fn counter_tests_leave_less(kind: SandboxKind) {
    let project = Project::new();
    let tests = "from pkg.calc import scaled\n\n\ndef test_list(tmp_path):\n    assert scaled([1, 2], 3) == [3, 6]\n    \
                 for n in range(9):\n        (tmp_path / str(n)).write_text('')\n";
    fs::write(project.folder.path().join("tests/test_calc.py"), tests).unwrap();
    let mut subject = (*project.subject()).clone();
    subject.tests.truncate(1);
    let bodies: Vec<String> = (0..8).map(|n| format!("{RIGHT}# {n}\n")).collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let pairs = Settings {
        pairs: 3,
        ..settings()
    };
    let ledger = VerdictStore::in_memory().unwrap();
    let found = judge(kind, &subject.into(), &bodies, pairs, &ledger).unwrap();
    assert!(found.iter().all(|each| each.verdict == Verdict::Pass));
    share_a_session(&found);
}

fn right_only_warm(kind: SandboxKind) {
    let project = Project::new();
    let one = Settings {
        jobs: 1,
        ..settings()
    };
    for hostile in RIGHT_ONLY_WARM {
        let mut bodies: Vec<String> = (0..40).map(|n| format!("{RIGHT}# {n}\n")).collect();
        bodies.push(hostile.to_owned());
        let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
        let judged = |_| {
            let ledger = VerdictStore::in_memory().unwrap();
            judge(kind, &project.subject(), &bodies, one.clone(), &ledger).unwrap()
        };
        // An honest one that was heard in sessions of its own would leave a new one behind, and the last met that.
        let in_one =
            |found: &Vec<CompletionVerdict>| !found[..40].iter().any(|each| each.own_sessions);
        let found = (0..4).map(judged).find(in_one);
        let found = found.expect("honest ones share a session in one of four runs");
        let last = &found[40];
        let (verdict, reason) = (last.verdict, &last.reason);
        // One in 64 is heard with its counter-test first, which finds it out at once.
        let apart = verdict == Verdict::Fail;
        assert_eq!(last.own_sessions, apart, "{verdict}: {reason}");
        assert!(
            matches!(verdict, Verdict::Fail | Verdict::Tampered),
            "{reason}"
        );
    }
}

fn fresh_hides_the_second(kind: SandboxKind) {
    let project = Project::new();
    let fresh = Settings {
        fresh: true,
        ..settings()
    };
    let tellers = SECOND_RUN.iter().filter(|Kind(name, ..)| {
        ["number", "packets", "memory", "ids"]
            .iter()
            .any(|word| name.contains(word))
    });
    let kinds: Vec<&Kind> = tellers.collect();
    let bodies: Vec<&str> = kinds.iter().map(|kind| kind.1).collect();
    assert!(bodies.len() > 5);
    let ledger = VerdictStore::in_memory().unwrap();
    let found = judge(kind, &project.subject(), &bodies, fresh, &ledger).unwrap();
    for (Kind(name, _, allowed), judgement) in kinds.into_iter().zip(&found) {
        assert!(judgement.own_sessions, "{name}");
        assert!(
            allowed.contains(&judgement.verdict),
            "{name}: {}",
            judgement.reason
        );
    }
}

/// Of pairs of which it passes one in four, it passes twelve once in seventeen million times.
fn guesser(kind: SandboxKind) {
    let project = Project::new();
    let many = Settings {
        pairs: 12,
        ..settings()
    };
    let mut bodies: Vec<String> = (0..8).map(|n| format!("{GUESSER}# {n}\n")).collect();
    bodies.push(RIGHT.to_owned());
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let ledger = VerdictStore::in_memory().unwrap();
    let mut found = judge(kind, &project.subject(), &bodies, many, &ledger).unwrap();
    let right = found.pop().unwrap();
    assert_eq!((right.verdict, right.pairs), (Verdict::Pass, 12));
    for judgement in found {
        let verdict = judgement.verdict;
        assert!(
            matches!(verdict, Verdict::Fail | Verdict::Tampered),
            "{verdict}"
        );
    }
}

/// How often a place comes by chance where this looks for it: one time in eight. So about one completion in fourteen passes,
/// for those that don't leave the number for the next one to find. All would if it stayed where a run has left it, be that
/// far away or near.
fn last_digits(kind: SandboxKind) {
    places_are_hidden(kind, 1024, 16, 8);
    places_are_hidden(kind, 64, 32, 12);
}

fn places_are_hidden(kind: SandboxKind, period: usize, completions: usize, most: usize) {
    let project = Project::new();
    let cheat = machines::LAST_DIGITS.replace(machines::PERIOD, &format!("period = {period}"));
    let bodies: Vec<String> = (0..completions)
        .map(|n| format!("{cheat}# {n}\n"))
        .collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let ledger = VerdictStore::in_memory().unwrap();
    let settings = Settings {
        jobs: 1,
        ..settings()
    };
    let found = judge(kind, &project.subject(), &bodies, settings, &ledger).unwrap();
    let passes = found.iter().filter(|each| each.verdict == Verdict::Pass);
    let passes = passes.count();
    assert!(passes <= most, "{passes} of {completions} pass");
}
