//! JSON fields about the dependencies of one task, and about the names that a completion and the reference code use.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::benchmark::Namespace;
use crate::workspace::{Since, Surroundings};

/// The fields that `--task ID --json` adds to the task's line.
#[derive(Debug, Default, Serialize)]
pub(super) struct DependencyTree {
    /// Key: a direct or transitive dependency; value: the names that it uses.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    in_turn: BTreeMap<Namespace, Vec<Namespace>>,
    /// Key: a dependency; value: the commit that added it. Omitted if the project has no repository.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    first_existed: BTreeMap<Namespace, First>,
    /// Whether the context of `--setting` contains the definition of each dependency. Omitted without `--setting`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    in_context: BTreeMap<Namespace, bool>,
}

#[derive(Debug, Serialize)]
struct First {
    commit: String,
    date: String,
    /// Whether the definition existed at the task's base commit. `None` if the base commit is not known.
    at_base: Option<bool>,
}

impl DependencyTree {
    pub(super) fn of(found: Surroundings) -> Self {
        let first = |(name, since): (Namespace, Since)| {
            let first = First {
                commit: since.commit.id.to_string(),
                date: since.commit.date.to_string(),
                at_base: since.at_base,
            };
            (name, first)
        };
        Self {
            in_turn: found.in_turn,
            first_existed: found.since.into_iter().map(first).collect(),
            in_context: found.in_context,
        }
    }
}

/// The project's names that a completion or the reference code uses. Each list is sorted.
#[derive(Debug, Serialize)]
pub(super) struct NameComparison {
    /// Names that both the completion and the reference code use.
    used: Vec<String>,
    /// Names that only the reference code uses.
    missed: Vec<String>,
    /// Names that only the completion uses.
    extra: Vec<String>,
}

impl NameComparison {
    pub(super) fn of(reference: &BTreeSet<&str>, completion: &BTreeSet<&str>) -> Self {
        let owned = |name: &&str| (*name).to_owned();
        Self {
            used: reference.intersection(completion).map(owned).collect(),
            missed: reference.difference(completion).map(owned).collect(),
            extra: completion.difference(reference).map(owned).collect(),
        }
    }
}
