//! The search for a form of each test function that right code fails. A state machine without I/O: it asks for runs of
//! the reference and takes what they showed.

use std::collections::BTreeMap;

use super::candidate::{Candidate, candidates, supporting_code};
use super::changed::{ChangedFunction, CounterTests};
use super::task::{Outcomes, TestedTask};
use crate::benchmark::RepoPath;
use crate::code::{Edit, Sources, edited};

/// How many runs the functions of the tests are given, and how many supporting code is. Most tasks need one.
const ATTEMPTS: usize = 6;

/// The search for a task's counter-tests. Until there is no further [`Self::attempt`], the reference runs the task's list
/// with its files, and [`Self::observe`] takes its outcomes; then [`Self::finish`] gives what was found.
pub struct Search<'a> {
    sources: &'a dyn Sources,
    task: TestedTask<'a>,
    candidates: Vec<Candidate>,
    attempts: usize,
    /// Whether supporting code is tried.
    support: bool,
}

impl<'a> Search<'a> {
    /// A search for the tests of a task in these files.
    pub fn new(sources: &'a dyn Sources, task: TestedTask<'a>) -> Self {
        Self {
            candidates: candidates(sources, &task),
            sources,
            task,
            attempts: 0,
            support: false,
        }
    }

    /// The whole texts of the files to be tried next, with a form of every test function: the one that was found, or the
    /// next one. `None` when the search is done.
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

    /// Takes what the reference showed with the last attempt's files. Where tests were not reported, a changed parameter,
    /// which is evaluated on import, may be the reason: the others are tried again without it.
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
