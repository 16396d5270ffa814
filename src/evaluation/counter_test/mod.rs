//! Counter-tests: each test function of a task with one expectation changed, so that right code must fail the changed
//! function.
//!
//! Code that runs in the same process as its tests can make any test pass: it can return objects that are equal to
//! everything, patch the reports, or read the expected value from its caller. Such code passes the changed tests too.
//! Evoscope draws at random which tests the first run of each pair changes. The second run changes the other tests.
//! Neither the order nor the number of the runs reveals which tests right code must fail.
//!
//! [`Search`] finds one changed form for each test function, from the outcomes of the stub and the reference.
//! [`CounterTests`] is the result of a search and a part of a baseline. It makes the files of a [`Variant`] and checks
//! the outcomes of a run of the variant. This module makes no runs itself. The module [`code`](crate::code) changes the
//! tests of each language.

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
