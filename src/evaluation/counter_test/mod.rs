//! Counter-tests: each test function of a task with one expectation changed, so that right code must fail it.
//!
//! Code that runs in the same process as its tests can make any test pass: by objects that are equal to everything, by
//! patched reports, by reading the expected value from its caller. Such code passes the changed tests too. The tests to
//! change are drawn at random for each pair of runs, and the second run changes the others. So neither the order nor
//! the number of the runs reveals which tests right code must fail.
//!
//! [`Search`] finds one changed form for each test function, from the outcomes of the stub and the reference. This
//! module runs nothing itself. [`CounterTests`], the result of a search, are part of a baseline. They make the files of
//! a [`Variant`] and check the outcomes of its runs. How tests are changed in each language is in
//! [`code`](crate::code).

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
