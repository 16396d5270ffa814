//! The counter-test: a task's own tests with an expected value changed, which right code must fail.
//!
//! Code that is judged in its judge's own process can make any test pass: by objects that are equal to everything, by
//! patched reports, by reading the expected value out of its caller. It is not told the tests from their counter-tests, so
//! it passes both. That holds as far as a change leaves a claim that such code still meets (see [`change::Rank`], and
//! `probe.rs`, which tries it), and as far as the changed value could have been the author's (`value.rs`).

mod assertion;
mod binding;
mod change;
mod claim;
mod find;
mod parameter;
mod place;
mod probe;
mod target;
mod value;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use self::change::changes_in_supporting_code;
use self::probe::Probe;
use self::target::Targets;
use super::protocol::{Bench, Footing, Usual};
use super::subject::Body;
use super::unfit::USAGE;
use super::verdict::CounterTest;
use super::warden::{CompiledFile, Outcome, RunReport};
use crate::benchmark::RepoPath;
use crate::error::Result;

/// How many ways to change the tests are tried before supporting code is.
const TRIES: usize = 8;
/// How many changes to supporting code are tried for a task whose tests assert nothing themselves.
const SUPPORT_TRIES: usize = 12;
/// How many runs of the reference show how completions meet a counter-test. What threads leave varies.
const MEETINGS: usize = 2;

/// Changed test files and the ids that right code fails with them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    /// The changed files.
    pub files: Vec<(RepoPath, String)>,
    /// The ids that must fail; while a counter-test is sought, what is asked for to see which do.
    pub ids: Vec<String>,
    /// What pytest is asked for in runs of the reference where it does not know these ids, because a plugin or a change has
    /// renamed some: the task's list. A completion's run is always asked for that.
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
    let mut targets = Targets::of(bench.subject, &footing.expected);
    let probe = Probe::new(bench, footing)?;
    let mut compiled = Compiled::default();
    let mut asked = Vec::new();
    let mut tried = Vec::new();
    for _ in 0..TRIES {
        let Some(mut mutant) = targets.attempt(bench.subject) else {
            break;
        };
        mutant.asked.clone_from(&asked);
        let report = first_run(bench, footing, reference, &mut mutant)?;
        asked.clone_from(&mutant.asked);
        compiled.learn(&mutant, &report);
        if targets.gives_way(&mutant, &report) {
            continue;
        }
        let probed = if targets.ask_the_probe(&mutant, &report, &probe) {
            Some(probe.meets(bench, footing, &mutant)?)
        } else {
            None
        };
        targets.settle(&mutant, &report, &probe, probed.as_ref());
        tried.push(mutant.files);
        if targets.are_done() {
            break;
        }
    }
    if let Some(mut settled) = targets.finish(bench.subject) {
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
    in_supporting_code(bench, footing, reference, &probe, &asked)
}

/// A run of a mutant with the reference; one that pytest finds no test for is asked for by the task's own list. What it
/// shows of flaky tests is left out.
fn first_run(
    bench: &mut Bench,
    footing: &Footing,
    reference: &[(RepoPath, Vec<u8>)],
    mutant: &mut Mutant,
) -> Result<RunReport> {
    let mut report = bench.run_mutant(footing, reference, mutant, true)?;
    if report.code == Some(USAGE) && report.tests.is_empty() && mutant.asked.is_empty() {
        mutant.asked.clone_from(&bench.subject.tests);
        report = bench.run_mutant(footing, reference, mutant, true)?;
    }
    // What right code fails now and then is not counted on to fail.
    report.tests.retain(|id, _| !footing.flaky.contains(id));
    Ok(report)
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
    probe: &Probe,
    asked: &[String],
) -> Result<Option<Mutant>> {
    let mut second_best = None;
    let candidates = changes_in_supporting_code(bench.subject, &footing.expected);
    for (path, change) in candidates.into_iter().take(SUPPORT_TRIES) {
        let Some(text) = bench.subject.source(&path) else {
            continue;
        };
        let mut mutant = Mutant {
            changes: vec![format!("{path}:{}", change.describe(&text))],
            files: vec![(path, change.apply(&text))],
            ids: footing.expected.clone(),
            asked: asked.to_vec(),
            ..Mutant::default()
        };
        let report = first_run(bench, footing, reference, &mut mutant)?;
        mutant.code.clone_from(&report.compiled);
        mutant.ids.retain(|id| fails(&report, id));
        if mutant.ids.is_empty() {
            continue;
        }
        if !probe.fools(&mutant.ids)
            || Probe::confirms(&probe.meets(bench, footing, &mutant)?, &mutant.ids)
        {
            return Ok(Some(mutant));
        }
        second_best.get_or_insert(mutant);
    }
    Ok(second_best)
}

fn fails(report: &RunReport, id: &str) -> bool {
    report
        .tests
        .get(id)
        .is_some_and(|test| test.outcome == Outcome::Failed)
}
