//! Tests whose ids differ from run to run, because an id contains a time, an address or a random value. Such a test is
//! identified by its file, its function and its position among the tests of its function.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::runner::RunReport;
use crate::code::without_parameters;

/// The tests of a task whose ids differ between runs of the reference code, by function, in the order of collection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VaryingTests(BTreeMap<String, Vec<VaryingTest>>);

/// A test whose id may differ from run to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct VaryingTest {
    /// The id in the first run. Evoscope uses this id in all runs.
    id: String,
    /// The words of the id; `None` for a word that differs between runs.
    words: Vec<Option<String>>,
}

/// The ids of each function of a run, in the order of collection.
fn by_function(ids: &[String]) -> BTreeMap<&str, Vec<&str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for id in ids {
        let function = found.entry(without_parameters(id)).or_default();
        function.push(id);
    }
    found
}

fn words(id: &str) -> impl Iterator<Item = &str> {
    id.split(|c: char| !c.is_alphanumeric())
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
    /// Whether all tests have the same ids in all runs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Compares the ids that the first and a later run of the reference code collected.
    ///
    /// Returns the reason if the tests of the runs cannot be matched: a function has other tests, another number of
    /// tests, or the same tests in another order.
    pub(super) fn learn(&mut self, first: &[String], later: &[String]) -> Result<(), String> {
        let (first, later) = (by_function(first), by_function(later));
        if let Some(function) = later.keys().find(|function| !first.contains_key(*function)) {
            return Err(unmatched(function, "is collected only in some runs"));
        }
        for (function, before) in first {
            let Some(after) = later.get(function) else {
                return Err(unmatched(function, "is collected only in some runs"));
            };
            if before.len() != after.len() {
                let why = format!(
                    "has {} tests in one run and {} in another",
                    before.len(),
                    after.len()
                );
                return Err(unmatched(function, &why));
            }
            if !self.0.contains_key(function) && sorted(&before) == sorted(after) {
                continue;
            }
            let (fixed, later): (Vec<_>, Vec<_>) = (fixed_words(&before), fixed_words(after));
            if fixed != later && sorted(&fixed) == sorted(&later) {
                return Err(unmatched(
                    function,
                    "has its tests in another order in each run",
                ));
            }
            let tests = self.0.entry(function.to_owned());
            let tests =
                tests.or_insert_with(|| before.iter().map(|id| VaryingTest::new(id)).collect());
            for (test, id) in tests.iter_mut().zip(after) {
                test.widen(id);
            }
        }
        Ok(())
    }

    /// Gives the tests of a run the ids of the first run. The tests of a function keep their ids if their number is
    /// another one, or if an id has other words where no word may differ, unless `may_differ` is true for the function.
    pub(super) fn rename(&self, report: &mut RunReport, may_differ: impl Fn(&str) -> bool) {
        if self.is_empty() {
            return;
        }
        let mut new_ids: BTreeMap<&str, &String> = BTreeMap::new();
        let collected = report.collected();
        let collected = by_function(&collected);
        for (function, tests) in &self.0 {
            let Some(ids) = collected
                .get(&**function)
                .filter(|ids| ids.len() == tests.len())
            else {
                continue;
            };
            let mut pairs = tests.iter().zip(ids);
            if may_differ(function) || pairs.all(|(test, id)| test.matches(id)) {
                let pairs = tests.iter().zip(ids);
                new_ids.extend(pairs.map(|(test, id)| (*id, &test.id)));
            }
        }
        if !new_ids.is_empty() {
            report.rename(&|id| new_ids.get(id).copied());
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
fn fixed_words<'a>(ids: &[&'a str]) -> Vec<Vec<&'a str>> {
    let fixed = |word: &&str| !word.contains(|c: char| c.is_numeric());
    ids.iter()
        .map(|id| words(id).filter(fixed).collect())
        .collect()
}

impl VaryingTest {
    fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            words: words(id).map(|word| Some(word.to_owned())).collect(),
        }
    }

    /// Marks the words that differ in another id of the test. All words differ if the number of words does.
    fn widen(&mut self, other: &str) {
        let other: Vec<&str> = words(other).collect();
        if self.words.len() != other.len() {
            self.words.clear();
        }
        for (word, other) in self.words.iter_mut().zip(other) {
            if word.as_deref() != Some(other) {
                *word = None;
            }
        }
    }

    fn matches(&self, id: &str) -> bool {
        let is_same = |(word, other): (&Option<String>, &str)| {
            word.as_deref().is_none_or(|word| word == other)
        };
        self.words.is_empty()
            || words(id).count() == self.words.len()
                && self.words.iter().zip(words(id)).all(is_same)
    }
}

#[cfg(test)]
mod tests {
    use super::super::runner::Outcome;
    use super::*;

    fn ids(parameters: &[&str]) -> Vec<String> {
        let id = |each: &&str| format!("t.py::f[{each}]");
        parameters.iter().map(id).collect()
    }

    /// The ids of the first run, in the order of `run`, after a run with these parameters; and the parameters that some
    /// test of the first run does not have.
    fn renamed(varying: &VaryingTests, run: &[&str], may_differ: bool) -> Vec<String> {
        let run = ids(run);
        let tests: Vec<_> = run.iter().map(|id| (&**id, Outcome::Passed)).collect();
        let mut report = RunReport::of(&tests);
        varying.rename(&mut report, |_| may_differ);
        // Renaming twice changes nothing.
        varying.rename(&mut report, |_| may_differ);
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
        assert_eq!(renamed(&varying, &later, false), ids(&first));
        // A completion that changes parameters or their number does not run the tests of the task.
        for other in [
            &["2000-True", "170-True", "9-False"][..],
            &["1-False", "170-True", "9-False"],
            &["2000-False", "170-True"],
            &["2000-False", "170-True", "9-False", "8-False"],
        ] {
            assert_eq!(renamed(&varying, other, false), ids(other));
        }
        assert_eq!(
            renamed(&varying, &["2000-True", "170-True", "9-False"], true),
            ids(&first)
        );
        let mut addresses = VaryingTests::default();
        let of = |address: &str| ids(&["<object object at 0x7f1>", address]);
        addresses
            .learn(&of("<p.A at 0x1a2>"), &of("<p.A at 0xb23>"))
            .unwrap();
        let run = ["<object object at 0x7f1>", "<p.A at 0x7f9>"];
        assert_eq!(renamed(&addresses, &run, false), of("<p.A at 0x1a2>"));
    }

    #[test]
    fn tests_with_the_same_ids_in_another_order_are_matched_by_their_ids() {
        let mut varying = VaryingTests::default();
        varying
            .learn(&ids(&["alpha", "beta"]), &ids(&["beta", "alpha"]))
            .unwrap();
        assert!(varying.is_empty());
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
