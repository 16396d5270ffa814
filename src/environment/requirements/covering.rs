//! A list of requirements in which earlier ones hide later ones of the same package.

use std::collections::BTreeMap;

use pep508_rs::{MarkerTree, PackageName, Requirement};

/// Requirements of which none is covered by an earlier one: its marker is not a part of their markers.
#[derive(Default)]
pub(super) struct Covering {
    /// The requirements in the order in which they were added.
    pub found: Vec<Requirement>,
    /// For each package, the marker that combines the markers of its requirements.
    covered: BTreeMap<PackageName, MarkerTree>,
}

impl Covering {
    /// Whether the requirements of the same package cover the marker of this requirement.
    pub fn covers(&self, requirement: &Requirement) -> bool {
        let covered = self.covered.get(&requirement.name);
        covered.is_some_and(|covered| covered.negate().is_disjoint(&requirement.marker))
    }

    /// Adds a requirement, unless it is covered.
    pub fn add(&mut self, requirement: Requirement) {
        if !self.covers(&requirement) {
            let covered = self.covered.entry(requirement.name.clone());
            let covered = covered.or_insert(MarkerTree::FALSE);
            covered.or(requirement.marker.clone());
            self.found.push(requirement);
        }
    }
}

/// The requirements as text (PEP 508).
pub(super) fn lines<'r>(requirements: impl IntoIterator<Item = &'r Requirement>) -> Vec<String> {
    let requirements = requirements.into_iter();
    requirements.map(ToString::to_string).collect()
}
