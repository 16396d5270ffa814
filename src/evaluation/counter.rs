//! The counter-test: a task's own tests with an expected value changed, which right code must fail.
//!
//! Code that is judged in its judge's own process can make any test pass: by objects that are equal to everything, by
//! patched reports, by reading the expected value out of its caller. It is not told the tests from their counter-tests, so
//! it passes both. That holds as far as a change leaves a claim that such code still meets (see [`change::Rank`]), and as
//! far as the changed value could have been the author's (`value.rs`).

mod change;
mod claim;
mod find;
mod value;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use self::change::{Change, Rank, changes_in_supporting_code, changes_in_test};
use super::protocol::{Bench, Footing, Usual};
use super::subject::{Body, Subject};
use super::unfit::USAGE;
use super::verdict::CounterTest;
use super::warden::{CompiledFile, Outcome, RunReport};
use crate::benchmark::RepoPath;
use crate::error::Result;

/// How many ways to change one test are tried before the next kind.
const TRIES: usize = 8;
/// How many changes to supporting code are tried for a task whose tests assert nothing themselves.
const SUPPORT_TRIES: usize = 12;
/// How many runs of the reference show how completions meet a counter-test. What threads leave varies.
const MEETINGS: usize = 2;

/// Changed test files and the ids that right code fails with them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    /// The changed files.
    pub files: Vec<(RepoPath, String)>,
    /// The ids that must fail.
    pub ids: Vec<String>,
    /// What pytest is asked for in runs of the reference where it does not know these ids, because a plugin has renamed
    /// them: the task's list. A completion's run is always asked for that.
    #[serde(default)]
    pub asked: Vec<String>,
    /// What was changed, for the reader: `tests/test_a.py:12: 3 becomes 44`.
    pub changes: Vec<String>,
    /// What the files compile to, as the reference's run showed it.
    #[serde(default)]
    pub code: Vec<CompiledFile>,
    /// What the reference's runs leave in their session, those with these files and those with the task's own.
    #[serde(default)]
    pub usual: Usual,
}

impl Mutant {
    /// What is said where a task has none.
    pub fn state(mutant: Option<&Self>) -> CounterTest {
        if mutant.is_some() {
            CounterTest::NotNeeded
        } else {
            CounterTest::None
        }
    }
}

/// One test function with the ways in which it can be changed; classes that inherit it have ids of their own for it.
struct Target {
    path: RepoPath,
    ids: Vec<String>,
    changes: Vec<Change>,
    next: usize,
    settled: Option<Change>,
}

/// Chooses a task's counter-test among the changes that the reference fails; `None` when there is none.
pub(super) fn choose(bench: &mut Bench, footing: &Footing) -> Result<Option<Mutant>> {
    let reference = bench.subject.files(Body::Reference)?;
    let Some(mutant) = find(bench, footing, &reference)? else {
        return Ok(None);
    };
    let known = as_completions_meet_it(bench, footing, &reference, mutant)?;
    Ok(Some(known).filter(|mutant| !mutant.ids.is_empty()))
}

/// A mutant as the runs of completions ask for it: with the ids that fail then, and what such runs leave.
fn as_completions_meet_it(
    bench: &mut Bench,
    footing: &Footing,
    reference: &[(RepoPath, Vec<u8>)],
    mut mutant: Mutant,
) -> Result<Mutant> {
    mutant.usual.clone_from(&footing.usual);
    for _ in 0..MEETINGS {
        let report = bench.run_mutant(footing, reference, &mutant, false)?;
        mutant.usual.learn(&report);
        if report.killed.is_none() && report.loss.is_none() {
            mutant.ids.retain(|id| fails(&report, id));
        }
    }
    Ok(mutant)
}

fn find(
    bench: &mut Bench,
    footing: &Footing,
    reference: &[(RepoPath, Vec<u8>)],
) -> Result<Option<Mutant>> {
    let mut targets = targets(bench.subject, &footing.expected);
    let mut compiled = Compiled::default();
    let mut asked = Vec::new();
    let mut tried = Vec::new();
    for _ in 0..TRIES {
        let Some(mut mutant) = attempt(bench.subject, &targets) else {
            break;
        };
        mutant.asked.clone_from(&asked);
        let report = first_run(bench, footing, reference, &mut mutant)?;
        asked.clone_from(&mutant.asked);
        compiled.learn(&mutant, &report);
        settle(&mut targets, &mutant, &report);
        tried.push(mutant.files);
        if targets
            .iter()
            .all(|target| target.settled.is_some() || target.next >= target.changes.len())
        {
            break;
        }
    }
    if let Some(mut settled) = finish(bench.subject, &targets) {
        settled.asked.clone_from(&asked);
        if !tried.contains(&settled.files) {
            // Each change has failed its test, but not yet beside the others.
            let report = first_run(bench, footing, reference, &mut settled)?;
            compiled.learn(&settled, &report);
            settled.ids.retain(|id| fails(&report, id));
        }
        if !settled.ids.is_empty() {
            settled.code = compiled.of(&settled);
            return Ok(Some(settled));
        }
    }
    in_supporting_code(bench, footing, reference, &asked)
}

/// A run of a mutant with the reference; one that pytest finds no test for is asked for by the task's own list.
fn first_run(
    bench: &mut Bench,
    footing: &Footing,
    reference: &[(RepoPath, Vec<u8>)],
    mutant: &mut Mutant,
) -> Result<RunReport> {
    let report = bench.run_mutant(footing, reference, mutant, true)?;
    if report.code != Some(USAGE) || !report.tests.is_empty() || !mutant.asked.is_empty() {
        return Ok(report);
    }
    mutant.asked.clone_from(&bench.subject.tests);
    bench.run_mutant(footing, reference, mutant, true)
}

/// What changed files compiled to in the runs so far, by their text.
#[derive(Default)]
struct Compiled(HashMap<String, CompiledFile>);

impl Compiled {
    fn learn(&mut self, mutant: &Mutant, report: &RunReport) {
        for file in &report.compiled {
            if let Some((_, text)) = mutant.files.iter().find(|(path, _)| *path == file.path) {
                self.0.insert(text.clone(), file.clone());
            }
        }
    }

    fn of(&self, mutant: &Mutant) -> Vec<CompiledFile> {
        let known = |(path, text): &(RepoPath, String)| {
            self.0.get(text).filter(|file| file.path == *path).cloned()
        };
        mutant.files.iter().filter_map(known).collect()
    }
}

fn in_supporting_code(
    bench: &mut Bench,
    footing: &Footing,
    reference: &[(RepoPath, Vec<u8>)],
    asked: &[String],
) -> Result<Option<Mutant>> {
    let candidates = changes_in_supporting_code(bench.subject, &footing.expected);
    for (path, change) in candidates.into_iter().take(SUPPORT_TRIES) {
        let Some(text) = source(bench.subject, &path) else {
            continue;
        };
        let mut mutant = Mutant {
            changes: vec![format!("{path}:{}", change.describe(&text))],
            files: vec![(path, change.apply(&text))],
            ids: footing.expected.clone(),
            asked: asked.to_vec(),
            code: Vec::new(),
            usual: Usual::default(),
        };
        let report = first_run(bench, footing, reference, &mut mutant)?;
        mutant.code.clone_from(&report.compiled);
        mutant.ids.retain(|id| fails(&report, id));
        if !mutant.ids.is_empty() {
            return Ok(Some(mutant));
        }
    }
    Ok(None)
}

fn fails(report: &RunReport, id: &str) -> bool {
    report
        .tests
        .get(id)
        .is_some_and(|test| test.outcome == Outcome::Failed)
}

/// Whether a test has failed by a change: of a claim that is not met, where the claim itself stands, and not by an error on
/// the way to it, which any code runs into.
fn fails_by(change: &Change, report: &RunReport, id: &str) -> bool {
    let failure = report.tests.get(id).and_then(|test| test.failure.as_ref());
    let unmet = failure.is_some_and(|failure| {
        failure.when == "call"
            && ["Assert", "Fail"]
                .iter()
                .any(|word| failure.error.contains(word))
    });
    fails(report, id) && (unmet || change.rank >= Rank::Turned)
}

fn source(subject: &Subject, path: &RepoPath) -> Option<String> {
    String::from_utf8(subject.project.read(path).ok()?).ok()
}

/// The file and the names of an id, parameters left out: `tests/a.py`, `[Class, test]`.
fn parts(id: &str) -> Option<(RepoPath, Vec<&str>)> {
    let plain = id.split('[').next().unwrap_or(id);
    let mut parts = plain.split("::");
    let path = RepoPath::new(parts.next()?);
    let names: Vec<&str> = parts.collect();
    (!names.is_empty()).then_some((path, names))
}

/// Where a test with that id stands: as the id says, or, where a plugin has renamed it, as the entry of the task's list
/// says whose function the id still names.
fn place(id: &str, subject: &Subject) -> Option<(RepoPath, Vec<String>)> {
    let owned = |(path, names): (RepoPath, Vec<&str>)| {
        (path, names.into_iter().map(str::to_owned).collect())
    };
    let told = parts(id).filter(|(path, names)| {
        let text = source(subject, path).unwrap_or_default();
        names
            .last()
            .is_some_and(|name| text.contains(&format!("def {name}(")))
    });
    if let Some(place) = told {
        return Some(owned(place));
    }
    let named = |entry: &&String| {
        parts(entry).is_some_and(|(_, names)| names.last().is_some_and(|name| id.contains(name)))
    };
    let entry = subject
        .tests
        .iter()
        .filter(named)
        .max_by_key(|entry| entry.len());
    parts(entry.map_or(id, String::as_str)).map(owned)
}

fn targets(subject: &Subject, expected: &[String]) -> Vec<Target> {
    let mut targets: Vec<(Vec<String>, Target)> = Vec::new();
    for id in expected {
        let Some((path, names)) = place(id, subject) else {
            continue;
        };
        let same_name =
            |(n, target): &&mut (Vec<String>, Target)| target.path == path && *n == names;
        if let Some((_, target)) = targets.iter_mut().find(same_name) {
            target.ids.push(id.clone());
            continue;
        }
        let changes = source(subject, &path)
            .map(|text| changes_in_test(&text, &names, subject))
            .unwrap_or_default();
        let same_place = |(_, target): &&mut (Vec<String>, Target)| {
            let places =
                |changes: &[Change]| changes.iter().map(|c| c.range.clone()).collect::<Vec<_>>();
            target.path == path && places(&target.changes) == places(&changes)
        };
        if let Some((_, target)) = targets.iter_mut().find(same_place) {
            target.ids.push(id.clone());
            continue;
        }
        let target = Target {
            path,
            ids: vec![id.clone()],
            changes,
            next: 0,
            settled: None,
        };
        targets.push((names, target));
    }
    targets
        .into_iter()
        .map(|(_, target)| target)
        .filter(|target| !target.changes.is_empty())
        .collect()
}

/// The next change of every target that has not settled, together.
fn attempt(subject: &Subject, targets: &[Target]) -> Option<Mutant> {
    let open = targets.iter().filter(|target| target.settled.is_none());
    let chosen: Vec<(&Target, &Change)> = open
        .filter_map(|target| Some((target, target.changes.get(target.next)?)))
        .collect();
    compose(subject, &chosen)
}

fn finish(subject: &Subject, targets: &[Target]) -> Option<Mutant> {
    let chosen: Vec<(&Target, &Change)> = targets
        .iter()
        .filter_map(|target| Some((target, target.settled.as_ref()?)))
        .collect();
    compose(subject, &chosen)
}

fn compose(subject: &Subject, chosen: &[(&Target, &Change)]) -> Option<Mutant> {
    let mut mutant = Mutant {
        files: Vec::new(),
        ids: Vec::new(),
        asked: Vec::new(),
        changes: Vec::new(),
        code: Vec::new(),
        usual: Usual::default(),
    };
    let mut paths: Vec<&RepoPath> = chosen.iter().map(|(target, _)| &target.path).collect();
    paths.sort();
    paths.dedup();
    for path in paths {
        let original = source(subject, path)?;
        let mut here: Vec<&(&Target, &Change)> = chosen
            .iter()
            .filter(|(target, _)| target.path == *path)
            .collect();
        here.sort_by_key(|(_, change)| std::cmp::Reverse(change.range.start));
        let mut text = original.clone();
        let mut untouched = usize::MAX;
        for (target, change) in here {
            if change.range.end > untouched {
                continue;
            }
            untouched = change.range.start;
            text = change.apply(&text);
            mutant.ids.extend(target.ids.iter().cloned());
            mutant
                .changes
                .push(format!("{path}:{}", change.describe(&original)));
        }
        mutant.files.push((path.clone(), text));
    }
    (!mutant.ids.is_empty()).then_some(mutant)
}

/// What a run of the mutant says of the targets that have a change in it.
fn settle(targets: &mut [Target], mutant: &Mutant, report: &RunReport) {
    let changed = |target: &&mut Target| {
        target.settled.is_none() && target.ids.iter().all(|id| mutant.ids.contains(id))
    };
    for target in targets.iter_mut().filter(changed) {
        let Some(change) = target.changes.get(target.next) else {
            continue;
        };
        let failing: Vec<String> = target
            .ids
            .iter()
            .filter(|id| fails_by(change, report, id))
            .cloned()
            .collect();
        if failing.is_empty() {
            target.next += 1;
        } else {
            target.settled = Some(change.clone());
            target.ids = failing;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{Failure, TestReport};

    #[test]
    fn an_id_names_a_file_and_a_function() {
        let (path, names) = parts("tests/a.py::T::test_x[a::b-1]").unwrap();
        assert_eq!((path.as_str(), names), ("tests/a.py", vec!["T", "test_x"]));
        assert!(parts("tests/a.py").is_none());
    }

    #[test]
    fn an_error_on_the_way_to_a_claim_is_no_failure_of_it() {
        let change = |rank| Change {
            range: 0..0,
            with: String::new(),
            rank,
        };
        let report = |error: &str| {
            let mut report = RunReport::default();
            let failure = Failure {
                when: "call".to_owned(),
                error: error.to_owned(),
                ..Failure::default()
            };
            let test = TestReport {
                id: "a".to_owned(),
                outcome: Outcome::Failed,
                seconds: 0.0,
                failure: Some(failure),
            };
            report.tests.insert("a".to_owned(), test);
            report
        };
        let by = |rank, error| fails_by(&change(rank), &report(error), "a");
        assert!(by(Rank::Part, "AssertionError") && by(Rank::Name, "Failed"));
        assert!(!by(Rank::Part, "FileNotFoundError"));
        assert!(by(Rank::Turned, "KeyError"));
    }
}
