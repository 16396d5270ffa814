//! A body that no test should trust: what it gives is equal to everything. A change that it fails, in a test that it passes,
//! is no counter-test to such code.

use std::collections::BTreeSet;
use std::time::Duration;

use super::super::protocol::{Bench, Footing};
use super::super::subject::Body;
use super::super::warden::{Outcome, RunReport};
use super::Mutant;
use super::place::without_parameters;
use crate::benchmark::RepoPath;
use crate::error::Result;

/// How long its runs may take beyond what the reference needs: some code waits for ever for such an object's end.
const PATIENCE: Duration = Duration::from_secs(5);

const BODY: &str = "class Anything(object):
    def __eq__(self, other):
        return True
    __bool__ = __nonzero__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = lambda self, *other: True
    def __ne__(self, other):
        return False
    def __hash__(self):
        return 0
    def __len__(self):
        return 1
    def __iter__(self):
        return iter(())
    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return self
    def __getitem__(self, key):
        return self
    def __call__(self, *given, **named):
        return self
    def __enter__(self):
        return self
    def __exit__(self, *why):
        return False
return Anything()
";

/// The body in the target's place, and what it fools.
pub(super) struct Probe {
    files: Vec<(RepoPath, Vec<u8>)>,
    fooled: BTreeSet<String>,
}

impl Probe {
    /// Runs the task's own tests with it.
    pub fn new(bench: &mut Bench, footing: &Footing) -> Result<Self> {
        let files = bench.subject.files(Body::Completion(BODY))?;
        let report = unchanged(bench, footing, &files)?;
        let fooled = report.passed_ids().into_iter();
        Ok(Self {
            fooled: fooled
                .map(|id| without_parameters(&id).to_owned())
                .collect(),
            files,
        })
    }

    /// Whether it passes some of these tests, whatever their parameters.
    pub fn fools(&self, ids: &[String]) -> bool {
        ids.iter()
            .any(|id| self.fooled.contains(without_parameters(id)))
    }

    /// Whether changed tests are seen to fool it as the task's own do; where its run had to be ended, nothing is seen
    /// against them.
    pub fn confirms(probed: &RunReport, ids: &[String]) -> bool {
        let passes = |id: &String| {
            let test = probed.tests.get(id);
            test.is_some_and(|test| test.outcome == Outcome::Passed)
        };
        probed.killed.is_some() || ids.iter().any(passes)
    }

    /// What it shows of changed tests.
    pub fn meets(
        &self,
        bench: &mut Bench,
        footing: &Footing,
        mutant: &Mutant,
    ) -> Result<RunReport> {
        briefly(bench, footing, |bench| {
            bench.run_mutant(footing, &self.files, mutant, false)
        })
    }
}

fn unchanged(
    bench: &mut Bench,
    footing: &Footing,
    files: &[(RepoPath, Vec<u8>)],
) -> Result<RunReport> {
    briefly(bench, footing, |bench| {
        bench.run_mutant(footing, files, &Mutant::default(), false)
    })
}

/// Runs something within the time that the reference needs, and some more.
fn briefly<T>(
    bench: &mut Bench,
    footing: &Footing,
    run: impl FnOnce(&mut Bench) -> Result<T>,
) -> Result<T> {
    let own = bench.limits;
    let needed = Duration::from_secs_f64(footing.seconds.max(0.0)).saturating_mul(3);
    bench.limits.total = own.total.min(PATIENCE.saturating_add(needed));
    let done = run(bench);
    bench.limits = own;
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::warden::Killed;

    impl Probe {
        /// One that passes these tests.
        pub(in crate::evaluation::counter) fn that_fools(ids: &[&str]) -> Self {
            Self {
                files: Vec::new(),
                fooled: ids.iter().map(|id| (*id).to_owned()).collect(),
            }
        }
    }

    #[test]
    fn a_probe_that_had_to_be_ended_says_nothing_against_a_change() {
        let ids = ["a.py::test".to_owned()];
        let mut report = RunReport::default();
        assert!(!Probe::confirms(&report, &ids));
        report.killed = Some(Killed::Timeout);
        assert!(Probe::confirms(&report, &ids));
    }

    #[test]
    fn a_test_is_fooled_with_whatever_parameters() {
        let probe = Probe::that_fools(&["a.py::test"]);
        assert!(probe.fools(&["a.py::test[1]".to_owned()]));
        assert!(!probe.fools(&["a.py::test_b".to_owned()]));
    }
}
