//! The test functions of a task that have a change, and the check of a run that applies some of these changes.

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

/// A test function and the edits that change it. The edits change no other test function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFunction {
    /// The file to edit.
    pub path: RepoPath,
    /// The name of the test function with its classes, for display: `TestA::test_b`.
    pub function: String,
    /// The ids of the tests that correct code passes if the function is unchanged. If the function is changed, only the
    /// outcomes of `failing` count.
    pub passing: Vec<String>,
    /// The ids of the tests that correct code fails if the function is changed. A changed parameter of a parametrised
    /// test changes its id.
    pub failing: Vec<String>,
    /// (byte range of the file, replacement). The number of lines in the file stays the same.
    pub edits: Vec<(Range<usize>, String)>,
    /// What was changed, for display: `tests/test_a.py:12: 3 becomes 44`.
    pub description: String,
}

/// The changed test functions of a task.
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

    /// The counter-tests of the functions with one of these tests.
    #[must_use]
    pub fn of_tests(&self, ids: &[String]) -> Self {
        let has_test = |each: &&ChangedFunction| each.passing.iter().any(|id| ids.contains(id));
        Self {
            functions: self.functions.iter().filter(has_test).cloned().collect(),
            independent: self.independent,
        }
    }

    /// The changed functions.
    pub fn functions(&self) -> &[ChangedFunction] {
        &self.functions
    }

    /// The number of changed functions.
    pub fn count(&self) -> usize {
        self.functions.len()
    }

    /// Whether a variant can change any subset of the functions. If not, each variant changes either no function or all
    /// functions.
    pub fn is_independent(&self) -> bool {
        self.independent
    }

    /// Records that the tests influence each other, so that each variant changes either no function or all functions.
    pub fn set_dependent(&mut self) {
        self.independent = false;
    }

    /// The probability that dishonest code passes both variants of a pair. Dishonest code can pass or fail any test at
    /// will, and guesses which tests are changed. 1 if there are no changed functions.
    pub fn guess_probability(&self) -> f64 {
        match (self.count(), self.independent) {
            (0, _) => 1.0,
            (count, true) => 0.5_f64.powi(i32::try_from(count).unwrap_or(i32::MAX)),
            (_, false) => 0.5,
        }
    }

    /// Drops each function that `variant` changes, unless all of its `failing` ids failed in `reference`, the outcomes
    /// of a run of `variant` with the reference code. Returns whether a function was dropped. If so, variants that were
    /// made before are invalid.
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

    /// Draws the two variants of a pair of runs, in the order of the runs. Each function is changed in exactly one of
    /// the two variants: in either variant with probability 1/2, independently of the other functions. If the tests
    /// influence each other, one of the two variants changes all functions.
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

    /// (path, text with the edits of `variant`) of every file with a changed function. The list of files is the same
    /// for all variants.
    ///
    /// # Errors
    ///
    /// Returns an internal error if a file is missing or the edits do not fit its text.
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

    /// Checks the outcomes of a run of a variant. If an unchanged test did not pass, the outcomes of the changed tests
    /// do not matter: the code is wrong. `expected` contains the ids of the tests that correct code passes.
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

    /// All test ids of the functions that a variant changes.
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
