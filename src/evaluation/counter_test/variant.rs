//! Which functions a run changes, and the outcome of such a run.

use serde::{Deserialize, Serialize};

/// The subset of a task's test functions that a run changes. The other functions run unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Variant(Vec<bool>);

impl Variant {
    pub(super) fn new(changed: Vec<bool>) -> Self {
        Self(changed)
    }

    /// Whether it changes the function with that index.
    pub fn changes(&self, function: usize) -> bool {
        self.0.get(function).copied().unwrap_or(false)
    }

    /// Whether it changes every function. False if there are none.
    pub fn changes_all(&self) -> bool {
        !self.0.is_empty() && !self.0.contains(&false)
    }

    /// Whether it changes no function.
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
    /// All unchanged tests passed, but so did this changed test.
    Tampered(String),
    /// All unchanged tests passed and no changed test did, but these changed tests did not fail either.
    Inconclusive(Vec<String>),
}
