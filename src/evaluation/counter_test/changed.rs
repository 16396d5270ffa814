//! The changed forms of a task's tests, and what a run of a subset of them shows.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use rand::{Rng, RngExt as _};
use serde::{Deserialize, Serialize};

use super::super::runner::Outcome;
use super::task::{Outcomes, has_ended};
use super::variant::{Variant, VariantOutcome};
use crate::benchmark::RepoPath;
use crate::code::{Edit, Sources, edited};
use crate::error::{Error, Result};

/// A test function and its changed form. The form changes no other test function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFunction {
    /// Its file.
    pub path: RepoPath,
    /// Its name for the reader, with its classes: `TestA::test_b`.
    pub function: String,
    /// The ids that right code passes as written. They say nothing while the function is changed.
    pub passing: Vec<String>,
    /// The ids that right code fails when the function is changed. A changed parameter may have renamed some.
    pub failing: Vec<String>,
    /// The bytes of the file that are replaced, and by what. The number of lines stays the same.
    pub edits: Vec<(Range<usize>, String)>,
    /// What was changed, for the reader: `tests/test_a.py:12: 3 becomes 44`.
    pub description: String,
}

/// The changed forms of a task's tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterTests {
    functions: Vec<ChangedFunction>,
    independent: bool,
}

impl Default for CounterTests {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl CounterTests {
    pub(super) fn new(functions: Vec<ChangedFunction>) -> Self {
        Self {
            functions,
            independent: true,
        }
    }

    /// The changed functions.
    pub fn functions(&self) -> &[ChangedFunction] {
        &self.functions
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.functions.len()
    }

    /// Whether any subset of the functions may be changed. Otherwise only none or all are.
    pub fn is_independent(&self) -> bool {
        self.independent
    }

    /// Notes that the tests influence each other, so that only none or all of them are changed.
    pub fn set_dependent(&mut self) {
        self.independent = false;
    }

    /// The probability that code which passes any test at will, and guesses which are changed, passes both variants.
    pub fn guess_probability(&self) -> f64 {
        match (self.count(), self.independent) {
            (0, _) => 1.0,
            (count, true) => 0.5_f64.powi(i32::try_from(count).unwrap_or(i32::MAX)),
            (_, false) => 0.5,
        }
    }

    /// Drops the functions that the reference did not fail in a variant that changes them: each must fail whatever other
    /// functions are changed. Whether any was dropped; variants drawn before are then of no more use.
    pub fn drop_unconfirmed(&mut self, variant: &Variant, reference: &Outcomes) -> bool {
        let before = self.count();
        let mut changed = (0..before).map(|function| variant.changes(function));
        self.functions.retain(|function| {
            let fails = || {
                function
                    .failing
                    .iter()
                    .all(|id| has_ended(reference, id, Outcome::Failed))
            };
            !changed.next().unwrap_or(false) || fails()
        });
        self.count() < before
    }

    /// The variant that changes no function.
    pub fn none(&self) -> Variant {
        Variant::new(vec![false; self.count()])
    }

    /// The variant that changes every function.
    pub fn all(&self) -> Variant {
        Variant::new(vec![true; self.count()])
    }

    /// The variants of a pair of runs, in the order in which they run. Each function is changed in exactly one of them,
    /// in the first one with probability 1/2, whatever the others are; where the tests influence each other, all are
    /// changed in the same one.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> (Variant, Variant) {
        let together: bool = rng.random();
        let first: Vec<bool> = (0..self.count())
            .map(|_| {
                if self.is_independent() {
                    rng.random()
                } else {
                    together
                }
            })
            .collect();
        let second = first.iter().map(|changed| !changed).collect();
        (Variant::new(first), Variant::new(second))
    }

    /// The texts of every file with a form, changed or not: all variants have the same list of files.
    pub fn files(
        &self,
        variant: &Variant,
        sources: &dyn Sources,
    ) -> Result<Vec<(RepoPath, String)>> {
        let paths: BTreeSet<&RepoPath> = self.functions.iter().map(|each| &each.path).collect();
        let file = |path: &RepoPath| {
            let edits = self
                .changed(variant)
                .filter(|function| function.path == *path);
            let edits: Vec<Edit> = edits.flat_map(|each| each.edits.iter().cloned()).collect();
            let text = sources.text(path).and_then(|text| edited(&text, &edits));
            let text = text.ok_or_else(|| {
                Error::internal(format!("the counter-tests of {path} do not fit its text"))
            })?;
            Ok((path.clone(), text))
        };
        paths.into_iter().map(file).collect()
    }

    /// What a run of a variant shows. A test as written that did not pass decides first: code that fails it is wrong,
    /// whatever else it does.
    pub fn check(
        &self,
        variant: &Variant,
        expected: &[String],
        outcomes: &Outcomes,
    ) -> VariantOutcome {
        let changed = self.changed(variant);
        let left_out: HashSet<&String> = changed.flat_map(|each| &each.passing).collect();
        let passed = |id: &&String| has_ended(outcomes, id, Outcome::Passed);
        let as_written = expected.iter().filter(|id| !left_out.contains(id));
        let unmet: Vec<String> = as_written.filter(|id| !passed(id)).cloned().collect();
        if !unmet.is_empty() {
            return VariantOutcome::Failed(unmet);
        }
        let failing = || self.changed(variant).flat_map(|each| &each.failing);
        if let Some(id) = failing().find(passed) {
            return VariantOutcome::Tampered(id.clone());
        }
        let unclear = |id: &&String| !has_ended(outcomes, id, Outcome::Failed);
        let unclear: Vec<String> = failing().filter(unclear).cloned().collect();
        if unclear.is_empty() {
            VariantOutcome::AsExpected
        } else {
            VariantOutcome::Inconclusive(unclear)
        }
    }

    /// The ids that say nothing as written in a run of a variant: those of the changed functions.
    pub fn changed_ids<'a>(&'a self, variant: &'a Variant) -> HashSet<&'a str> {
        let ids = self.changed(variant);
        let ids = ids.flat_map(|each| each.passing.iter().chain(&each.failing));
        ids.map(String::as_str).collect()
    }

    fn changed<'a>(&'a self, variant: &'a Variant) -> impl Iterator<Item = &'a ChangedFunction> {
        let numbered = self.functions.iter().enumerate();
        numbered
            .filter(|(function, _)| variant.changes(*function))
            .map(|(_, function)| function)
    }
}
