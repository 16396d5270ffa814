//! A task is unusable if its reference code fails the tests. This module explains the failure: it quotes a message and,
//! if a fix is known, names the setting of `evoscope.toml` to change.

use super::runner::{Outcome, RunReport, TestReport};
use super::verdict::{first_line, read};
use crate::environment::{PLUGIN_FIXTURES as FIXTURES, missing_library_fix};

/// pytest's exit code for a usage error, such as a test or an option that does not exist.
pub(super) const USAGE: i64 = 4;

/// Arguments that make pytest ignore the `addopts` and the `required_plugins` of the project's configuration.
pub(super) const WITHOUT_ADDOPTS: [&str; 4] = ["-o", "addopts=", "-o", "required_plugins="];

/// Whether pytest exited with a usage error before it ran any test. The usual reason is a pytest configuration with
/// options of a plugin that is not installed.
pub(super) fn refused_to_start(report: &RunReport) -> bool {
    report.end.code == Some(USAGE) && report.finished.is_none() && report.tests.is_empty()
}

/// Explains in one line why the reference fails. A known fix follows in parentheses. `asked` is the task's list of
/// tests.
pub(super) fn why_reference_fails(report: &RunReport, asked: &[String]) -> String {
    if let Some(error) = &report.syntax {
        // The first line of the compiler's message may not name the symbol, so join all lines.
        let message: Vec<&str> = error.message.split_whitespace().collect();
        let why = format!("line {}: {}", error.line, first_line(&message.join(" ")));
        let fix = fix(&error.message).map_or_else(String::new, |fix| format!(" ({fix})"));
        return format!("the reference, placed as completions are, does not compile: {why}{fix}");
    }
    let why =
        complaint(report, asked).unwrap_or_else(|| read(report, &failing(report, asked)).reason);
    let fix = fix(&evidence(report)).map_or_else(String::new, |fix| format!(" ({fix})"));
    format!("the reference fails: {why}{fix}")
}

/// The reason that pytest gives for running no test or for skipping all tests, or that tests are marked as expected
/// failures. `None` if there is no such reason, if a test passed or failed, or if the run was lost, killed or ended by an
/// error inside pytest.
fn complaint(report: &RunReport, asked: &[String]) -> Option<String> {
    if report.loss.is_some() || report.end.killed.is_some() || report.internal_error.is_some() {
        return None;
    }
    let log = String::from_utf8_lossy(&report.log);
    let errors = || {
        log.lines()
            .filter(|line| line.contains("rror: ") || line.starts_with("ERROR: "))
    };
    if refused_to_start(report) {
        let last = errors().next_back()?;
        let said = last.rsplit("rror: ").next().unwrap_or(last);
        return Some(format!(
            "pytest does not start: {}",
            said.trim_start_matches("ERROR: ")
        ));
    }
    if report.end.code == Some(USAGE) && report.collection_errors.is_empty() {
        let absent = asked
            .iter()
            .find(|test| errors().any(|line| line.ends_with(test.as_str())));
        return Some(match absent {
            Some(test) => format!("pytest finds no test {test}"),
            None => format!("pytest: {}", errors().next_back()?),
        });
    }
    let is_marked =
        |test: &&TestReport| matches!(test.outcome, Outcome::Xfailed | Outcome::Xpassed);
    let shows_nothing = |test| is_marked(&test) || test.outcome == Outcome::Skipped;
    if !report.tests.values().all(shows_nothing) {
        return None;
    }
    if let Some(marked) = report.tests.values().find(is_marked) {
        let id = &marked.id;
        return Some(format!(
            "{id} is marked as an expected failure (xfail), and no test passes"
        ));
    }
    // Every test was skipped: report the reason of the first skip.
    let skipped = report.tests.values().next()?;
    let reason = skipped.failure.as_ref()?.message.lines().next()?;
    let reason = reason.trim_start_matches("Skipped: ");
    Some(format!("{} is skipped: {reason}", skipped.id))
}

fn failing(report: &RunReport, asked: &[String]) -> Vec<String> {
    let found: Vec<String> = report
        .tests
        .values()
        .filter(|test| test.outcome != Outcome::Passed)
        .map(|test| test.id.clone())
        .collect();
    if found.is_empty() {
        asked.to_vec()
    } else {
        found
    }
}

/// The texts that explain the failure: the messages of the failed tests and all collection errors. If no test failed,
/// the messages of the skipped tests are used instead. If there are neither tests nor collection errors, the text is
/// pytest's output.
fn evidence(report: &RunReport) -> String {
    let of = |outcome| {
        let tests = report
            .tests
            .values()
            .filter(move |test| test.outcome == outcome);
        tests.filter_map(|test| Some(test.failure.as_ref()?.message.clone()))
    };
    let mut parts: Vec<String> = of(Outcome::Failed).collect();
    if parts.is_empty() {
        parts.extend(of(Outcome::Skipped));
    }
    for (_, line, text) in &report.collection_errors {
        parts.push(format!("{line}\n{text}"));
    }
    if report.tests.is_empty() && report.collection_errors.is_empty() {
        parts.push(String::from_utf8_lossy(&report.log).into_owned());
    }
    parts.join("\n")
}

/// (words in the text of a failure, the fix for this failure)
const FIXES: [(&str, &str); 5] = [
    (
        "async def function and no async plugin",
        "add pytest-asyncio, or the plugin that the tests' markers belong to, in evoscope.toml: more = [\"pytest-asyncio\"]",
    ),
    ("unable to open database file", MISSING_FILES),
    ("directory does not exist", MISSING_FILES),
    ("No such file or directory: ", MISSING_FILES),
    (
        "unrecognized arguments",
        "add the plugins that the project's pytest configuration needs in evoscope.toml: more = [\"…\"]",
    ),
];
/// The fix for tests that do not find a file or a folder.
const MISSING_FILES: &str = "if the tests write into a missing folder, add that folder to the project in evoscope.toml: folders = [\"…\"]; if the tests read missing files, add a folder that contains them: files = \"…\"";

/// The fix for a failure, recognised from messages of the interpreter, pytest, SQLite, the Java compiler or the JVM.
/// `None` if no known message occurs in `evidence`.
fn fix(evidence: &str) -> Option<String> {
    let named_after = |marks: &[&str]| {
        let rest = marks
            .iter()
            .find_map(|mark| Some(evidence.split_once(mark)?.1))?;
        rest.trim_start_matches(['\'', '"'])
            .split(['\'', '"', '\n', ','])
            .next()
    };
    if let Some(module) = named_after(&["No module named "]) {
        let top = module.split('.').next().unwrap_or(module);
        let package = if top == "pkg_resources" {
            "setuptools<81"
        } else {
            "…"
        };
        return Some(format!(
            "add the package that holds '{top}' to the environment in evoscope.toml: more = [\"{package}\"]"
        ));
    }
    if let Some(package) = named_after(&[
        "No package metadata was found for ",
        "PackageNotFoundError: ",
    ]) {
        return Some(format!(
            "'{package}' must be installed: if '{package}' is the project itself, add setup = [\"pip install --no-deps .\"] in evoscope.toml"
        ));
    }
    if let Some(fixture) = named_after(&["FixtureLookupError: (", "fixture '"]) {
        let known = FIXTURES.iter().find(|(name, _)| *name == fixture);
        let plugin = known.map_or("the plugin that provides it", |(_, plugin)| plugin);
        return Some(format!(
            "add {plugin} to the environment in evoscope.toml: more = [\"…\"]"
        ));
    }
    if let Some(library) = missing_library_fix(evidence) {
        return Some(library);
    }
    let known = FIXES.iter().find(|(words, _)| evidence.contains(words));
    known.map(|(_, fix)| (*fix).to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::runner::{Ended, TestFailure};
    use super::*;

    fn run(log: &str, tests: &[(&str, Outcome, &str)]) -> RunReport {
        let mut report = RunReport {
            end: Ended {
                code: Some(if tests.is_empty() { USAGE } else { 1 }),
                ..Ended::default()
            },
            log: log.as_bytes().to_vec(),
            ..RunReport::default()
        };
        for (id, outcome, message) in tests {
            let failure = TestFailure {
                message: (*message).to_owned(),
                ..TestFailure::default()
            };
            let test = TestReport {
                id: (*id).to_owned(),
                outcome: *outcome,
                seconds: 0.0,
                failure: Some(failure),
            };
            report.tests.insert((*id).to_owned(), test);
        }
        report
    }

    fn asked() -> Vec<String> {
        vec!["t.py::A::a".to_owned(), "t.py::A::b".to_owned()]
    }

    #[test]
    fn a_test_that_does_not_exist_is_distinguished_from_a_missing_plugin() {
        let mut report = run("ERROR: not found: /x/t.py::A::b\n(no name)\n", &[]);
        report.finished = Some(USAGE);
        assert!(!refused_to_start(&report));
        let why = why_reference_fails(&report, &asked());
        assert_eq!(why, "the reference fails: pytest finds no test t.py::A::b");
        let options = "ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: -n\n  inifile: /x/tox.ini\n";
        let report = run(options, &[]);
        assert!(refused_to_start(&report));
        let why = why_reference_fails(&report, &asked());
        assert!(
            why.contains("pytest does not start: unrecognized arguments: -n (add the plugins"),
            "{why}"
        );
    }

    #[test]
    fn the_reason_names_a_setting_that_fixes_the_failure() {
        let suggested_fix = |message| {
            why_reference_fails(&run("", &[("t.py::a", Outcome::Failed, message)]), &asked())
        };
        for (message, setting) in [
            (
                "ModuleNotFoundError: No module named 'yaml.nodes'",
                "'yaml'",
            ),
            (
                "PackageNotFoundError: No package metadata was found for pkg",
                "--no-deps",
            ),
            (
                "FixtureLookupError: ('mocker', <FixtureRequest>)",
                "pytest-mock",
            ),
            (
                "sqlite3.OperationalError: unable to open database file",
                "folders =",
            ),
            (
                "FileNotFoundError: [Errno 2] No such file or directory: 'a/b'",
                "folders =",
            ),
        ] {
            assert!(
                suggested_fix(message).contains(setting),
                "{}",
                suggested_fix(message)
            );
        }
        let wrong = suggested_fix("AssertionError: assert 1 == 2");
        assert_eq!(
            wrong,
            "the reference fails: t.py::a: AssertionError: assert 1 == 2"
        );
    }

    #[test]
    fn tests_that_are_marked_as_expected_failures_are_named() {
        let why = |outcome, other| {
            let tests = [
                ("t.py::a", Outcome::Skipped, ""),
                ("t.py::b", outcome, "1"),
                ("t.py::c", other, "2"),
            ];
            why_reference_fails(&run("", &tests), &asked())
        };
        let marked = "the reference fails: t.py::b is marked as an expected failure (xfail), and no test passes";
        assert_eq!(why(Outcome::Xfailed, Outcome::Skipped), marked);
        assert_eq!(why(Outcome::Xpassed, Outcome::Xfailed), marked);
        assert_eq!(
            why(Outcome::Xfailed, Outcome::Failed),
            "the reference fails: t.py::c: 2"
        );
    }

    #[test]
    fn the_reason_for_skipping_is_reported_if_every_test_is_skipped() {
        let said = "Skipped: async def function and no async plugin installed (see warnings)";
        let why = why_reference_fails(&run("", &[("t.py::a", Outcome::Skipped, said)]), &asked());
        assert!(
            why.starts_with(
                "the reference fails: t.py::a is skipped: async def function and no async plugin"
            ),
            "{why}"
        );
        assert!(why.contains("pytest-asyncio"), "{why}");
    }
}
