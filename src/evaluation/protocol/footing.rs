//! A task's footing: what it must show before any completion of it is judged.

use serde::{Deserialize, Serialize};

use super::super::counter::{self, Mutant};
use super::super::subject::Body;
use super::super::unfit::{refused_to_start, why_unfit};
use super::super::verdict::count;
use super::super::warden::{OwnFile, RunReport, Traces, Warmth};
use super::{Bench, Trial, sound};
use crate::benchmark::RepoPath;
use crate::error::Result;

/// The trace of what is counted for the whole machine, told where it is more than the rest of the machine may have used.
const MACHINES: &str = "pipes of the machine";

/// The trace of packets. The machine counts the ports that they were sent from.
const NETWORK: &str = "network";

/// What the reference and the stub showed of a task in one environment. A completion is judged by it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Footing {
    /// The ids that the reference passed, each time; what a completion must pass.
    pub expected: Vec<String>,
    /// Ids that the reference passed only sometimes; set aside.
    pub flaky: Vec<String>,
    /// Whether the reference passed.
    pub reference_ok: bool,
    /// Whether the stub failed.
    pub stub_fails: bool,
    /// Why the task has no verdict to give, when it has none.
    pub unusable: Option<String>,
    /// Whether each test must have a process of its own, because the reference passes only so.
    pub apart: bool,
    /// Further arguments for pytest that the project needs here.
    pub arguments: Vec<String>,
    /// The counter-test: changed test files, and the ids that must fail with them.
    pub counter: Option<Mutant>,
    /// What the reference's run has loaded from outside the project; a warm interpreter has it ready. `None` where the
    /// reference passes only if nothing is.
    pub warmth: Option<Warmth>,
    /// The project's own files that the reference's run loaded; a warm interpreter compiles them ahead.
    pub own: Vec<OwnFile>,
    /// What the reference's runs leave in their session. A completion's run that leaves anything else is made again in a
    /// session of its own.
    pub usual: Usual,
    /// Seconds that the reference's first run took, all of it.
    pub seconds: f64,
}

/// What runs of a task's reference leave in their session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usual {
    /// What each trial has moved of what outlives it.
    pub traces: Vec<Traces>,
    /// Whether they leave the project's files otherwise than they find them.
    pub disturbs: bool,
}

/// Whether a trace other than [`MACHINES`] is of what the whole machine counts: packets, or a file that shows its counts.
fn is_of_machine(name: &str) -> bool {
    let counts = name.strip_prefix("/proc/").is_some_and(|file| {
        !file.starts_with(|first: char| first.is_ascii_digit()) && !file.starts_with("sysvipc/")
    });
    name == NETWORK || counts
}

impl Usual {
    /// Whether a run has moved what the whole machine has as no run of the reference has, or has looked at the machine's
    /// counts as none has: a new session hides nothing of that.
    pub(super) fn is_beyond(&self, report: &RunReport) -> bool {
        let is_new = |name: &&String| {
            is_of_machine(name) && !self.traces.iter().any(|known| known.contains_key(*name))
        };
        let traces = &report.left.traces;
        !self.is_usual(traces, MACHINES) || traces.keys().any(|name| is_new(&name))
    }

    /// Whether a count is one that a run of the reference had; of what the whole machine counts, about one.
    fn is_usual(&self, traces: &Traces, name: &str) -> bool {
        let count = |traces: &Traces| traces.get(name).copied().unwrap_or_default();
        let moved = count(traces);
        let mut known = self.traces.iter().map(count);
        if name == MACHINES {
            return moved <= known.max().unwrap_or_default().saturating_mul(2);
        }
        known.any(|known| known == moved)
    }

    /// Whether a run could have left no sign of itself in its session that the reference's did not leave. The machine's counts
    /// are no session's.
    pub(super) fn hides(&self, report: &RunReport) -> bool {
        let traces = &report.left.traces;
        let known = self.traces.iter().flat_map(Traces::keys);
        !report.marked
            && !report.left.retried
            && report.oom_kills == 0
            && self.explains(report.left.disturbs)
            && traces
                .keys()
                .chain(known)
                .all(|name| name == MACHINES || self.is_usual(traces, name))
    }

    /// Whether a project that was found disturbed, or not, is one that the reference leaves so.
    pub(super) fn explains(&self, disturbed: bool) -> bool {
        self.disturbs || !disturbed
    }

    pub(in super::super) fn learn(&mut self, report: &RunReport) {
        self.disturbs |= report.left.disturbs;
        if !self.traces.contains(&report.left.traces) {
            self.traces.push(report.left.traces.clone());
        }
    }
}

impl Bench<'_> {
    /// Finds a task's footing: the reference must pass, the stub must fail, and a counter-test is chosen.
    pub(in super::super) fn footing(&mut self) -> Result<Footing> {
        let mut footing = Footing {
            warmth: Some(Warmth::default()),
            ..Footing::default()
        };
        if self.subject.tests.is_empty() {
            footing.unusable = Some("the task names no tests".to_owned());
            return Ok(footing);
        }
        if let Some(absent) = self.absent_test() {
            footing.unusable = Some(format!("{absent} is not among the project's files"));
            return Ok(footing);
        }
        self.reference(&mut footing)?;
        if footing.unusable.is_some() {
            return Ok(footing);
        }
        self.repeat_reference(&mut footing)?;
        let stubbed = self.stub(&mut footing)?;
        if footing.unusable.is_none() {
            footing.counter = counter::choose(self, &footing, &stubbed)?;
        }
        Ok(footing)
    }

    /// A test file that the task names and the project does not have.
    fn absent_test(&self) -> Option<&str> {
        let project = &self.subject.project;
        let files = self
            .subject
            .tests
            .iter()
            .map(|test| test.split("::").next().unwrap_or(test));
        files.into_iter().find(|file| {
            !file.is_empty() && !project.root.join(file.trim_start_matches('/')).exists()
        })
    }

    fn reference(&mut self, footing: &mut Footing) -> Result<()> {
        let files = self.subject.files(Body::Reference)?;
        let mut trial = self.trial(&files, footing, &mut |_| {}, true)?;
        if !sound(&trial.report) && self.runner.cool() {
            trial = self.trial(&files, footing, &mut |_| {}, true)?;
            footing.warmth = footing.warmth.take().filter(|_| !sound(&trial.report));
        }
        if refused_to_start(&trial.report) {
            // Its configuration asks for plugins that are not here.
            footing.arguments = vec!["-o".to_owned(), "addopts=".to_owned()];
            trial = self.trial(&files, footing, &mut |_| {}, true)?;
        }
        if !sound(&trial.report) && self.subject.tests.len() > 1 {
            footing.apart = true;
            trial = self.trial(&files, footing, &mut |_| {}, true)?;
        }
        if let Some(warmth) = &mut footing.warmth {
            warmth.modules = std::mem::take(&mut trial.report.modules);
            warmth.modules.retain(|module| !shapes_tests(module));
            warmth.patterns = std::mem::take(&mut trial.report.patterns);
        }
        footing.own = std::mem::take(&mut trial.report.own);
        footing.usual.learn(&trial.report);
        footing.expected = trial.report.passed_ids();
        footing.seconds = trial.seconds;
        footing.reference_ok = sound(&trial.report);
        // Tests that put `./` on the path show the project's own files so.
        let copy = trial
            .report
            .copies
            .iter()
            .find(|path| path.starts_with('/'));
        if let Some(copy) = copy {
            footing.unusable = Some(format!("its environment holds the reference: {copy}"));
            return Ok(());
        }
        if !footing.reference_ok {
            footing.unusable = Some(why_unfit(&trial.report, &self.subject.tests));
        }
        Ok(())
    }

    /// The reference again, with what its first run has loaded ready: what passes only cold is run cold ever after.
    fn repeat_reference(&mut self, footing: &mut Footing) -> Result<()> {
        let files = self.subject.files(Body::Reference)?;
        self.runner.warm(footing.warmth.as_ref());
        for _ in 1..self.repeats {
            let mut again = self.trial(&files, footing, &mut |_| {}, false)?;
            if !sound(&again.report)
                && let Some(cold) = self.passes_only_cold(&files, footing)?
            {
                again = cold;
            }
            footing.usual.learn(&again.report);
            footing.usual.disturbs |= again.report.left.disturbed;
            let stable = again.report.passed_ids();
            let (kept, lost) = std::mem::take(&mut footing.expected)
                .into_iter()
                .partition(|id| stable.contains(id));
            footing.expected = kept;
            footing.flaky.extend::<Vec<String>>(lost);
        }
        if footing.expected.is_empty() {
            footing.unusable = Some(format!(
                "flaky: the reference passes {} only sometimes",
                count(footing.flaky.len(), "test")
            ));
        }
        Ok(())
    }

    /// What the reference shows where nothing is ready for it, if it passes so and fails again where all is.
    fn passes_only_cold(
        &mut self,
        files: &[(RepoPath, Vec<u8>)],
        footing: &mut Footing,
    ) -> Result<Option<Trial>> {
        if !self.runner.cool() {
            return Ok(None);
        }
        let cold = self.trial(files, footing, &mut |_| {}, false)?;
        if sound(&cold.report) {
            self.runner.warm(footing.warmth.as_ref());
            let warm = self.trial(files, footing, &mut |_| {}, false)?;
            if !sound(&warm.report) {
                footing.warmth = None;
                self.runner.warm(None);
                return Ok(Some(cold));
            }
        }
        Ok(None)
    }

    /// The stub must fail. Gives what it shows of every test.
    fn stub(&mut self, footing: &mut Footing) -> Result<RunReport> {
        let files = self.subject.files(Body::Stub)?;
        let report = if footing.apart {
            self.run_mutant(footing, &files, &Mutant::default(), false)?
        } else {
            self.trial(&files, footing, &mut |_| {}, false)?.report
        };
        footing.usual.disturbs |= report.left.disturbed;
        footing.stub_fails = !report.passed(&footing.expected);
        if !footing.stub_fails {
            footing
                .unusable
                .get_or_insert_with(|| "an empty stub passes its tests".to_owned());
        }
        Ok(report)
    }
}

/// Whether a library's module is there for tests: such a one may make its test classes and fixtures otherwise when it
/// is loaded before pytest has begun, as `sqlalchemy.testing` does, so it is not loaded ahead.
fn shapes_tests(module: &str) -> bool {
    module.split('.').any(|part| {
        matches!(part, "testing" | "tests" | "test" | "conftest")
            || part.contains("pytest")
            || part.contains("plugin")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_machine_counts_is_usual_up_to_twice_the_references() {
        let traces = |name: &str, count| Traces::from([(name.to_owned(), count)]);
        let usual = Usual {
            traces: vec![traces(MACHINES, 3000), traces("processes", 3)],
            disturbs: false,
        };
        let beyond = |count| {
            let mut report = RunReport::default();
            report.left.traces = traces(MACHINES, count);
            usual.is_beyond(&report)
        };
        assert!(!beyond(0) && !beyond(6000) && beyond(6001));
        let mut sender = RunReport::default();
        sender.left.traces = traces(NETWORK, 4);
        assert!(usual.is_beyond(&sender));
        let sends = Usual {
            traces: vec![traces(NETWORK, 9)],
            disturbs: false,
        };
        assert!(!sends.is_beyond(&sender));
        let mut reader = RunReport::default();
        for (name, beyond) in [
            ("/proc/12/stat", false),
            ("/proc/sysvipc/shm", false),
            ("/sys/fs/cgroup/cpu.stat", false),
            ("/proc/stat", true),
            ("/proc/sys/fs/file-nr", true),
        ] {
            reader.left.traces = traces(name, 1);
            assert_eq!(usual.is_beyond(&reader), beyond, "{name}");
        }
        assert!(usual.is_usual(&traces("processes", 3), "processes"));
        assert!(!usual.is_usual(&traces("processes", 4), "processes"));
        assert!(Usual::default().is_usual(&Traces::new(), MACHINES));
        assert!(!Usual::default().is_usual(&traces(MACHINES, 1), MACHINES));
    }

    #[test]
    fn what_libraries_hold_for_tests_is_not_loaded_ahead() {
        assert!(
            shapes_tests("sqlalchemy.testing.fixtures")
                && shapes_tests("hypothesis.extra.pytestplugin")
        );
        assert!(!shapes_tests("sqlalchemy.engine.base") && !shapes_tests("latest.contest"));
    }
}
