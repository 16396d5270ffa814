//! The test functions that a run changes, and the outcome of the run.

use serde::{Deserialize, Serialize};

/// For each function of a task's [`CounterTests`](super::CounterTests), in their order: whether a run changes the
/// function. All other tests of the task run unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Variant(Vec<bool>);

impl Variant {
    pub(super) fn new(changed: Vec<bool>) -> Self {
        Self(changed)
    }

    /// Whether the variant changes the function with this index in
    /// [`CounterTests::functions`](super::CounterTests::functions).
    pub fn changes(&self, function: usize) -> bool {
        self.0.get(function).copied().unwrap_or(false)
    }

    /// Whether the variant changes every function. False if there are no functions.
    pub fn changes_all(&self) -> bool {
        !self.0.is_empty() && !self.0.contains(&false)
    }

    /// Whether the variant changes no function.
    pub fn is_as_written(&self) -> bool {
        !self.0.contains(&true)
    }
}

/// The outcome of a run of a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VariantOutcome {
    /// Each unchanged test passed and each changed test failed.
    AsExpected,
    /// These unchanged tests did not pass.
    Failed(Vec<String>),
    /// All unchanged tests passed, but this changed test passed too.
    Tampered(String),
    /// All unchanged tests passed and no changed test passed, but these changed tests did not fail either.
    Inconclusive(Vec<String>),
}
