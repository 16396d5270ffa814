//! A body that no test should trust: what it is asked to give is equal to everything. A change that it fails, in a test
//! that it passes, is no counter-test to such code.

use std::collections::BTreeSet;
use std::time::Duration;

use super::super::protocol::{Bench, Footing, passed};
use super::super::subject::Body;
use super::super::warden::RunReport;
use super::Mutant;
use super::place::plain;
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
        let report = briefly(bench, footing, |bench| bench.run_tests(footing, &files))?;
        let fooled = passed(&report).into_iter().map(|id| plain(&id).to_owned());
        Ok(Self {
            fooled: fooled.collect(),
            files,
        })
    }

    /// Whether it passes a test with some of its parameters.
    pub fn fools(&self, id: &str) -> bool {
        self.fooled.contains(plain(id))
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

/// Runs something within the time that the reference's tests need, and some more.
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
