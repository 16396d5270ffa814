use super::super::runner::Ended;
use super::*;

/// The official result of a run that changed no test.
fn officially(run: &RunReport, format: Format) -> OfficialResult {
    official(run, run.tests.values(), true, format)
}

/// The report of a run with exit code 0 and these outcomes.
fn report(tests: &[(&str, Outcome)]) -> RunReport {
    RunReport {
        end: Ended {
            code: Some(0),
            ..Ended::default()
        },
        finished: Some(0),
        ..RunReport::of(tests)
    }
}

fn expected() -> Vec<String> {
    vec!["t::a".to_owned(), "t::b".to_owned()]
}

#[test]
fn a_run_passes_only_if_every_expected_id_is_reported_as_passed() {
    let both = report(&[("t::a", Outcome::Passed), ("t::b", Outcome::Passed)]);
    assert_eq!(read(&both, &expected()).verdict, Verdict::Pass);
    for other in [
        Outcome::Skipped,
        Outcome::Xfailed,
        Outcome::Xpassed,
        Outcome::Unreported,
        Outcome::Failed,
    ] {
        let run = report(&[("t::a", Outcome::Passed), ("t::b", other)]);
        assert_eq!(read(&run, &expected()).verdict, Verdict::Fail, "{other:?}");
    }
    let one = report(&[("t::a", Outcome::Passed)]);
    let reading = read(&one, &expected());
    assert_eq!(
        (reading.verdict, officially(&one, Format::DevEval)),
        (Verdict::Fail, OfficialResult::Pass)
    );
}

#[test]
fn a_run_without_expected_tests_never_passes() {
    assert_eq!(read(&report(&[]), &[]).verdict, Verdict::Fail);
}

#[test]
fn a_run_with_foreign_reports_never_passes() {
    let mut run = report(&[("t::a", Outcome::Passed), ("t::b", Outcome::Passed)]);
    run.end.foreign_reports = true;
    assert_eq!(read(&run, &expected()).verdict, Verdict::Tampered);
}

#[test]
fn the_reason_for_an_early_exit_names_the_exit_code() {
    let mut run = report(&[("t::a", Outcome::Unreported)]);
    run.finished = None;
    assert_eq!(
        read(&run, &expected()).reason,
        "t::a was never reported, the process exited with exit code 0"
    );
}

#[test]
fn a_reached_limit_and_a_lost_engine_have_their_own_verdicts() {
    let mut run = report(&[]);
    run.end.killed = Some(Killed::Timeout);
    assert_eq!(read(&run, &expected()).verdict, Verdict::Timeout);
    assert_eq!(officially(&run, Format::DevEval), OfficialResult::TimeOut);
    assert_eq!(officially(&run, Format::EvoCodeBench), OfficialResult::Fail);
    run.end.killed = Some(Killed::Memory);
    assert_eq!(read(&run, &expected()).verdict, Verdict::OutOfMemory);
    run.end.killed = None;
    run.loss = Some(Loss::Engine);
    assert_eq!(read(&run, &expected()).verdict, Verdict::Infrastructure);
}

#[test]
fn the_official_result_of_a_lost_session_follows_from_the_reason_for_the_loss() {
    for (loss, deveval) in [
        (Loss::Silent, OfficialResult::TimeOut),
        (Loss::OutOfMemory, OfficialResult::OutOfMemory),
        (Loss::Died, OfficialResult::Error),
    ] {
        let run = RunReport {
            loss: Some(loss),
            ..RunReport::default()
        };
        assert_eq!(officially(&run, Format::DevEval), deveval);
        assert_eq!(officially(&run, Format::EvoCodeBench), OfficialResult::Fail);
    }
}

#[test]
fn the_outcomes_of_unchanged_tests_replace_the_exit_code_of_a_run_with_changed_tests() {
    let mut run = report(&[("t::a", Outcome::Passed), ("t::changed", Outcome::Failed)]);
    (run.end.code, run.finished) = (Some(1), Some(1));
    let as_written = || run.tests.values().filter(|test| test.id == "t::a");
    let changes_none = [false, true];
    let results = changes_none.map(|none| official(&run, as_written(), none, Format::DevEval));
    assert_eq!(results, [OfficialResult::Pass, OfficialResult::Error]);
}

#[test]
fn the_reason_is_a_failed_unchanged_test_rather_than_a_failed_changed_test() {
    let run = report(&[
        ("t::changed", Outcome::Failed),
        ("t::a", Outcome::Passed),
        ("t::b", Outcome::Failed),
    ]);
    assert!(read(&run, &expected()).reason.starts_with("t::b:"));
}
