//! Completions that are right, wrong, broken or hostile. Each completion lists the verdicts that it may get, and a
//! comment gives the reason. No completion forks, allocates or writes endlessly.

mod answers;
mod exits;
mod ordinary;
mod reports;
mod resources;
mod surroundings;

use evoscope::benchmark::Verdict;

/// A completion: (name, body, verdicts that it may get).
pub struct Kind(pub &'static str, pub &'static str, pub &'static [Verdict]);

pub const RIGHT: &str = "return [value * factor for value in values]\n";

/// All completions, in the order in which they are evaluated.
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
