//! Counter-tests: the test functions of a task, each with one changed expectation. Correct code must fail the changed
//! function.
//!
//! Code that runs in the same process as its tests can make any test pass: it can return objects that are equal to
//! everything, patch the reports, or read the expected value from its caller. Such code passes the changed tests too.
//! Evoscope makes a pair of runs for each completion. The first run changes a random subset of the test functions, and
//! the second run changes the others. So a run does not reveal to the code which tests correct code must fail.
//!
//! [`Search`] finds one change for each test function. It uses the outcomes of the tests with the reference code and
//! with a stub. [`CounterTests`] contains the found changes. A [`Variant`] is a subset of these. [`CounterTests`] makes
//! the files of a variant, and checks the outcomes of a run with these files. This module makes no runs itself. The
//! module [`code`](crate::code) changes the tests of each language.

mod candidate;
mod changed;
mod lookup;
mod search;
mod task;
mod variant;

pub use self::changed::{ChangedFunction, CounterTests};
pub use self::lookup::entry_of;
pub use self::search::Search;
pub use self::task::{Outcomes, TestedTask};
pub use self::variant::{Variant, VariantOutcome};

#[cfg(test)]
mod tests;
