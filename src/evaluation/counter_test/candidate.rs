//! A test function, the forms that it may get, and what runs have shown of them.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::lookup::{asks_for_all, place, without_parameters};
use super::mutation::{Edit, Mutation, MutationKind, Relation};
use super::observation::{Cause, Observations, Observed};
use super::python::{TestFile, TestFunction};
use super::search::{Sources, Task};
use crate::benchmark::RepoPath;

/// How many mutations of a function are tried that leave its assertions as they are but for a value.
const VALUES: usize = 5;
/// How many are tried after them that negate an assertion.
const NEGATED: usize = 3;
/// How many of each are tried in one assertion.
const IN_ONE_ASSERTION: usize = 3;
/// How many mutations of supporting code are tried.
const IN_SUPPORT: usize = 6;

/// One way to change a test function.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub path: RepoPath,
    pub edits: Vec<Edit>,
    pub description: String,
    pub kind: MutationKind,
    pub relation: Relation,
    assertion: usize,
    /// Whether the edit is evaluated when the file is imported, where it could hide every test of the file.
    at_import: bool,
}

/// A form that the reference fails.
#[derive(Debug, Clone)]
pub(super) struct Settled {
    pub form: Form,
    /// The ids that fail.
    pub failing: Vec<String>,
    pub strength: Strength,
}

/// How much a form that the reference fails says about other code, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Nothing was seen against it.
    Confirmed,
    /// Code that is equal to everything passes the test as written but fails this form, as right code does.
    Weak,
    /// The test fails before it calls the target: no code passes it.
    Unreached,
}

/// A test function with its forms. Classes that inherit it, and its parameters, give it several ids.
#[derive(Debug)]
pub(super) struct Candidate {
    pub name: String,
    /// The ids that the reference passes.
    pub passing: Vec<String>,
    forms: Vec<Form>,
    next: usize,
    pub best: Option<Settled>,
}

impl Candidate {
    fn new(name: String, passing: Vec<String>, forms: Vec<Form>) -> Self {
        Self {
            name,
            passing,
            forms,
            next: 0,
            best: None,
        }
    }

    /// The form to be tried next; `None` when the best is known.
    pub fn open(&self) -> Option<&Form> {
        let best = self.best.as_ref().map(|best| best.strength);
        self.forms
            .get(self.next)
            .filter(|_| best != Some(Strength::Confirmed))
    }

    /// The form that an attempt has: the one to be tried, or the one that was settled.
    pub fn active(&self) -> Option<&Form> {
        let settled = self
            .best
            .as_ref()
            .filter(|best| best.strength < Strength::Unreached);
        self.open().or(settled.map(|settled| &settled.form))
    }

    /// Whether any test of the function was reported.
    pub fn is_reported(&self, seen: &Observations) -> bool {
        let own = self.functions();
        seen.outcomes
            .keys()
            .any(|id| own.contains(without_parameters(id)))
    }

    fn functions(&self) -> HashSet<&str> {
        self.passing
            .iter()
            .map(|id| without_parameters(id))
            .collect()
    }

    /// The ids by which a form has failed: because an assertion was not met, where the assertion itself is unchanged,
    /// and not by another error, which all code would run into. A changed parameter may have made new ids; `known` are
    /// those of the tests as written.
    pub fn failing(&self, form: &Form, seen: &Observations, known: &Observations) -> Vec<String> {
        let functions = self.functions();
        let is_own = |id: &String| {
            let is_new = form.kind == MutationKind::Parameter
                && functions.contains(without_parameters(id))
                && !known.outcomes.contains_key(id);
            is_new || self.passing.contains(id)
        };
        let fails = |observed: &Observed| match observed {
            Observed::Failed(Cause::Assertion) => true,
            Observed::Failed(_) => form.kind >= MutationKind::Negated,
            _ => false,
        };
        let outcomes = seen.outcomes.iter();
        let failing = outcomes.filter(|(id, observed)| fails(observed) && is_own(id));
        let mut failing: Vec<String> = failing.map(|(id, _)| id.clone()).collect();
        failing.sort();
        failing
    }

    /// Notes what the open form has shown and goes on to the next.
    pub fn settle(&mut self, failing: Vec<String>, strength: Strength) {
        let Some(form) = self.open().cloned() else {
            return;
        };
        self.skip();
        if failing.is_empty() {
            return;
        }
        if strength == Strength::Unreached {
            let same = |open: &Form| open.assertion == form.assertion && open.path == form.path;
            while self.open().is_some_and(same) {
                self.skip();
            }
        }
        if self
            .best
            .as_ref()
            .is_none_or(|best| strength < best.strength)
        {
            self.best = Some(Settled {
                form,
                failing,
                strength,
            });
        }
    }

    /// Goes on to the next form.
    pub fn skip(&mut self) {
        self.next += 1;
    }

    /// Leaves it at what was found.
    pub fn close(&mut self) {
        self.next = self.forms.len();
    }

    /// Whether its open form may have kept a file from being imported.
    pub fn may_hide(&self, path: &RepoPath) -> bool {
        self.open()
            .is_some_and(|form| form.at_import && form.path == *path)
    }
}

/// The test functions of a task that can be changed.
pub(super) fn candidates(sources: &dyn Sources, task: &Task) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (path, functions) in functions(sources, task) {
        let Some(text) = sources.text(&path) else {
            continue;
        };
        let Some(file) = TestFile::parse(&text) else {
            continue;
        };
        let mut here: Vec<(TestFunction, Vec<String>, Vec<String>)> = Vec::new();
        for (names, ids) in functions {
            let Some(function) = file.test(&names, task.target) else {
                continue;
            };
            let mut known = here.iter_mut();
            match known.find(|(known, ..)| overlap(&known.range, &function.range)) {
                Some((known, _, own)) if known.range == function.range => own.extend(ids),
                Some(_) => {}
                None => here.push((function, names, ids)),
            }
        }
        found.extend(here.into_iter().map(|(function, names, ids)| {
            let forms = forms(&path, &text, function, &ids, task);
            Candidate::new(names.join("::"), ids, forms)
        }));
    }
    found.retain(|candidate| !candidate.forms.is_empty());
    found
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// The ids of a test function that goes by these names.
type Named = (Vec<String>, Vec<String>);

/// The expected ids by file and function, in the order of the files' paths.
fn functions(sources: &dyn Sources, task: &Task) -> BTreeMap<RepoPath, Vec<Named>> {
    let mut by_function: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for id in task.expected {
        let ids = by_function.entry(without_parameters(id)).or_default();
        ids.push(id.clone());
    }
    let mut found: BTreeMap<RepoPath, Vec<Named>> = BTreeMap::new();
    for (function, ids) in by_function {
        if let Some((path, names)) = place(function, task.entries, sources) {
            found.entry(path).or_default().push((names, ids));
        }
    }
    found
}

fn forms(
    path: &RepoPath,
    text: &str,
    function: TestFunction,
    ids: &[String],
    task: &Task,
) -> Vec<Form> {
    let is_asked_for = |id: &String| asks_for_all(task.entries, without_parameters(id));
    let parameters_may_change = ids.iter().all(is_asked_for);
    let mutations = test
        .mutations
        .into_iter()
        .filter(|mutation| mutation.kind != MutationKind::Parameter || parameters_may_change);
    let inside = |range: &Range<usize>| function.range.contains(&range.start);
    let form = |mutation: Mutation| {
        let outside = !inside(&mutation.edit.0);
        let mut form = Form::new(path, text, mutation);
        form.at_import |= outside;
        form.edits.extend(function.calls.iter().cloned());
        form
    };
    shortlist(mutations).into_iter().map(form).collect()
}

/// The best mutations, not too many of one assertion.
fn shortlist(mutations: impl Iterator<Item = Mutation>) -> Vec<Mutation> {
    let mut kept: Vec<Mutation> = Vec::new();
    for mutation in mutations {
        let is_negated = |of: &Mutation| of.kind >= MutationKind::Negated;
        let limit = if is_negated(&mutation) {
            NEGATED
        } else {
            VALUES
        };
        let alike = || {
            kept.iter()
                .filter(|of| is_negated(of) == is_negated(&mutation))
        };
        let same = alike().filter(|of| of.assertion == mutation.assertion);
        if alike().count() < limit && same.count() < IN_ONE_ASSERTION {
            kept.push(mutation);
        }
    }
    kept
}

impl Form {
    fn new(path: &RepoPath, text: &str, mutation: Mutation) -> Self {
        Self {
            path: path.clone(),
            description: format!("{path}:{}", mutation.describe(text)),
            kind: mutation.kind,
            relation: mutation.relation,
            assertion: mutation.assertion,
            at_import: mutation.kind == MutationKind::Parameter,
            edits: vec![mutation.edit],
        }
    }
}

/// What tests that assert nothing themselves may call: the assertions in the rest of their files and in helper files
/// next to them. One candidate for all tests, because they share that code.
pub(super) fn supporting_code(sources: &dyn Sources, task: &Task) -> Option<Candidate> {
    let mut found = Vec::new();
    for path in supporting_files(sources, task) {
        let Some(text) = sources.text(&path) else {
            continue;
        };
        let mutations = TestFile::parse(&text).map(|file| file.support(task.target));
        let mutations = shortlist(mutations.unwrap_or_default().into_iter()).into_iter();
        found.extend(mutations.map(|mutation| Form::new(&path, &text, mutation)));
    }
    found.sort_by_key(|form| form.kind);
    found.truncate(IN_SUPPORT);
    let name = "supporting code".to_owned();
    (!found.is_empty()).then(|| Candidate::new(name, task.expected.to_vec(), found))
}

fn supporting_files(sources: &dyn Sources, task: &Task) -> Vec<RepoPath> {
    const WORDS: [&str; 5] = ["util", "helper", "base", "common", "support"];
    let mut files: Vec<RepoPath> = functions(sources, task).into_keys().collect();
    let mut folders: Vec<String> = files.iter().map(|path| path.folder().to_owned()).collect();
    folders.dedup();
    let supports = |path: &RepoPath| {
        let name = path.file_name();
        matches!(name, "__init__.py" | "conftest.py")
            || TestFile::is_one(name) && WORDS.iter().any(|word| name.contains(word))
    };
    for folder in folders {
        for path in sources.files_in(&folder) {
            if supports(&path) && !files.contains(&path) {
                files.push(path);
            }
        }
    }
    files
}
