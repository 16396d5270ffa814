//! The test functions of a task, and which change to each of them is tried and settled on.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::subject::Subject;
use super::super::warden::RunReport;
use super::change::{Change, Rank, TestFunction, edited, test_function};
use super::place::{asks_for_all, place, without_parameters};
use super::probe::Probe;
use super::reach::Reach;
use super::{Mutant, fails};
use crate::benchmark::RepoPath;

/// One test function with the ways in which it can be changed; classes that inherit it have ids of their own for it.
struct Target {
    path: RepoPath,
    names: Vec<String>,
    place: Range<usize>,
    ids: Vec<String>,
    changes: Vec<Change>,
    next: usize,
    settled: Option<Settled>,
    /// What it is settled on where nothing better is found: code that is equal to everything fails it as right code does.
    second_best: Option<Settled>,
    /// The same where nothing else is found at all: it fails before the target is called.
    last_resort: Option<Settled>,
}

/// What was seen of a mutant.
pub(super) struct Seen<'a> {
    pub reference: &'a RunReport,
    pub probe: &'a Probe,
    /// The probe's run, where it is asked for.
    pub probed: Option<RunReport>,
    pub reach: &'a Reach,
    /// The stub's run, where it is asked for.
    pub stubbed: Option<RunReport>,
}

impl Seen<'_> {
    /// Whether code that is equal to everything passes a test's change, which fails with these ids, if it passes the test.
    fn is_met_by_the_probe(&self, own: &[String], failing: &[String]) -> bool {
        let probed = self.probed.as_ref();
        !self.probe.fools(own) || probed.is_some_and(|probed| Probe::confirms(probed, failing))
    }

    /// Whether the change fails only once the target was called.
    fn is_reached(&self, failing: &[String]) -> bool {
        let stubbed = self.stubbed.as_ref();
        stubbed.is_none_or(|stubbed| self.reach.confirms(stubbed, failing))
    }
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
        let functions = self.ids.iter().map(|id| without_parameters(id).to_owned());
        functions.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The ids that a change fails.
    fn failing(&self, change: &Change, report: &RunReport) -> Vec<String> {
        let asked = self.asked(change);
        let is_of = |id: &str| {
            let id = if change.rank == Rank::Parameter {
                without_parameters(id)
            } else {
                id
            };
            asked.iter().any(|asked| asked == id)
        };
        let failing = |id: &&String| is_of(id) && fails_by(change, report, id);
        report.tests.keys().filter(failing).cloned().collect()
    }

    /// Leaves parameters as they are where the task's list names them.
    fn keep_to_the_list(&mut self, subject: &Subject) {
        let mut functions = self.ids.iter().map(|id| without_parameters(id));
        if !functions.all(|function| asks_for_all(subject, function)) {
            self.changes.retain(|change| change.rank != Rank::Parameter);
        }
    }

    /// Goes on to what changes another claim than the one of the moment.
    fn leave_claim(&mut self) {
        let claim = self.current().and_then(|change| change.claim.clone());
        self.next += 1;
        while claim.is_some() && self.current().is_some_and(|change| change.claim == claim) {
            self.next += 1;
        }
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
        let mut targets: Vec<Target> = Vec::new();
        for id in expected {
            let Some((path, names)) = place(id, subject) else {
                continue;
            };
            let mut known = targets.iter_mut();
            if let Some(target) = known.find(|of| of.path == path && of.names == names) {
                target.ids.push(id.clone());
                continue;
            }
            let source = subject.source(&path);
            let name = subject.namespace.name();
            let Some(TestFunction { place, changes }) =
                source.and_then(|text| test_function(&text, &names, name))
            else {
                continue;
            };
            let mut known = targets.iter_mut();
            if let Some(target) = known.find(|of| of.path == path && of.place == place) {
                target.ids.push(id.clone());
                continue;
            }
            targets.push(Target {
                path,
                names,
                place,
                ids: vec![id.clone()],
                changes,
                next: 0,
                settled: None,
                second_best: None,
                last_resort: None,
            });
        }
        for target in &mut targets {
            target.keep_to_the_list(subject);
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

    /// Whether a run of a mutant has shown nothing of any test, and a parameter's change in it may be why: the others are
    /// tried without that.
    pub fn gives_way(&mut self, mutant: &Mutant, report: &RunReport) -> bool {
        let silent = report.tests.is_empty();
        let tried = self
            .0
            .iter_mut()
            .filter(|target| target.is_tried_by(mutant));
        let at_parameters = tried.filter(|target| {
            silent
                && target
                    .current()
                    .is_some_and(|change| change.rank == Rank::Parameter)
        });
        at_parameters.map(|target| target.next += 1).count() > 0
    }

    /// Leaves expected values to themselves: where no change of one has served, another claim altogether mostly does.
    pub fn turn_round(&mut self) {
        for target in &mut self.0 {
            let turned = |change: &Change| change.rank >= Rank::Turned;
            let left = target.changes.iter().skip(target.next);
            let passed_over = left.take_while(|change| !turned(change)).count();
            target.next = match target.second_best {
                Some(_) => target.changes.len(),
                None => target.next + passed_over,
            };
        }
    }

    /// What the runs of a mutant say of the targets that have a change in it.
    pub fn settle(&mut self, mutant: &Mutant, seen: &Seen) {
        for target in self
            .0
            .iter_mut()
            .filter(|target| target.is_tried_by(mutant))
        {
            let Some(change) = target.current() else {
                continue;
            };
            let settled = Settled {
                ids: target.failing(change, seen.reference),
                change: change.clone(),
            };
            if settled.ids.is_empty() {
                target.next += 1;
            } else if !seen.is_reached(&settled.ids) {
                target.leave_claim();
                target.last_resort.get_or_insert(settled);
            } else if seen.is_met_by_the_probe(&target.ids, &settled.ids) {
                target.settled = Some(settled);
            } else {
                target.second_best.get_or_insert(settled);
                target.next += 1;
            }
        }
    }

    /// Whether a further run of a mutant is to be seen: it says something of a test, as `is_of` its ids, whose change
    /// right code fails.
    pub fn is_worth_seeing(
        &self,
        mutant: &Mutant,
        report: &RunReport,
        is_of: impl Fn(&[String]) -> bool,
    ) -> bool {
        let tried = self.0.iter().filter(|target| target.is_tried_by(mutant));
        let mut spoken_of = tried.filter(|target| is_of(&target.ids));
        spoken_of.any(|target| {
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
    pub fn settled(&self, subject: &Subject) -> Option<Mutant> {
        self.together(subject, |target| {
            target.settled.as_ref().or(target.second_best.as_ref())
        })
    }

    /// Those that fail before the target is called, together.
    pub fn last_resorts(&self, subject: &Subject) -> Option<Mutant> {
        self.together(subject, |target| target.last_resort.as_ref())
    }

    fn together(
        &self,
        subject: &Subject,
        choose: impl Fn(&Target) -> Option<&Settled>,
    ) -> Option<Mutant> {
        let chosen = self.0.iter().filter_map(|target| {
            let chosen = choose(target)?;
            Some(Piece {
                path: &target.path,
                ids: chosen.ids.clone(),
                change: &chosen.change,
            })
        });
        compose(subject, &chosen.collect::<Vec<_>>())
    }
}

/// The files with changes in them; of those that overlap, the last.
fn compose(subject: &Subject, chosen: &[Piece]) -> Option<Mutant> {
    let mut mutant = Mutant::default();
    let mut paths: Vec<&RepoPath> = chosen.iter().map(|piece| piece.path).collect();
    paths.sort();
    paths.dedup();
    for path in paths {
        let original = subject.source(path)?;
        let mut here: Vec<&Piece> = chosen.iter().filter(|piece| piece.path == path).collect();
        here.sort_by_key(|piece| std::cmp::Reverse(piece.change.range.start));
        let mut edits = Vec::new();
        let mut untouched = usize::MAX;
        for Piece { ids, change, .. } in here {
            if change.range.end > untouched {
                continue;
            }
            untouched = change.range.start;
            edits.extend(change.edits());
            mutant.ids.extend(ids.iter().cloned());
            mutant
                .changes
                .push(format!("{path}:{}", change.describe(&original)));
        }
        let text = edited(&original, edits);
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
pub(super) mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::evaluation::Failure;
    use crate::evaluation::warden::Outcome;

    fn change(rank: Rank) -> Change {
        Change {
            range: 0..0,
            with: String::new(),
            rank,
            claim: None,
            of_whole: false,
            without: Vec::new(),
        }
    }

    /// A report in which these tests fail with an error.
    pub fn failing(ids: &[&str], error: &str) -> RunReport {
        let failed: Vec<_> = ids.iter().map(|id| (*id, Outcome::Failed)).collect();
        let mut report = RunReport::of(&failed);
        for test in report.tests.values_mut() {
            test.failure = Some(Failure {
                when: "call".to_owned(),
                error: error.to_owned(),
                ..Failure::default()
            });
        }
        report
    }

    fn passing(id: &str) -> RunReport {
        RunReport::of(&[(id, Outcome::Passed)])
    }

    fn targets(id: &str, ranks: &[Rank]) -> Targets {
        Targets(vec![Target {
            path: RepoPath::new("a.py"),
            names: vec!["t".to_owned()],
            place: 0..0,
            ids: vec![id.to_owned()],
            changes: ranks.iter().map(|rank| change(*rank)).collect(),
            next: 0,
            settled: None,
            second_best: None,
            last_resort: None,
        }])
    }

    fn asked_for(id: &str) -> Mutant {
        Mutant {
            ids: vec![id.to_owned()],
            ..Mutant::default()
        }
    }

    /// What is seen where the stub was not asked for.
    fn seen<'a>(reference: &'a RunReport, probe: &'a Probe, probed: Option<RunReport>) -> Seen<'a> {
        static NOWHERE: LazyLock<Reach> = LazyLock::new(|| Reach::that_ends(&[]));
        Seen {
            reference,
            probe,
            probed,
            reach: &NOWHERE,
            stubbed: None,
        }
    }

    #[test]
    fn what_fails_before_the_target_is_called_is_left_with_its_whole_claim() {
        let (id, probe) = ("a.py::t", Probe::that_fools(&[]));
        let reach = Reach::that_ends(&[id]);
        let mut targets = targets(id, &[Rank::Value, Rank::Part, Rank::Turned]);
        for (change, claim) in targets.0[0].changes.iter_mut().zip([0, 0, 9]) {
            change.claim = Some(claim..claim + 5);
        }
        let report = failing(&[id], "AssertionError");
        let of_stub = |error| Seen {
            reach: &reach,
            stubbed: Some(failing(&[id], error)),
            ..seen(&report, &probe, None)
        };
        let mutant = asked_for(id);
        targets.settle(&mutant, &of_stub("AssertionError"));
        assert!(targets.0[0].settled.is_none() && targets.0[0].last_resort.is_some());
        targets.settle(&mutant, &of_stub("NotImplementedError"));
        let settled = targets.0[0].settled.as_ref().unwrap();
        assert_eq!(settled.change.rank, Rank::Turned);
    }

    #[test]
    fn where_no_other_value_serves_a_claim_is_turned_round() {
        let (id, probe) = ("a.py::t", Probe::that_fools(&["a.py::t"]));
        let ranks = [Rank::Value, Rank::Part, Rank::Turned];
        let mut in_vain = targets(id, &ranks);
        in_vain.turn_round();
        let current = in_vain.0[0].current().map(|change| change.rank);
        assert_eq!(current, Some(Rank::Turned));
        let mut second_best = targets(id, &ranks);
        let (mutant, report) = (asked_for(id), failing(&[id], "AssertionError"));
        second_best.settle(&mutant, &seen(&report, &probe, Some(report.clone())));
        second_best.turn_round();
        assert!(second_best.are_done());
    }

    #[test]
    fn an_error_on_the_way_to_a_claim_is_no_failure_of_it() {
        let by = |rank, error| fails_by(&change(rank), &failing(&["a"], error), "a");
        assert!(by(Rank::Part, "AssertionError") && by(Rank::Name, "Failed"));
        assert!(!by(Rank::Part, "FileNotFoundError"));
        assert!(by(Rank::Turned, "KeyError"));
    }

    #[test]
    fn a_change_that_the_probe_fails_as_right_code_does_is_second_best() {
        let (id, probe) = ("a.py::t", Probe::that_fools(&["a.py::t"]));
        let mut targets = targets(id, &[Rank::Value, Rank::Part]);
        let (mutant, report) = (asked_for(id), failing(&[id], "AssertionError"));
        assert!(targets.is_worth_seeing(&mutant, &report, |ids| probe.fools(ids)));
        targets.settle(&mutant, &seen(&report, &probe, Some(report.clone())));
        assert!(targets.0[0].settled.is_none() && targets.0[0].second_best.is_some());
        targets.settle(&mutant, &seen(&report, &probe, Some(passing(id))));
        let settled = targets.0[0].settled.as_ref().unwrap();
        assert_eq!(
            (settled.change.rank, targets.are_done()),
            (Rank::Part, true)
        );
    }

    #[test]
    fn where_nothing_is_met_by_the_probe_the_first_change_that_fails_is_taken() {
        let (id, probe) = ("a.py::t", Probe::that_fools(&[]));
        let mut targets = targets(id, &[Rank::Value, Rank::Part]);
        let mutant = asked_for(id);
        targets.settle(&mutant, &seen(&passing(id), &probe, None));
        let report = failing(&[id], "AssertionError");
        assert!(!targets.is_worth_seeing(&mutant, &report, |ids| probe.fools(ids)));
        targets.settle(&mutant, &seen(&report, &probe, None));
        assert_eq!(
            targets.0[0].settled.as_ref().unwrap().change.rank,
            Rank::Part
        );
    }

    #[test]
    fn a_parameters_change_fails_by_whatever_id_it_has_given_the_test() {
        let mut targets = targets("a.py::t[1-2]", &[Rank::Parameter, Rank::Name]);
        let probe = Probe::that_fools(&[]);
        let report = failing(&["a.py::t[1-9]", "a.py::tt[1-9]"], "AssertionError");
        targets.settle(&asked_for("a.py::t"), &seen(&report, &probe, None));
        assert_eq!(targets.0[0].settled.as_ref().unwrap().ids, ["a.py::t[1-9]"]);
    }

    #[test]
    fn a_parameters_change_gives_way_where_nothing_is_reported() {
        let mut targets = targets("a.py::t[1-2]", &[Rank::Parameter, Rank::Name]);
        let silent = RunReport::default();
        assert!(targets.gives_way(&asked_for("a.py::t"), &silent));
        assert!(!targets.gives_way(&asked_for("a.py::t[1-2]"), &silent));
        assert_eq!(targets.0[0].current().unwrap().rank, Rank::Name);
    }
}
