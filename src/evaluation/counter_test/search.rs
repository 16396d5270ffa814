//! Searches for a changed form of each test function such that right code fails the changed function. The search is a
//! state machine that makes no runs itself: it returns the files for a run of the reference, and evaluates the outcomes
//! that its caller passes back.

use std::collections::BTreeMap;

use super::candidate::{Candidate, candidates, supporting_code};
use super::changed::{ChangedFunction, CounterTests};
use super::task::{Outcomes, TestedTask};
use crate::benchmark::RepoPath;
use crate::code::{Edit, Sources, edited};

/// The maximum number of attempts with changed test functions. If no form of a test function works, the search makes up
/// to as many attempts with supporting code. Most tasks need one attempt.
const ATTEMPTS: usize = 6;

/// The search for a task's counter-tests. As long as [`Self::attempt`] returns files, the caller runs the task's list
/// of tests with these files and the reference, and passes the outcomes to [`Self::observe`]. Then [`Self::finish`]
/// returns the counter-tests.
pub struct Search<'a> {
    sources: &'a dyn Sources,
    task: TestedTask<'a>,
    candidates: Vec<Candidate>,
    attempts: usize,
    /// Whether the candidate is the supporting code, because no test function had a form that works.
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

    /// The paths and the complete texts of the files for the next attempt. Each test function has the form that works
    /// if it was found, or else the form to try next. `None` if the search is done.
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

    /// Evaluates the outcomes of the reference with the last attempt's files. If a function with a changed parameter
    /// was not reported, the changed parameter may have prevented the import of its file. In that case, each unreported
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

    /// The counter-tests: all functions for which a form that works was found.
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
