//! Searches for a changed form of each test function. A form works if the reference code fails the changed function.
//! The search makes no runs itself: it returns the files for a run, and its caller passes back the outcomes of the run.

use std::collections::BTreeMap;

use super::candidate::{Candidate, candidates, supporting_code};
use super::changed::{ChangedFunction, CounterTests};
use super::task::{Outcomes, TestedTask};
use crate::benchmark::RepoPath;
use crate::code::{Edit, Sources, edited};

/// The maximum number of attempts with changed test functions. If no form works for any test function, the search makes
/// at most the same number of attempts with supporting code (assertions outside of test functions). Most tasks need one
/// attempt.
const ATTEMPTS: usize = 7;

/// The search for a task's counter-tests. As long as [`Self::attempt`] returns files, the caller runs the task's tests
/// with these files and the reference code, and passes the outcomes to [`Self::observe`]. After the last attempt,
/// [`Self::finish`] returns the counter-tests.
pub struct Search<'a> {
    sources: &'a dyn Sources,
    task: TestedTask<'a>,
    candidates: Vec<Candidate>,
    attempts: usize,
    /// Whether the only candidate is the supporting code, because no test function had a form that works.
    support: bool,
}

impl<'a> Search<'a> {
    /// Starts a search for the counter-tests of `task`. `sources` has the files of the task's project.
    pub fn new(sources: &'a dyn Sources, task: TestedTask<'a>) -> Self {
        Self {
            candidates: candidates(sources, &task),
            sources,
            task,
            attempts: 0,
            support: false,
        }
    }

    /// The files for the next attempt: (path, complete text). Each test function has the form that works, if this form
    /// was found, or else the form to try next. `None` if the search is done.
    pub fn attempt(&mut self) -> Option<Vec<(RepoPath, String)>> {
        let is_open = |candidate: &Candidate| candidate.open().is_some();
        if self.attempts == ATTEMPTS || !self.candidates.iter().any(is_open) {
            let is_found = |candidate: &Candidate| candidate.found.is_some();
            if self.support || self.candidates.iter().any(is_found) {
                return None;
            }
            (self.support, self.attempts) = (true, 0);
            self.candidates = vec![supporting_code(self.sources, &self.task)?];
        }
        self.attempts += 1;
        let mut edits: BTreeMap<&RepoPath, Vec<Edit>> = BTreeMap::new();
        for form in self.candidates.iter().filter_map(Candidate::active) {
            let here = edits.entry(&form.path).or_default();
            here.extend(form.edits.iter().cloned());
        }
        let file = |(path, edits): (&RepoPath, Vec<Edit>)| {
            let text = edited(&self.sources.text(path)?, &edits)?;
            Some((path.clone(), text))
        };
        edits.into_iter().map(file).collect()
    }

    /// Evaluates the outcomes of the reference code with the last attempt's files. If a function with a changed
    /// parameter was not reported, the parameter may have prevented the import of the test file. Then each unreported
    /// function without a changed parameter has the same form in the next attempt.
    pub fn observe(&mut self, reference: &Outcomes) {
        let hides = |of: &Candidate| of.may_hide() && !of.is_reported(reference);
        let is_hidden = self.candidates.iter().any(hides);
        for candidate in &mut self.candidates {
            if !is_hidden || candidate.may_hide() || candidate.is_reported(reference) {
                candidate.observe(reference, &self.task);
            }
        }
    }

    /// The counter-tests: each function with a form that works.
    pub fn finish(self) -> CounterTests {
        let changed = |candidate: Candidate| {
            let (form, failing) = candidate.found?;
            Some(ChangedFunction {
                path: form.path,
                function: candidate.name,
                passing: candidate.passing,
                failing,
                edits: form.edits,
                description: form.description,
            })
        };
        CounterTests::new(self.candidates.into_iter().filter_map(changed).collect())
    }
}
