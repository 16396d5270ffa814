//! Which functions a run changes, and what the run shows.

use rand::{Rng, RngExt as _};
use serde::{Deserialize, Serialize};

use super::CounterTests;

/// A subset of a task's changed functions. The other functions run as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Variant(Vec<bool>);

impl Variant {
    /// Whether it changes the function of that number.
    pub fn changes(&self, function: usize) -> bool {
        self.0.get(function).copied().unwrap_or(false)
    }

    /// Whether it changes no function, so that every test runs as written.
    pub fn is_as_written(&self) -> bool {
        !self.0.contains(&true)
    }
}

/// What a run of a variant shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VariantOutcome {
    /// Each test as written passed and each changed one failed.
    AsExpected,
    /// These tests as written did not pass.
    Failed(Vec<String>),
    /// All tests as written passed, and so did this changed one.
    Tampered(String),
    /// All tests as written passed, no changed one did, but these neither passed nor failed.
    Inconclusive(Vec<String>),
}

impl CounterTests {
    /// The variant that changes no function.
    pub fn none(&self) -> Variant {
        Variant(vec![false; self.count()])
    }

    /// The variant that changes every function.
    pub fn all(&self) -> Variant {
        Variant(vec![true; self.count()])
    }

    /// The variants of a pair of runs, in the order in which they run. Each function is changed in exactly one of them,
    /// in the first one with probability 1/2, whatever the others are; where the tests influence each other, all are
    /// changed in the same one.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> (Variant, Variant) {
        let together = rng.random();
        let first: Vec<bool> = (0..self.count())
            .map(|_| {
                if self.is_independent() {
                    rng.random()
                } else {
                    together
                }
            })
            .collect();
        let second = first.iter().map(|changed| !changed).collect();
        (Variant(first), Variant(second))
    }
}
