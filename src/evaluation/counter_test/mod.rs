//! Counter-tests: each test function of a task with one expectation changed, so that right code must fail it.
//!
//! Code that is tested in the process that judges it can make any test pass: by objects that are equal to everything,
//! by patched reports, by reading the expected value from its caller. Such code passes the changed tests too. Which
//! tests are changed is drawn at random for each pair of runs, and the second run changes the others, so that neither
//! the order of the runs nor their number says which tests right code must fail.
//!
//! [`Search`] finds one form for each test function and needs somebody to run them; nothing here runs anything.
//! [`CounterTests`] are its result. They are part of a baseline, give the files of a [`Variant`], and judge what a run of
//! it showed. How the tests of a language are changed is in a module of its own (`python`).

mod candidate;
mod lookup;
mod mutation;
mod observation;
mod python;
mod search;
mod variant;

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use self::mutation::{Edit, edited};
pub use self::observation::{Body, Cause, Observations, Observed, PROBE_BODY, Request, STUB_BODY};
pub use self::search::{Search, Sources, Task};
pub use self::variant::{Variant, VariantOutcome};
use crate::benchmark::RepoPath;
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
    pub edits: Vec<(std::ops::Range<usize>, String)>,
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
    fn new(functions: Vec<ChangedFunction>) -> Self {
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
    pub fn drop_unconfirmed(&mut self, variant: &Variant, reference: &Observations) -> bool {
        let before = self.count();
        let mut changed = (0..before).map(|function| variant.changes(function));
        self.functions.retain(|function| {
            let fails = || function.failing.iter().all(|id| reference.failed(id));
            !changed.next().unwrap_or(false) || fails()
        });
        self.count() < before
    }

    /// The texts of every file with a form, changed or not: all variants bring the same list of files.
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
        outcomes: &HashMap<String, Observed>,
    ) -> VariantOutcome {
        let changed = self.changed(variant);
        let left_out: HashSet<&String> = changed.flat_map(|each| &each.passing).collect();
        let passed = |id: &&String| outcomes.get(*id) == Some(&Observed::Passed);
        let as_written = expected.iter().filter(|id| !left_out.contains(id));
        let failed: Vec<String> = as_written.filter(|id| !passed(id)).cloned().collect();
        if !failed.is_empty() {
            return VariantOutcome::Failed(failed);
        }
        let failing = || self.changed(variant).flat_map(|each| &each.failing);
        if let Some(id) = failing().find(passed) {
            return VariantOutcome::Tampered(id.clone());
        }
        let unclear = |id: &&String| !matches!(outcomes.get(*id), Some(Observed::Failed(_)));
        let unclear: Vec<String> = failing().filter(unclear).cloned().collect();
        if unclear.is_empty() {
            VariantOutcome::AsExpected
        } else {
            VariantOutcome::Inconclusive(unclear)
        }
    }

    fn changed<'a>(&'a self, variant: &'a Variant) -> impl Iterator<Item = &'a ChangedFunction> {
        let numbered = self.functions.iter().enumerate();
        numbered
            .filter(|(function, _)| variant.changes(*function))
            .map(|(_, function)| function)
    }
}

#[cfg(test)]
mod tests;
