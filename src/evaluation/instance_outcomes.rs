//! The outcomes of an instance's tests at its base commit with the test patch, and with the production patch too.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::baseline::Baseline;
use super::runner::{Outcome, RunReport};

/// How a test ended at the base commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BaseOutcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It was skipped.
    Skipped,
    /// It was not run: its file could not be imported or compiled or has no such test, or the run took too long.
    NotRun,
}

/// How a test ended in all runs with the production patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchedOutcome {
    /// It passed each time.
    Passed,
    /// It passed in some runs only.
    Flaky,
    /// It did not pass.
    Failed,
}

/// How one test of an instance ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstanceOutcome {
    /// The test as the task names it.
    pub id: String,
    /// At the base commit with the test patch.
    pub base: BaseOutcome,
    /// With the production patch too.
    pub patched: PatchedOutcome,
}

impl BaseOutcome {
    /// A word for it.
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
    /// A word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passes",
            Self::Flaky => "flaky",
            Self::Failed => "fails",
        }
    }
}

/// The outcomes of a task's tests in a run at the base commit, by the names that the task gives them.
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

/// Whether a reported id belongs to the test that a task names: it is the same, or has a suffix such as parameters.
fn names(test: &str, id: &str) -> bool {
    let rest = id.strip_prefix(test);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', ':', '#']))
}

impl Baseline {
    /// How the tests of an instance ended, in the order of their names; `None` if they were not run at the base commit.
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
    fn each_test_has_its_outcome_at_the_base_and_with_the_patch() {
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
