//! What the search asks to be run, and what it is shown of a run. Plain data, so that no runner's types are needed.

use std::collections::HashMap;

use crate::benchmark::RepoPath;

/// A body that nobody has written: a test that passes with it tests nothing.
pub const STUB_BODY: &str = "raise NotImplementedError\n";

/// The exception that the stub raises.
const STUB_ERROR: &str = "NotImplementedError";

/// A body whose result is equal to everything.
pub const PROBE_BODY: &str = "class Anything(object):
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

/// The body in the target's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// The developers' own code.
    Reference,
    /// [`STUB_BODY`].
    Stub,
    /// [`PROBE_BODY`]. It may run for ever, so its time should be limited to little more than the reference needs.
    Probe,
}

/// A run that the search asks for: the task's list of tests with these files in the place of the project's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What stands in the target's place.
    pub body: Body,
    /// The changed files; none where the tests run as written.
    pub files: Vec<(RepoPath, String)>,
}

/// What a run showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observations {
    /// The outcome of each reported test by its id.
    pub outcomes: HashMap<String, Observed>,
    /// Whether a limit ended the run.
    pub ended: bool,
}

/// The outcome of one test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// It passed.
    Passed,
    /// It failed.
    Failed(Cause),
    /// It was skipped, is an expected failure, could not be set up.
    Other,
}

/// Why a test failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// An assertion was not met.
    Assertion,
    /// The stub's exception.
    Stub,
    /// Another error.
    Error,
}

impl Cause {
    /// The cause by the phase that failed (`setup`, `call`, `teardown`) and the text of the error.
    pub fn of(phase: &str, error: &str) -> Self {
        if error.contains(STUB_ERROR) {
            Self::Stub
        } else if phase == "call" && (error.contains("Assert") || error.contains("Fail")) {
            Self::Assertion
        } else {
            Self::Error
        }
    }
}

impl Observations {
    pub(super) fn of(&self, id: &str) -> Option<Observed> {
        self.outcomes.get(id).copied()
    }

    pub(super) fn passed(&self, id: &str) -> bool {
        self.of(id) == Some(Observed::Passed)
    }

    pub(super) fn failed(&self, id: &str) -> bool {
        matches!(self.of(id), Some(Observed::Failed(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_before_an_assertion_is_not_an_unmet_assertion() {
        assert_eq!(Cause::of("call", "AssertionError: 3"), Cause::Assertion);
        assert_eq!(Cause::of("call", "Failed: DID NOT RAISE"), Cause::Assertion);
        assert_eq!(Cause::of("setup", "AssertionError"), Cause::Error);
        assert_eq!(Cause::of("call", "FileNotFoundError"), Cause::Error);
        assert_eq!(Cause::of("call", "NotImplementedError"), Cause::Stub);
    }
}
