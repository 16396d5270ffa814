//! The outcomes of the tests of an instance (a task of HumanEvo) in two states of its project: the base commit with the
//! test patch, and the base commit with both the test patch and the production patch.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::baseline::Baseline;
use super::runner::{Outcome, RunReport};

/// The outcome of a test at the base commit with the test patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BaseOutcome {
    /// The test passed.
    Passed,
    /// The test failed.
    Failed,
    /// The test was skipped.
    Skipped,
    /// The test was not run: its file could not be imported or compiled, its file lacks the test, or the run took too
    /// long.
    NotRun,
}

/// The outcome of a test in all runs with the test patch and the production patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchedOutcome {
    /// The test passed in every run.
    Passed,
    /// The test passed in the first run, but not in every later run.
    Flaky,
    /// The test did not pass in the first run.
    Failed,
}

/// The outcomes of one test of an instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstanceOutcome {
    /// The name of the test in the task.
    pub id: String,
    /// The outcome at the base commit with the test patch.
    pub base: BaseOutcome,
    /// The outcome with the test patch and the production patch.
    pub patched: PatchedOutcome,
}

impl BaseOutcome {
    /// The outcome in words, for tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passes",
            Self::Failed => "fails",
            Self::Skipped => "skipped",
            Self::NotRun => "not run",
        }
    }
}

impl PatchedOutcome {
    /// The outcome in words, for tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passes",
            Self::Flaky => "flaky",
            Self::Failed => "fails",
        }
    }
}

/// The outcomes of a task's tests in a run at the base commit, by the name of the test in the task. Several reported
/// ids may belong to a test, such as one for each set of parameters. If one of them failed, the outcome is `Failed`.
pub(super) fn at_base(tests: &[String], report: &RunReport) -> BTreeMap<String, BaseOutcome> {
    let outcome = |test: &String| {
        let own = report.tests.values().filter(|own| names(test, &own.id));
        let outcomes: Vec<Outcome> = own.map(|own| own.outcome).collect();
        let has = |wanted: &[Outcome]| outcomes.iter().any(|outcome| wanted.contains(outcome));
        if has(&[Outcome::Failed, Outcome::Unreported]) {
            BaseOutcome::Failed
        } else if has(&[Outcome::Passed, Outcome::Xfailed, Outcome::Xpassed]) {
            BaseOutcome::Passed
        } else if has(&[Outcome::Skipped]) {
            BaseOutcome::Skipped
        } else {
            BaseOutcome::NotRun
        }
    };
    tests
        .iter()
        .map(|test| (test.clone(), outcome(test)))
        .collect()
}

/// Whether a reported id belongs to the test with the name `test`. Such an id is the name, or the name with a suffix
/// such as parameters.
fn names(test: &str, id: &str) -> bool {
    let rest = id.strip_prefix(test);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', ':', '#']))
}

impl Baseline {
    /// The outcomes of an instance's tests, sorted by name; `None` if the tests were not run at the base commit.
    /// Several reported ids may belong to a test. If one of them is flaky, the test is `Flaky`; otherwise, if one of
    /// them always passed, the test is `Passed`.
    pub fn instance_outcomes(&self) -> Option<Vec<InstanceOutcome>> {
        let known = self.at_base.as_ref()?;
        let any = |ids: &[String], test: &str| ids.iter().any(|id| names(test, id));
        let outcomes = known.iter().map(|(test, base)| InstanceOutcome {
            id: test.clone(),
            base: *base,
            patched: if any(&self.flaky, test) {
                PatchedOutcome::Flaky
            } else if any(&self.expected, test) {
                PatchedOutcome::Passed
            } else {
                PatchedOutcome::Failed
            },
        });
        Some(outcomes.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::runner::TestReport;
    use super::*;

    #[test]
    fn each_test_has_one_outcome_at_the_base_commit_and_one_with_the_production_patch() {
        let report = |id: &str, outcome| {
            let report = TestReport {
                id: id.to_owned(),
                outcome,
                seconds: 0.0,
                failure: None,
            };
            (id.to_owned(), report)
        };
        let before = RunReport {
            tests: [
                report("t.py::new[a b]", Outcome::Passed),
                report("t.py::new[<class 'x'>]", Outcome::Failed),
                report("t.py::old", Outcome::Passed),
                report("t.py::old_too", Outcome::Failed),
            ]
            .into_iter()
            .collect(),
            ..RunReport::default()
        };
        let owned = |all: &[&str]| all.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        let tests = owned(&["t.py::new", "t.py::old", "u.py::gone", "t.py::new[a b]"]);
        let baseline = Baseline {
            at_base: Some(at_base(&tests, &before)),
            expected: owned(&["t.py::new[a b]", "t.py::new[<class 'x'>]", "t.py::old"]),
            flaky: owned(&["u.py::gone[1]"]),
            ..Baseline::default()
        };
        let outcomes = baseline.instance_outcomes().unwrap();
        let found: Vec<_> = outcomes
            .iter()
            .map(|own| (own.id.as_str(), own.base.word(), own.patched.word()))
            .collect();
        let expected = [
            ("t.py::new", "fails", "passes"),
            ("t.py::new[a b]", "passes", "passes"),
            ("t.py::old", "passes", "passes"),
            ("u.py::gone", "not run", "flaky"),
        ];
        assert_eq!(found, expected);
        assert_eq!(Baseline::default().instance_outcomes(), None);
    }
}
