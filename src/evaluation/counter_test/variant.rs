//! Which functions a run changes, and what the run shows.

use serde::{Deserialize, Serialize};

/// A subset of a task's changed functions. The other functions run as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Variant(Vec<bool>);

impl Variant {
    pub(super) fn new(changed: Vec<bool>) -> Self {
        Self(changed)
    }

    /// Whether it changes the function of that number.
    pub fn changes(&self, function: usize) -> bool {
        self.0.get(function).copied().unwrap_or(false)
    }

    /// Whether it changes every function, and there is one.
    pub fn changes_all(&self) -> bool {
        !self.0.is_empty() && !self.0.contains(&false)
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
