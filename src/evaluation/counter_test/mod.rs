//! Counter-tests: each test function of a task with one expectation changed, so that right code must fail it.
//!
//! Code that is tested in the process that runs the tests can make any test pass: by objects that are equal to everything,
//! by patched reports, by reading the expected value from its caller. Such code passes the changed tests too. Which
//! tests are changed is drawn at random for each pair of runs, and the second run changes the others, so that neither
//! the order of the runs nor their number says which tests right code must fail.
//!
//! [`Search`] finds one form for each test function, from what the stub and the reference show; nothing here runs anything.
//! [`CounterTests`] are its result. They are part of a baseline, give the files of a [`Variant`], and check what a run of
//! it showed. How the tests of a language are changed is in
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
pub use self::task::{Outcomes, TestedTask, stub_body};
pub use self::variant::{Variant, VariantOutcome};

#[cfg(test)]
mod tests;
