//! The search for a task's counter-test: changes are tried, the best first, until each test has one that serves.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::super::protocol::{Bench, Footing};
use super::super::unfit::USAGE;
use super::super::warden::{CompiledFile, RunReport};
use super::change::{Change, changes_in_supporting_code};
use super::probe::Probe;
use super::reach::Reach;
use super::target::{Seen, Targets};
use super::{Mutant, fails};
use crate::benchmark::RepoPath;
use crate::error::Result;

/// How many ways to change the tests are tried before supporting code is.
const TRIES: usize = 12;
/// How many claims are turned round for tests where none of those tries serves.
const TURNS: usize = 4;
/// How many changes to supporting code are tried for a task whose tests assert nothing themselves.
const SUPPORT_TRIES: usize = 12;
/// How long a search goes on before nothing more is tried: some tests take a minute each time.
const LONGEST: Duration = Duration::from_mins(3);

/// What a search has at hand.
pub(super) struct Search<'a, 'b> {
    bench: &'a mut Bench<'b>,
    footing: &'a Footing,
    reference: &'a [(RepoPath, Vec<u8>)],
    probe: Probe,
    reach: Reach,
    compiled: Compiled,
    /// What pytest is asked for where it does not know a mutant's ids; see [`Mutant::asked`].
    asked: Vec<String>,
    began: Instant,
}

impl<'a, 'b> Search<'a, 'b> {
    /// Begins with what the probe shows of the task's own tests.
    pub fn of(
        bench: &'a mut Bench<'b>,
        footing: &'a Footing,
        reference: &'a [(RepoPath, Vec<u8>)],
        reach: Reach,
    ) -> Result<Self> {
        Ok(Self {
            began: Instant::now(),
            probe: Probe::new(bench, footing)?,
            reach,
            compiled: Compiled::default(),
            asked: Vec::new(),
            bench,
            footing,
            reference,
        })
    }

    /// The changes that serve best, together; `None` where right code fails none.
    pub fn find(mut self) -> Result<Option<Mutant>> {
        let mut targets = Targets::of(self.bench.subject, &self.footing.expected);
        let mut tried = Vec::new();
        for number in 0..TRIES + TURNS {
            if number == TRIES {
                targets.turn_round();
            }
            let Some(mut mutant) = targets.attempt(self.bench.subject) else {
                break;
            };
            let report = self.first_run(&mut mutant)?;
            if targets.gives_way(&mutant, &report) {
                continue;
            }
            let seen = self.look(&targets, &mutant, &report)?;
            targets.settle(&mutant, &seen);
            tried.push(mutant.files);
            if targets.are_done() || !self.has_time() {
                break;
            }
        }
        if let Some(settled) = targets.settled(self.bench.subject)
            && let Some(found) = self.together(settled, &tried)?
        {
            return Ok(Some(found));
        }
        if let Some(found) = self.in_supporting_code()? {
            return Ok(Some(found));
        }
        match targets.last_resorts(self.bench.subject) {
            Some(last) => self.together(last, &tried),
            None => Ok(None),
        }
    }

    fn has_time(&self) -> bool {
        self.began.elapsed() < LONGEST
    }

    /// What probe and stub show of a mutant, where that says something.
    fn look<'s>(
        &'s mut self,
        targets: &Targets,
        mutant: &Mutant,
        reference: &'s RunReport,
    ) -> Result<Seen<'s>> {
        let ends = |ids: &[String]| self.reach.is_seen(ids);
        let stubbed = if targets.is_worth_seeing(mutant, reference, ends) {
            Some(self.reach.meets(self.bench, self.footing, mutant)?)
        } else {
            None
        };
        let fools = |ids: &[String]| self.probe.fools(ids);
        let probed = if targets.is_worth_seeing(mutant, reference, fools) {
            Some(self.probe.meets(self.bench, self.footing, mutant)?)
        } else {
            None
        };
        Ok(Seen {
            reference,
            probe: &self.probe,
            probed,
            reach: &self.reach,
            stubbed,
        })
    }

    /// Changes of several tests in one mutant. Each has failed its test, but not always beside the others.
    fn together(
        &mut self,
        mut mutant: Mutant,
        tried: &[Vec<(RepoPath, String)>],
    ) -> Result<Option<Mutant>> {
        if tried.contains(&mutant.files) {
            mutant.asked.clone_from(&self.asked);
        } else {
            let report = self.first_run(&mut mutant)?;
            mutant.ids.retain(|id| fails(&report, id));
        }
        mutant.code = self.compiled.of(&mutant);
        Ok((!mutant.ids.is_empty()).then_some(mutant))
    }

    /// A run of a mutant with the reference; one that pytest finds no test for is asked for by the task's own list, and so
    /// are the later ones. What it shows of flaky tests is left out.
    fn first_run(&mut self, mutant: &mut Mutant) -> Result<RunReport> {
        mutant.asked.clone_from(&self.asked);
        let mut report = self
            .bench
            .run_mutant(self.footing, self.reference, mutant, true)?;
        if report.code == Some(USAGE) && report.tests.is_empty() && mutant.asked.is_empty() {
            self.asked.clone_from(&self.bench.subject.tests);
            mutant.asked.clone_from(&self.asked);
            report = self
                .bench
                .run_mutant(self.footing, self.reference, mutant, true)?;
        }
        // What right code fails now and then is not counted on to fail.
        report
            .tests
            .retain(|id, _| !self.footing.flaky.contains(id));
        self.compiled.learn(mutant, &report);
        Ok(report)
    }

    fn in_supporting_code(&mut self) -> Result<Option<Mutant>> {
        let mut second_best = None;
        let candidates = changes_in_supporting_code(self.bench.subject, &self.footing.expected);
        for (path, change) in candidates.into_iter().take(SUPPORT_TRIES) {
            if !self.has_time() {
                break;
            }
            let Some(mutant) = self.supported(path, &change)? else {
                continue;
            };
            if self.serves(&mutant)? {
                return Ok(Some(mutant));
            }
            second_best.get_or_insert(mutant);
        }
        Ok(second_best)
    }

    /// A change in supporting code, where right code fails some test by it.
    fn supported(&mut self, path: RepoPath, change: &Change) -> Result<Option<Mutant>> {
        let Some(text) = self.bench.subject.source(&path) else {
            return Ok(None);
        };
        let mut mutant = Mutant {
            changes: vec![format!("{path}:{}", change.describe(&text))],
            files: vec![(path, change.apply(&text))],
            ids: self.footing.expected.clone(),
            ..Mutant::default()
        };
        let report = self.first_run(&mut mutant)?;
        mutant.code.clone_from(&report.compiled);
        mutant.ids.retain(|id| fails(&report, id));
        Ok((!mutant.ids.is_empty()).then_some(mutant))
    }

    /// Whether neither the probe nor the stub has anything against a mutant.
    fn serves(&mut self, mutant: &Mutant) -> Result<bool> {
        let (bench, footing) = (&mut *self.bench, self.footing);
        Ok((!self.reach.is_seen(&mutant.ids)
            || self
                .reach
                .confirms(&self.reach.meets(bench, footing, mutant)?, &mutant.ids))
            && (!self.probe.fools(&mutant.ids)
                || Probe::confirms(&self.probe.meets(bench, footing, mutant)?, &mutant.ids)))
    }
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
