//! The search for a form of each test function that right code fails. A state machine without I/O: it asks for runs and
//! is shown what they showed.

use std::collections::BTreeMap;

use super::candidate::{Candidate, Form, Strength, candidates, supporting_code};
use super::mutation::{Edit, MutationKind, Relation, edited};
use super::observation::{Body, Cause, Observations, Observed, Request};
use super::{ChangedFunction, CounterTests};
use crate::benchmark::RepoPath;

/// How many forms of a function are tried. Most tasks need one attempt.
const ATTEMPTS: usize = 9;

/// The files of a project as written.
pub trait Sources {
    /// The text of a file; `None` where it can't be read or is not UTF-8.
    fn text(&self, path: &RepoPath) -> Option<String>;
    /// The files directly in a folder.
    fn files_in(&self, folder: &str) -> Vec<RepoPath>;
}

/// The tests of a task.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The task's list, which every run is asked for: ids of tests, classes or files.
    pub entries: &'a [String],
    /// The ids that the reference passes.
    pub expected: &'a [String],
    /// The ids that it passes now and then.
    pub flaky: &'a [String],
    /// The name of the target function.
    pub target: &'a str,
}

/// The search for a task's counter-tests: [`Self::request`] a run, [`Self::observe`] what it showed, until no run is
/// asked for; then [`Self::finish`].
pub struct Search<'a> {
    sources: &'a dyn Sources,
    task: Task<'a>,
    candidates: Vec<Candidate>,
    /// What the stub shows of the tests as written.
    stub: Observations,
    /// What the probe shows of them, once that was asked for.
    probe: Option<Observations>,
    attempt: Option<Attempt>,
    attempts: usize,
    /// Whether supporting code was looked at.
    supported: bool,
    pending: Option<Question>,
}

/// Changed files, and what was seen with them so far.
#[derive(Default)]
struct Attempt {
    files: Vec<(RepoPath, String)>,
    reference: Option<Observations>,
    stub: Option<Observations>,
    probe: Option<Observations>,
}

/// A run that is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    /// One with the attempt's files.
    Changed(Body),
    /// The probe with the tests as written.
    ProbeAsWritten,
}

impl<'a> Search<'a> {
    /// A search that begins with what the stub shows of the tests as written.
    pub fn new(sources: &'a dyn Sources, task: Task<'a>, stub: Observations) -> Self {
        Self {
            candidates: candidates(sources, &task),
            sources,
            task,
            stub,
            probe: None,
            attempt: None,
            attempts: 0,
            supported: false,
            pending: None,
        }
    }

    /// The next run that is needed; `None` when the search is done.
    pub fn request(&mut self) -> Option<Request> {
        loop {
            let Some(attempt) = &self.attempt else {
                self.attempt = Some(self.begin()?);
                continue;
            };
            if let Some(question) = self.question(attempt) {
                let (body, files) = match question {
                    Question::Changed(body) => (body, attempt.files.clone()),
                    Question::ProbeAsWritten => (Body::Probe, Vec::new()),
                };
                self.pending = Some(question);
                return Some(Request { body, files });
            }
            self.settle();
        }
    }

    /// Takes what the requested run showed.
    pub fn observe(&mut self, mut seen: Observations) {
        seen.outcomes.retain(|id, _| !self.task.flaky.contains(id));
        let Some(attempt) = &mut self.attempt else {
            return;
        };
        match self.pending.take() {
            Some(Question::ProbeAsWritten) => self.probe = Some(seen),
            Some(Question::Changed(Body::Reference)) => attempt.reference = Some(seen),
            Some(Question::Changed(Body::Stub)) => attempt.stub = Some(seen),
            Some(Question::Changed(Body::Probe)) => attempt.probe = Some(seen),
            None => {}
        }
    }

    /// The forms that were found. Those that fail before the target is called are taken only where there is no other.
    pub fn finish(self) -> CounterTests {
        let found = self.candidates.into_iter().filter_map(|candidate| {
            let settled = candidate.best?;
            let function = ChangedFunction {
                path: settled.form.path,
                function: candidate.name,
                passing: candidate.passing,
                failing: settled.failing,
                edits: settled.form.edits,
                description: settled.form.description,
            };
            Some((settled.strength < Strength::Unreached, function))
        });
        let (reached, unreached): (Vec<_>, Vec<_>) = found.partition(|(reached, _)| *reached);
        let chosen = if reached.is_empty() {
            unreached
        } else {
            reached
        };
        let functions = chosen.into_iter().map(|(_, function)| function).collect();
        CounterTests::new(functions)
    }

    /// Starts the next attempt; after the functions of the tests, with supporting code.
    fn begin(&mut self) -> Option<Attempt> {
        let is_open = |candidate: &Candidate| candidate.open().is_some();
        if self.attempts >= ATTEMPTS || !self.candidates.iter().any(is_open) {
            let reached = |candidate: &Candidate| {
                let best = candidate.best.as_ref();
                best.is_some_and(|best| best.strength < Strength::Unreached)
            };
            if self.supported || self.candidates.iter().any(reached) {
                return None;
            }
            self.supported = true;
            self.attempts = 0;
            self.candidates.retain(|candidate| candidate.best.is_some());
            for candidate in &mut self.candidates {
                candidate.close();
            }
            self.candidates
                .push(supporting_code(self.sources, &self.task)?);
        }
        self.attempts += 1;
        let forms = self.candidates.iter().filter_map(Candidate::active);
        let files = changed_files(forms, self.sources)?;
        Some(Attempt {
            files,
            ..Attempt::default()
        })
    }

    /// The run that is needed to judge the open forms of an attempt.
    fn question(&self, attempt: &Attempt) -> Option<Question> {
        let Some(reference) = &attempt.reference else {
            return Some(Question::Changed(Body::Reference));
        };
        let unclear = |candidate: &&Candidate| {
            let form = candidate.open();
            form.is_some_and(|form| {
                form.relation == Relation::Unknown
                    && !candidate.failing(form, reference, &self.stub).is_empty()
            })
        };
        let unclear = || self.candidates.iter().filter(unclear);
        let mut for_probe = unclear().filter(|candidate| is_for_probe(candidate));
        if let Some(first) = for_probe.next() {
            let Some(probe) = &self.probe else {
                return Some(Question::ProbeAsWritten);
            };
            let mut all = std::iter::once(first).chain(for_probe);
            if attempt.probe.is_none() && all.any(|candidate| passes_any(probe, candidate)) {
                return Some(Question::Changed(Body::Probe));
            }
        }
        let mut for_stub = unclear().filter(|candidate| {
            let form = candidate.open();
            let failing = form.map(|form| candidate.failing(form, reference, &self.stub));
            is_stubbed(&self.stub, candidate)
                && self.probed(attempt, candidate, &failing.unwrap_or_default()) != Some(true)
        });
        (attempt.stub.is_none() && for_stub.next().is_some())
            .then_some(Question::Changed(Body::Stub))
    }

    /// Whether the probe passes a changed test as it passes the test as written; `None` where it says nothing.
    fn probed(&self, attempt: &Attempt, candidate: &Candidate, failing: &[String]) -> Option<bool> {
        let as_written = self.probe.as_ref()?;
        let changed = attempt.probe.as_ref().filter(|changed| !changed.ended)?;
        (is_for_probe(candidate) && passes_any(as_written, candidate))
            .then(|| failing.iter().any(|id| changed.passed(id)))
    }

    fn strength(&self, attempt: &Attempt, candidate: &Candidate, failing: &[String]) -> Strength {
        let form = candidate.open();
        let probed = self.probed(attempt, candidate, failing);
        if form.is_some_and(|form| form.relation != Relation::Unknown) || probed == Some(true) {
            return Strength::Confirmed;
        }
        let fails_before = |stub: &Observations| {
            let before = |id: &String| matches!(stub.of(id), Some(Observed::Failed(cause)) if cause != Cause::Stub);
            is_stubbed(&self.stub, candidate) && failing.iter().all(before)
        };
        if attempt.stub.as_ref().is_some_and(fails_before) {
            Strength::Unreached
        } else if probed == Some(false) {
            Strength::Weak
        } else {
            Strength::Confirmed
        }
    }

    /// Judges the open forms by what was seen of the attempt.
    fn settle(&mut self) {
        let Some(attempt) = self.attempt.take() else {
            return;
        };
        let Some(reference) = &attempt.reference else {
            return;
        };
        let hidden = self.hidden_files(&attempt, reference);
        let judged: Vec<_> = self
            .candidates
            .iter()
            .map(|candidate| {
                let form = candidate.open()?;
                let failing = candidate.failing(form, reference, &self.stub);
                let strength = self.strength(&attempt, candidate, &failing);
                Some((failing, strength))
            })
            .collect();
        for (candidate, judged) in self.candidates.iter_mut().zip(judged) {
            let path = candidate.open().map(|form| form.path.clone());
            let is_hidden =
                path.is_some_and(|path| hidden.contains(&path) && !candidate.may_hide(&path));
            if let (Some((failing, strength)), false) = (judged, is_hidden) {
                candidate.settle(failing, strength);
            }
        }
    }

    /// Changed files none of whose tests was reported, where a form evaluated on import may be the reason. The other
    /// forms in them are tried again without it.
    fn hidden_files(&self, attempt: &Attempt, reference: &Observations) -> Vec<RepoPath> {
        let is_in = |candidate: &&Candidate, path: &RepoPath| {
            candidate.open().is_some_and(|form| form.path == *path)
        };
        let paths = attempt.files.iter().map(|(path, _)| path);
        let hidden = paths.filter(|path| {
            let here = || {
                self.candidates
                    .iter()
                    .filter(|candidate| is_in(candidate, path))
            };
            here().any(|candidate| candidate.may_hide(path))
                && !here().any(|candidate| candidate.is_reported(reference))
        });
        hidden.cloned().collect()
    }
}

/// Whether the probe can say something: it fails a negated assertion as right code does.
fn is_for_probe(candidate: &Candidate) -> bool {
    candidate
        .open()
        .is_some_and(|form| form.kind < MutationKind::Negated)
}

fn passes_any(seen: &Observations, candidate: &Candidate) -> bool {
    candidate.passing.iter().any(|id| seen.passed(id))
}

/// Whether the stub's exception shows that a test as written calls the target.
fn is_stubbed(stub: &Observations, candidate: &Candidate) -> bool {
    let stubbed = |id: &String| stub.of(id) == Some(Observed::Failed(Cause::Stub));
    candidate.passing.iter().any(stubbed)
}

/// The texts of the files that these forms change.
fn changed_files<'f>(
    forms: impl Iterator<Item = &'f Form>,
    sources: &dyn Sources,
) -> Option<Vec<(RepoPath, String)>> {
    let mut edits: BTreeMap<&RepoPath, Vec<Edit>> = BTreeMap::new();
    for form in forms {
        let here = edits.entry(&form.path).or_default();
        here.extend(form.edits.iter().cloned());
    }
    let file = |(path, edits): (&RepoPath, Vec<Edit>)| {
        Some((path.clone(), edited(&sources.text(path)?, &edits)?))
    };
    let files: Vec<_> = edits.into_iter().map(file).collect::<Option<_>>()?;
    (!files.is_empty()).then_some(files)
}
