//! A test function and its forms. A form is one possible change of the function. A form works if the reference code
//! fails the changed test.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::super::runner::{Outcome, TestFailure, TestReport};
use super::lookup::{asks_for_all, place};
use super::task::{Outcomes, TestedTask, has_ended};
use crate::benchmark::{Language, LanguageFeature, RepoPath};
use crate::code::{
    Edit, Mutation, MutationKind, Sources, TestFunction, support, without_parameters,
};

/// The maximum number of replaced values that the search tries per function.
const VALUES: usize = 5;
/// The maximum number of negated assertions that the search tries per function, after the replaced values.
const NEGATED: usize = 2;
/// The maximum number of mutations that the search tries in one assertion. Replaced values and negations are counted
/// separately.
const IN_ONE_ASSERTION: usize = 3;

/// A form: one way to change a test function.
#[derive(Debug, Clone)]
pub(super) struct ChangedTest {
    pub path: RepoPath,
    pub edits: Vec<Edit>,
    pub description: String,
    kind: MutationKind,
}

/// A test function with its forms. The function has several test ids if it has parameters or if several classes
/// inherit it.
#[derive(Debug)]
pub(super) struct Candidate {
    pub name: String,
    /// The test ids of the unchanged function that the reference code passes.
    pub passing: Vec<String>,
    forms: Vec<ChangedTest>,
    next: usize,
    /// (the form that works, the test ids that the reference code fails with this form). `None` if no form is known to
    /// work.
    pub found: Option<(ChangedTest, Vec<String>)>,
}

impl Candidate {
    fn new(name: String, passing: Vec<String>, forms: Vec<ChangedTest>) -> Self {
        Self {
            name,
            passing,
            forms,
            next: 0,
            found: None,
        }
    }

    /// The form to try next. `None` if a form that works was found or no form is left.
    pub fn open(&self) -> Option<&ChangedTest> {
        self.forms.get(self.next).filter(|_| self.found.is_none())
    }

    /// The form to use in an attempt: the form that works if it was found, or else the form to try next.
    pub fn active(&self) -> Option<&ChangedTest> {
        let found = self.found.as_ref();
        found.map(|(form, _)| form).or(self.open())
    }

    fn functions(&self) -> HashSet<&str> {
        let ids = self.passing.iter();
        ids.map(|id| without_parameters(id)).collect()
    }

    /// Whether `seen` has a report of any test of the function, with any parameters.
    pub fn is_reported(&self, seen: &Outcomes) -> bool {
        let functions = self.functions();
        let mut ids = seen.keys();
        ids.any(|id| functions.contains(without_parameters(id)))
    }

    /// Whether the form to try next may prevent the import of its file. A changed parameter can, because parameters are
    /// evaluated on import. Another name or exception can, if tests are compiled.
    pub fn may_hide(&self) -> bool {
        let open = self.open();
        open.is_some_and(|form| match form.kind {
            MutationKind::Parameter => true,
            MutationKind::Part | MutationKind::Operand | MutationKind::Negated => {
                Language::of_path(form.path.as_str())
                    .is_some_and(|language| language.has(LanguageFeature::CompiledTests))
            }
            _ => false,
        })
    }

    /// Evaluates `seen`, the outcomes of the reference code with the form to try next. If a test of the function fails,
    /// this form works. Otherwise the search goes on to the following form.
    pub fn observe(&mut self, seen: &Outcomes, task: &TestedTask) {
        let Some(form) = self.open() else {
            return;
        };
        let failing = self.failing(form, seen, task);
        if failing.is_empty() {
            self.next += 1;
        } else {
            self.found = Some((form.clone(), failing));
        }
    }

    /// The test ids that failed with `form`. If the form does not negate an assertion, only unmet assertions count: the
    /// change itself may cause other errors. If the form changes a parameter, the failed tests may have new ids.
    fn failing(&self, form: &ChangedTest, seen: &Outcomes, task: &TestedTask) -> Vec<String> {
        let functions = self.functions();
        let is_own = |id: &String| {
            let is_new = form.kind == MutationKind::Parameter
                && functions.contains(without_parameters(id))
                && !task.stub.contains_key(id);
            (is_new || self.passing.contains(id)) && !task.flaky.contains(id)
        };
        let is_unmet = |test: &TestReport| test.failure.as_ref().is_some_and(TestFailure::is_unmet);
        let fails = |test: &TestReport| {
            let met = form.kind < MutationKind::Negated && !is_unmet(test);
            test.outcome == Outcome::Failed && !met
        };
        let failing = seen.iter().filter(|(id, seen)| fails(seen) && is_own(id));
        let mut failing: Vec<String> = failing.map(|(id, _)| id.clone()).collect();
        failing.sort();
        failing
    }
}

/// The test functions of a task that can be changed, each with at least one form to try.
pub(super) fn candidates(sources: &dyn Sources, task: &TestedTask) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (path, functions) in functions(sources, task) {
        let Some(text) = sources.text(&path) else {
            continue;
        };
        let Some(file) = support(task.language).test_source(&text) else {
            continue;
        };
        let mut here: Vec<(Range<usize>, Candidate)> = Vec::new();
        for (names, ids) in functions {
            let effect = |lines| effect(task.stub, &ids, &path, lines);
            let Some(function) = file.test(&names, task.target, &effect) else {
                continue;
            };
            let (range, mut known) = (function.range.clone(), here.iter_mut());
            match known.find(|(known, _)| known.start < range.end && range.start < known.end) {
                Some((known, candidate)) if *known == range => candidate.passing.extend(ids),
                Some(_) => {}
                None => {
                    let forms = forms(&path, &text, function, &ids, task);
                    here.push((range, Candidate::new(names.join("::"), ids, forms)));
                }
            }
        }
        found.extend(here.into_iter().map(|(_, candidate)| candidate));
    }
    found.retain(|candidate| !candidate.forms.is_empty());
    found
}

/// The first line at which a test in `ids` fails with the stub, within `lines` of the file at `path`. At this line, the
/// test usually calls the stub or has an assertion. `None` if no failure of these tests has a stack frame in `lines`.
fn effect(stub: &Outcomes, ids: &[String], path: &RepoPath, lines: Range<u32>) -> Option<u32> {
    let failed = ids.iter().filter_map(|id| stub.get(id));
    let failed = failed.filter(|test| test.outcome == Outcome::Failed);
    let failures = failed.filter_map(|test| test.failure.as_ref());
    let own =
        |(file, line, _): &&(String, u32, String)| file == path.as_str() && lines.contains(line);
    let outermost = failures.filter_map(|failure| failure.frames.iter().find(own));
    outermost.map(|(_, line, _)| *line).min()
}

/// (names of a test function's classes and of the function, outermost first; test ids of the function)
type Named = (Vec<String>, Vec<String>);

/// Key: a test file; value: its test functions with their expected ids. A function is left out if the stub passes all
/// its ids.
fn functions(sources: &dyn Sources, task: &TestedTask) -> BTreeMap<RepoPath, Vec<Named>> {
    let mut by_function: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for id in task.expected {
        let ids = by_function.entry(without_parameters(id)).or_default();
        ids.push(id.clone());
    }
    by_function.retain(|_, ids| {
        !ids.iter()
            .all(|id| has_ended(task.stub, id, Outcome::Passed))
    });
    let mut found: BTreeMap<RepoPath, Vec<Named>> = BTreeMap::new();
    for (function, ids) in by_function {
        if let Some((path, names)) = place(function, task, sources) {
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
    task: &TestedTask,
) -> Vec<ChangedTest> {
    let is_asked_for = |id: &String| asks_for_all(task.entries, without_parameters(id));
    let parameters_may_change = ids.iter().all(is_asked_for);
    let mut mutations = function.mutations;
    mutations.retain(|of| of.kind != MutationKind::Parameter || parameters_may_change);
    let form = |mutation: Mutation| {
        let mut form = ChangedTest::new(path, text, mutation);
        form.edits.extend(function.calls.iter().cloned());
        form
    };
    shortlist(mutations).into_iter().map(form).collect()
}

/// The first mutations of the list, up to the limits `VALUES`, `NEGATED` and `IN_ONE_ASSERTION`.
fn shortlist(mutations: Vec<Mutation>) -> Vec<Mutation> {
    let mut chosen: Vec<Mutation> = Vec::new();
    for mutation in mutations {
        let is_negated = |of: &Mutation| of.kind >= MutationKind::Negated;
        let negated = is_negated(&mutation);
        let limit = if negated { NEGATED } else { VALUES };
        let alike = || chosen.iter().filter(|of| is_negated(of) == negated);
        let same = alike().filter(|of| of.assertion == mutation.assertion);
        if alike().count() < limit && same.count() < IN_ONE_ASSERTION {
            chosen.push(mutation);
        }
    }
    chosen
}

impl ChangedTest {
    fn new(path: &RepoPath, text: &str, mutation: Mutation) -> Self {
        Self {
            path: path.clone(),
            description: format!("{path}:{}", mutation.describe(text)),
            kind: mutation.kind,
            edits: vec![mutation.edit],
        }
    }
}

/// The candidate for tests that assert nothing themselves. Its forms change assertions outside of the tests, in the
/// test files and in helper files of the same folders. All tests share this code, so there is only one such candidate.
/// `None` if there is no such assertion.
pub(super) fn supporting_code(sources: &dyn Sources, task: &TestedTask) -> Option<Candidate> {
    let mut found = Vec::new();
    for path in supporting_files(sources, task) {
        let Some(text) = sources.text(&path) else {
            continue;
        };
        let mutations = support(task.language)
            .test_source(&text)
            .map(|file| file.support(task.target));
        let mutations = shortlist(mutations.unwrap_or_default()).into_iter();
        found.extend(mutations.map(|mutation| ChangedTest::new(&path, &text, mutation)));
    }
    found.sort_by_key(|form| form.kind);
    found.truncate(VALUES + NEGATED);
    let name = "supporting code".to_owned();
    (!found.is_empty()).then(|| Candidate::new(name, task.expected.to_vec(), found))
}

fn supporting_files(sources: &dyn Sources, task: &TestedTask) -> Vec<RepoPath> {
    let mut files: Vec<RepoPath> = functions(sources, task).into_keys().collect();
    let mut folders: Vec<String> = files.iter().map(|path| path.folder().to_owned()).collect();
    folders.dedup();
    for folder in folders {
        for path in sources.files_in(&folder) {
            if support(task.language).is_test_support(path.file_name()) && !files.contains(&path) {
                files.push(path);
            }
        }
    }
    files
}
