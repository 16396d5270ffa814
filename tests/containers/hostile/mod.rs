//! Completions that are right, wrong, broken or hostile, with the verdicts that each may get, and a line that says why. All
//! are bounded: none forks, allocates or writes without an end of its own.

mod answers;
mod exits;
mod ordinary;
mod reports;
mod resources;
mod surroundings;

use evoscope::benchmark::Verdict;

/// A name, a body, and the verdicts that are right for it.
pub struct Kind(pub &'static str, pub &'static str, pub &'static [Verdict]);

pub const RIGHT: &str = "return [value * factor for value in values]\n";

/// All of them, in the order in which a session meets them.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    [
        ordinary::KINDS,
        exits::KINDS,
        reports::KINDS,
        answers::KINDS,
        resources::KINDS,
        surroundings::KINDS,
    ]
    .into_iter()
    .flatten()
}
