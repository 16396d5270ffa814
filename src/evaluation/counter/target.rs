//! The test functions of a task, and which change to each of them is tried and settled on.

use super::super::subject::Subject;
use super::super::warden::RunReport;
use super::change::{Change, Rank, changes_in_test};
use super::place::{asks_for_all, place, plain, source};
use super::probe::Probe;
use super::{Mutant, fails, passes_any};
use crate::benchmark::RepoPath;

/// One test function with the ways in which it can be changed; classes that inherit it have ids of their own for it.
struct Target {
    path: RepoPath,
    ids: Vec<String>,
    changes: Vec<Change>,
    next: usize,
    settled: Option<Settled>,
    /// What it is settled on where nothing better is found: code that is equal to everything fails it as right code does.
    second_best: Option<Settled>,
}

/// A change that right code fails, and the ids by which it does.
#[derive(Debug, Clone)]
struct Settled {
    change: Change,
    ids: Vec<String>,
}

/// The test functions of a task that can be changed.
pub(super) struct Targets(Vec<Target>);

/// A change of a mutant, and the ids that are asked for it.
struct Piece<'a> {
    path: &'a RepoPath,
    ids: Vec<String>,
    change: &'a Change,
}

impl Target {
    fn current(&self) -> Option<&Change> {
        self.changes.get(self.next)
    }

    /// What is asked for to see a change fail: the ids that right code passes, or, where they may become others, their
    /// function.
    fn asked(&self, change: &Change) -> Vec<String> {
        if change.rank != Rank::Parameter {
            return self.ids.clone();
        }
        let mut functions: Vec<String> = self.ids.iter().map(|id| plain(id).to_owned()).collect();
        functions.dedup();
        functions
    }

    /// The ids that a change fails.
    fn failing(&self, change: &Change, report: &RunReport) -> Vec<String> {
        let asked = self.asked(change);
        let is_of = |id: &str| {
            let id = if change.rank == Rank::Parameter {
                plain(id)
            } else {
                id
            };
            asked.iter().any(|asked| asked == id)
        };
        let failing = |id: &&String| is_of(id) && fails_by(change, report, id);
        report.tests.keys().filter(failing).cloned().collect()
    }

    /// Whether `mutant` has its change of the moment.
    fn is_tried_by(&self, mutant: &Mutant) -> bool {
        let asked = self.current().map(|change| self.asked(change));
        self.settled.is_none()
            && asked.is_some_and(|asked| asked.iter().all(|id| mutant.ids.contains(id)))
    }
}

impl Targets {
    /// Those of the tests that right code passes.
    pub fn of(subject: &Subject, expected: &[String]) -> Self {
        let mut found: Vec<(Vec<String>, Target)> = Vec::new();
        for id in expected {
            let Some((path, names)) = place(id, subject) else {
                continue;
            };
            let same_name =
                |(n, target): &&mut (Vec<String>, Target)| target.path == path && *n == names;
            if let Some((_, target)) = found.iter_mut().find(same_name) {
                target.ids.push(id.clone());
                continue;
            }
            let changes = source(subject, &path)
                .map(|text| changes_in_test(&text, &names, subject))
                .unwrap_or_default();
            let places =
                |changes: &[Change]| changes.iter().map(|c| c.range.clone()).collect::<Vec<_>>();
            let same_place = |(_, target): &&mut (Vec<String>, Target)| {
                target.path == path && places(&target.changes) == places(&changes)
            };
            if let Some((_, target)) = found.iter_mut().find(same_place) {
                target.ids.push(id.clone());
                continue;
            }
            let target = Target {
                path,
                ids: vec![id.clone()],
                changes,
                next: 0,
                settled: None,
                second_best: None,
            };
            found.push((names, target));
        }
        let mut targets: Vec<Target> = found.into_iter().map(|(_, target)| target).collect();
        for target in &mut targets {
            let is_whole = target.ids.iter().all(|id| asks_for_all(subject, plain(id)));
            target
                .changes
                .retain(|change| is_whole || change.rank != Rank::Parameter);
        }
        targets.retain(|target| !target.changes.is_empty());
        Self(targets)
    }

    /// The next change of every target that has not settled, together.
    pub fn attempt(&self, subject: &Subject) -> Option<Mutant> {
        let open = self.0.iter().filter(|target| target.settled.is_none());
        let chosen: Vec<Piece> = open
            .filter_map(|target| {
                let change = target.current()?;
                Some(Piece {
                    path: &target.path,
                    ids: target.asked(change),
                    change,
                })
            })
            .collect();
        compose(subject, &chosen)
    }

    /// What a reference's run of a mutant says of the targets that have a change in it, and what the probe's says of those
    /// of them that it fools.
    pub fn settle(
        &mut self,
        mutant: &Mutant,
        report: &RunReport,
        probe: &Probe,
        probed: Option<&RunReport>,
    ) {
        for target in self
            .0
            .iter_mut()
            .filter(|target| target.is_tried_by(mutant))
        {
            let Some(change) = target.current() else {
                continue;
            };
            let settled = Settled {
                ids: target.failing(change, report),
                change: change.clone(),
            };
            if settled.ids.is_empty() {
                target.next += 1;
                continue;
            }
            let fooled = target.ids.iter().any(|id| probe.fools(id));
            if !fooled || probed.is_some_and(|probed| passes_any(probed, &settled.ids)) {
                target.settled = Some(settled);
            } else {
                target.second_best.get_or_insert(settled);
                target.next += 1;
            }
        }
    }

    /// Whether the probe fools a target whose change right code fails, so that its own run is to be seen.
    pub fn asks_probe(&self, mutant: &Mutant, report: &RunReport, probe: &Probe) -> bool {
        let tried = self.0.iter().filter(|target| target.is_tried_by(mutant));
        tried
            .filter(|target| target.ids.iter().any(|id| probe.fools(id)))
            .any(|target| {
                let change = target.current();
                change.is_some_and(|change| !target.failing(change, report).is_empty())
            })
    }

    /// Whether no target has anything left to try.
    pub fn are_done(&self) -> bool {
        let done = |target: &Target| target.settled.is_some() || target.current().is_none();
        self.0.iter().all(done)
    }

    /// The changes that were settled on, together.
    pub fn finish(&self, subject: &Subject) -> Option<Mutant> {
        let chosen: Vec<Piece> = self
            .0
            .iter()
            .filter_map(|target| {
                let settled = target.settled.as_ref().or(target.second_best.as_ref())?;
                Some(Piece {
                    path: &target.path,
                    ids: settled.ids.clone(),
                    change: &settled.change,
                })
            })
            .collect();
        compose(subject, &chosen)
    }
}

/// The files with changes in them; of those that overlap, the last.
fn compose(subject: &Subject, chosen: &[Piece]) -> Option<Mutant> {
    let mut mutant = Mutant::default();
    let mut paths: Vec<&RepoPath> = chosen.iter().map(|piece| piece.path).collect();
    paths.sort();
    paths.dedup();
    for path in paths {
        let original = source(subject, path)?;
        let mut here: Vec<&Piece> = chosen.iter().filter(|piece| piece.path == path).collect();
        here.sort_by_key(|piece| std::cmp::Reverse(piece.change.range.start));
        let mut text = original.clone();
        let mut untouched = usize::MAX;
        for Piece { ids, change, .. } in here {
            if change.range.end > untouched {
                continue;
            }
            untouched = change.range.start;
            text = change.apply(&text);
            mutant.ids.extend(ids.iter().cloned());
            mutant
                .changes
                .push(format!("{path}:{}", change.describe(&original)));
        }
        mutant.files.push((path.clone(), text));
    }
    (!mutant.ids.is_empty()).then_some(mutant)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::warden::Outcome;
    use crate::evaluation::{Failure, TestReport};

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
