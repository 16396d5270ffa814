//! Whether a changed claim stands after the target's call. A test whose claim is not met before never comes to what is
//! judged: no code passes it, and so it tells none from another.

use std::collections::BTreeSet;

use super::super::protocol::{Bench, Footing};
use super::super::subject::{Body, Subject};
use super::super::warden::RunReport;
use super::Mutant;
use super::place::without_parameters;
use crate::benchmark::RepoPath;
use crate::error::Result;

/// What the stub raises.
const STUBS_OWN: &str = "NotImplementedError";

/// The stub in the target's place, and the tests that end with its error.
pub(super) struct Reach {
    files: Vec<(RepoPath, Vec<u8>)>,
    ended: BTreeSet<String>,
}

impl Reach {
    /// By what the stub shows of the task's own tests.
    pub fn of(subject: &Subject, stubbed: &RunReport) -> Result<Self> {
        let ended = stubbed.tests.keys().filter(|id| {
            let error = error_of(stubbed, id);
            error.is_some_and(|error| error.contains(STUBS_OWN))
        });
        Ok(Self {
            ended: ended.map(|id| without_parameters(id).to_owned()).collect(),
            files: subject.files(Body::Stub)?,
        })
    }

    /// Whether the stub's error would show, of some of these tests, that they come to it.
    pub fn is_seen(&self, ids: &[String]) -> bool {
        ids.iter().any(|id| self.ends(id))
    }

    fn ends(&self, id: &str) -> bool {
        self.ended.contains(without_parameters(id))
    }

    /// What it shows of changed tests.
    pub fn meets(
        &self,
        bench: &mut Bench,
        footing: &Footing,
        mutant: &Mutant,
    ) -> Result<RunReport> {
        bench.run_mutant(footing, &self.files, mutant, false)
    }

    /// Whether some of these changed tests come to the target before their claim fails, or nothing is seen of it: a
    /// test may take the stub's error for its own.
    pub fn confirms(&self, stubbed: &RunReport, ids: &[String]) -> bool {
        let fails_before = |id: &String| {
            let error = error_of(stubbed, id);
            self.ends(id) && error.is_some_and(|error| !error.contains(STUBS_OWN))
        };
        !ids.iter().all(fails_before)
    }
}

fn error_of<'a>(report: &'a RunReport, id: &str) -> Option<&'a str> {
    let failure = report.tests.get(id)?.failure.as_ref()?;
    Some(&failure.error)
}

#[cfg(test)]
mod tests {
    use super::super::target::tests::failing;
    use super::*;

    impl Reach {
        /// One whose error ends these tests.
        pub(in crate::evaluation::counter) fn that_ends(ids: &[&str]) -> Self {
            Self {
                files: Vec::new(),
                ended: ids.iter().map(|id| (*id).to_owned()).collect(),
            }
        }
    }

    #[test]
    fn a_claim_that_fails_where_the_stub_would_have_ended_the_test_stands_before_it() {
        let reach = Reach::that_ends(&["a.py::t", "a.py::u"]);
        let ids = |names: &[&str]| names.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let before = failing(&["a.py::t[1]", "a.py::v"], "AssertionError");
        assert!(!reach.confirms(&before, &ids(&["a.py::t[1]"])));
        assert!(reach.confirms(&before, &ids(&["a.py::v"])));
        assert!(reach.confirms(&before, &ids(&["a.py::t[1]", "a.py::u"])));
        let after = failing(&["a.py::t[1]"], STUBS_OWN);
        assert!(reach.confirms(&after, &ids(&["a.py::t[1]"])));
        assert!(
            reach.is_seen(&ids(&["a.py::v", "a.py::u[2]"])) && !reach.is_seen(&ids(&["a.py::v"]))
        );
    }
}
