//! The counter-test: a task's own tests with an expected value changed, which right code must fail.
//!
//! Code that is judged in its judge's own process can make any test pass: by objects that are equal to everything, by
//! patched reports, by reading the expected value out of its caller. It is not told the tests from their counter-tests, so
//! it passes both. That holds as far as a change leaves a claim that such code still meets (see [`change::Rank`], and
//! `probe.rs`, which tries it), as far as such code is called before the claim fails (`reach.rs`), and as far as the
//! changed value could have been the author's (`value.rs`).

mod assertion;
mod binding;
mod change;
mod claim;
mod find;
mod parameter;
mod place;
mod probe;
mod reach;
mod search;
mod target;
mod value;

use serde::{Deserialize, Serialize};

use self::reach::Reach;
use self::search::Search;
use super::protocol::{Bench, Footing, Usual};
use super::subject::Body;
use super::verdict::CounterTest;
use super::warden::{CompiledFile, Outcome, RunReport};
use crate::benchmark::RepoPath;
use crate::error::Result;

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

/// Chooses a task's counter-test among the changes that the reference fails; `None` when there is none. `stubbed` is what
/// the stub shows of the task's own tests.
pub(super) fn choose(
    bench: &mut Bench,
    footing: &Footing,
    stubbed: &RunReport,
) -> Result<Option<Mutant>> {
    let reference = bench.subject.files(Body::Reference)?;
    let reach = Reach::of(bench.subject, stubbed)?;
    let Some(mutant) = Search::of(bench, footing, &reference, reach)?.find()? else {
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

fn fails(report: &RunReport, id: &str) -> bool {
    report
        .tests
        .get(id)
        .is_some_and(|test| test.outcome == Outcome::Failed)
}
