//! Searches for a changed form of each test function that right code fails. A state machine without I/O: it requests
//! runs of the reference and evaluates their outcomes.

use std::collections::BTreeMap;

use super::candidate::{Candidate, candidates, supporting_code};
use super::changed::{ChangedFunction, CounterTests};
use super::task::{Outcomes, TestedTask};
use crate::benchmark::RepoPath;
use crate::code::{Edit, Sources, edited};

/// The maximum number of runs for the test functions, and again for supporting code. Most tasks need one run.
const ATTEMPTS: usize = 6;

/// The search for a task's counter-tests. While [`Self::attempt`] returns files, the caller runs the task's list with
/// these files and the reference, and passes the outcomes to [`Self::observe`]. Then [`Self::finish`] returns what was
/// found.
pub struct Search<'a> {
    sources: &'a dyn Sources,
    task: TestedTask<'a>,
    candidates: Vec<Candidate>,
    attempts: usize,
    /// Whether the search has moved on to supporting code.
    support: bool,
}

impl<'a> Search<'a> {
    /// Starts a search for the counter-tests of `task`. Its files are in `sources`.
    pub fn new(sources: &'a dyn Sources, task: TestedTask<'a>) -> Self {
        Self {
            candidates: candidates(sources, &task),
            sources,
            task,
            attempts: 0,
            support: false,
        }
    }

    /// The whole texts of the files to try next. Each test function has its found form, or else the next form to try.
    /// `None` if the search is done.
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

    /// Evaluates the outcomes of the reference with the last attempt's files. If tests were not reported, the reason
    /// may be a changed parameter, because parameters are evaluated on import. Only that form is then given up, and the
    /// other forms are tried again.
    pub fn observe(&mut self, reference: &Outcomes) {
        let hides = |of: &Candidate| of.may_hide() && !of.is_reported(reference);
        let is_hidden = self.candidates.iter().any(hides);
        for candidate in &mut self.candidates {
            if !is_hidden || candidate.may_hide() || candidate.is_reported(reference) {
                candidate.observe(reference, &self.task);
            }
        }
    }

    /// The functions for which a form was found.
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
