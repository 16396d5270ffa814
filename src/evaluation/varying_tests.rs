//! Tests whose ids differ from run to run, because an id contains a time, an address or a random value. Such a test is
//! identified by its file, its function and its position among the tests of its function.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::runner::RunReport;
use crate::code::without_parameters;

/// The functions whose tests have other ids in some runs of the reference code, each with the ids of its tests in the
/// first run, in the order of collection. Evoscope uses these ids in all runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VaryingTests(BTreeMap<String, Vec<String>>);

/// The ids of each function of a run, in the order of collection.
fn by_function(ids: &[String]) -> BTreeMap<&str, Vec<&String>> {
    let mut found: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for id in ids {
        found.entry(without_parameters(id)).or_default().push(id);
    }
    found
}

/// The functions whose tests have other ids in some of the runs.
pub(super) fn varying_functions(runs: &[RunReport]) -> BTreeSet<String> {
    let ids = runs.iter().map(|run| run.collected().into_iter().collect());
    let sets: Vec<BTreeSet<String>> = ids.collect();
    let varies = |id: &&String| !sets.iter().all(|set| set.contains(*id));
    let varying = sets.iter().flatten().filter(varies);
    varying
        .map(|id| without_parameters(id).to_owned())
        .collect()
}

impl VaryingTests {
    /// Compares the ids that the first and a later run of the reference code collected.
    ///
    /// Returns the reason if the tests of the runs cannot be matched: a function has another number of tests, or the same
    /// tests in another order.
    pub(super) fn learn(&mut self, first: &[String], later: &[String]) -> Result<(), String> {
        let (first, later) = (by_function(first), by_function(later));
        for function in first.keys().chain(later.keys()) {
            let of = |run: &BTreeMap<_, Vec<_>>| run.get(function).cloned().unwrap_or_default();
            let (before, after) = (of(&first), of(&later));
            match (before.len(), after.len()) {
                (a, b) if a == b => {}
                (0, _) | (_, 0) => {
                    return Err(unmatched(function, "is collected only in some runs"));
                }
                (a, b) => {
                    let why = format!("has {a} tests in one run and {b} in another");
                    return Err(unmatched(function, &why));
                }
            }
            if sorted(&before) == sorted(&after) {
                continue;
            }
            let (fixed, now) = (fixed_words(&before), fixed_words(&after));
            if fixed != now && sorted(&fixed) == sorted(&now) {
                let why = "has its tests in another order in each run";
                return Err(unmatched(function, why));
            }
            let ids = before.into_iter().cloned().collect();
            self.0.insert((*function).to_owned(), ids);
        }
        Ok(())
    }

    /// Gives the tests of a run the ids of the first run. The tests of a function keep their ids if their number is
    /// another one.
    pub(super) fn rename(&self, report: &mut RunReport) {
        let collected = report.collected();
        let collected = by_function(&collected);
        let mut new_ids = BTreeMap::new();
        for (function, ids) in &self.0 {
            let found = collected.get(&**function);
            if let Some(found) = found.filter(|found| found.len() == ids.len()) {
                new_ids.extend(found.iter().copied().zip(ids));
            }
        }
        if !new_ids.is_empty() {
            report.rename(&new_ids);
        }
    }
}

/// The reason why a task is unusable, if the tests of a function cannot be matched between runs.
pub(super) fn unmatched(function: &str, why: &str) -> String {
    format!("its tests differ from run to run: {function} {why}")
}

fn sorted<T: Ord + Clone>(of: &[T]) -> Vec<T> {
    let mut all = of.to_vec();
    all.sort();
    all
}

/// For each id, the words without digits. A time, an address or a random number has digits.
fn fixed_words<'a>(ids: &[&'a String]) -> Vec<Vec<&'a str>> {
    let fixed = |word: &&str| !word.contains(char::is_numeric);
    let words = |id: &&'a String| {
        id.split(|c: char| !c.is_alphanumeric())
            .filter(fixed)
            .collect()
    };
    ids.iter().map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::super::runner::Outcome;
    use super::*;

    fn ids(parameters: &[&str]) -> Vec<String> {
        let id = |each: &&str| format!("t.py::f[{each}]");
        parameters.iter().map(id).collect()
    }

    /// The ids of the tests of a run with these parameters, after they were renamed.
    fn renamed(varying: &VaryingTests, run: &[&str]) -> Vec<String> {
        let run = ids(run);
        let tests: Vec<_> = run.iter().map(|id| (&**id, Outcome::Passed)).collect();
        let mut report = RunReport::of(&tests);
        varying.rename(&mut report);
        // Renaming twice changes nothing.
        varying.rename(&mut report);
        report.tests.into_keys().collect()
    }

    #[test]
    fn tests_with_varying_ids_are_matched_by_their_position() {
        let first = ["2000-False", "171-True", "170-False"];
        let mut varying = VaryingTests::default();
        varying
            .learn(&ids(&first), &ids(&["2000-False", "183-True", "182-False"]))
            .unwrap();
        let later = ["2000-False", "170-True", "9-False"];
        assert_eq!(renamed(&varying, &later), ids(&first));
        // A completion that changes the number of parameters does not run the tests of the task.
        for other in [
            &["2000-False", "170-True"][..],
            &["2000-False", "170-True", "9-False", "8-False"],
        ] {
            assert_eq!(renamed(&varying, other), ids(other));
        }
        let mut addresses = VaryingTests::default();
        let of = |address: &str| ids(&["<object object at 0x7f1>", address]);
        addresses
            .learn(&of("<p.A at 0x1a2>"), &of("<p.A at 0xb23>"))
            .unwrap();
        let run = ["<object object at 0x7f1>", "<p.A at 0x7f9>"];
        assert_eq!(renamed(&addresses, &run), of("<p.A at 0x1a2>"));
    }

    #[test]
    fn tests_with_the_same_ids_in_another_order_are_matched_by_their_ids() {
        let mut varying = VaryingTests::default();
        varying
            .learn(&ids(&["alpha", "beta"]), &ids(&["beta", "alpha"]))
            .unwrap();
        assert!(varying.0.is_empty());
    }

    #[test]
    fn tests_that_cannot_be_matched_are_reported() {
        let why = |first: &[&str], later: &[&str]| {
            let mut varying = VaryingTests::default();
            varying.learn(&ids(first), &ids(later)).unwrap_err()
        };
        assert_eq!(
            why(&["0", "1"], &["0", "1", "2"]),
            "its tests differ from run to run: t.py::f has 2 tests in one run and 3 in another"
        );
        let order = why(&["17-True", "16-False"], &["18-False", "19-True"]);
        assert!(
            order.ends_with("t.py::f has its tests in another order in each run"),
            "{order}"
        );
        assert!(why(&["17", "alpha"], &["alpha", "18"]).contains("another order"));
        let missing = |first: &[&str], later: &[&str]| {
            let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
            VaryingTests::default()
                .learn(&owned(first), &owned(later))
                .unwrap_err()
        };
        for (first, later) in [
            (&["t.py::a", "t.py::b_1"][..], &["t.py::a"][..]),
            (&["t.py::a"], &["t.py::a", "t.py::b_1"]),
        ] {
            assert!(missing(first, later).contains("t.py::b_1 is collected only in some runs"));
        }
    }
}
