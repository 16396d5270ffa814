//! What stands around one task's dependencies: what they use in turn, since when they exist, whether a context shows
//! them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::super::moment::snapshot_at;
use crate::benchmark::Namespace;
use crate::context::{Chunking, Engine, Pool, Rank, Retrieval, Setting, Tokens, Wanted};
use crate::error::{Cancel, Kind, Result};
use crate::workspace::{Studies, TaskRef, Workspace};

/// Names whose own dependencies are listed at most.
const MOST: usize = 500;

/// Items of a retrieved context.
const TOP: usize = 10;

/// The fields that `--task ID --json` adds to the task's line.
#[derive(Debug, Default, Serialize)]
pub(super) struct Around {
    /// For each dependency, and each of theirs, what it uses in turn; nothing stands twice, so cycles end.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    in_turn: BTreeMap<Namespace, Vec<Namespace>>,
    /// The commit that brought each dependency; left out without a repository.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    first_existed: BTreeMap<Namespace, First>,
    /// Whether the context of `--setting` has the definition; left out without one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    in_context: BTreeMap<Namespace, bool>,
}

#[derive(Debug, Serialize)]
struct First {
    commit: String,
    date: String,
    /// Whether the tree at the task's base commit had it.
    at_base: Option<bool>,
}

impl Around {
    /// Finds them out for a task. `shown` is a setting and a tree, as `context` takes them.
    pub(super) fn of(
        workspace: &Workspace,
        studies: &Studies,
        task: TaskRef,
        shown: Option<(Setting, &str)>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let needs = studies.needs(workspace, task, cancel)?;
        let mut around = Self::default();
        let mut waiting: Vec<Namespace> = needs.iter().map(|need| need.namespace.clone()).collect();
        while let Some(name) = waiting.pop() {
            if around.in_turn.len() >= MOST || around.in_turn.contains_key(&name) {
                continue;
            }
            let turn = studies.in_turn(workspace, task, &name, cancel)?;
            let turn: Vec<_> = turn.into_iter().map(|need| need.namespace).collect();
            waiting.extend(turn.iter().cloned());
            around.in_turn.insert(name, turn);
        }
        let engine = Engine::default();
        let past = workspace.since(&engine, task, &needs, cancel, &mut |index, since| {
            let first = First {
                commit: since.commit.id.to_string(),
                date: since.commit.date.to_string(),
                at_base: since.at_base,
            };
            let name = needs[index].namespace.clone();
            around.first_existed.insert(name, first);
        });
        // Without a repository there is no past to tell of, and the rest still holds.
        past.or_else(|why| {
            if why.kind() == Kind::Data {
                Ok(())
            } else {
                Err(why)
            }
        })?;
        if let Some((setting, at)) = shown {
            let target = workspace.target(task)?;
            let wanted = Wanted {
                setting,
                retrieval: Retrieval {
                    rank: Rank::Jaccard,
                    pool: Pool {
                        language: target.language,
                        chunking: Chunking::default(),
                        tokens: Tokens::Word,
                    },
                    top: TOP,
                },
                target: &target,
                masks: &[],
            };
            let snapshot = snapshot_at(workspace, &engine, task, at, cancel)?;
            let gathered = engine.gather(&wanted, &snapshot, &mut |_, _| {}, cancel)?;
            for need in &needs {
                if let Some(definition) = &need.definition {
                    let seen = definition.is_in(&gathered.listing.items);
                    around.in_context.insert(need.namespace.clone(), seen);
                }
            }
        }
        Ok(around)
    }
}

/// A completion's names beside the reference's, each in order.
#[derive(Debug, Serialize)]
pub(super) struct Beside {
    /// On both sides.
    used: Vec<String>,
    /// Only in the reference.
    missed: Vec<String>,
    /// Only in the completion.
    extra: Vec<String>,
}

impl Beside {
    pub(super) fn of(reference: &BTreeSet<&str>, completion: &BTreeSet<&str>) -> Self {
        let owned = |name: &&str| (*name).to_owned();
        Self {
            used: reference.intersection(completion).map(owned).collect(),
            missed: reference.difference(completion).map(owned).collect(),
            extra: completion.difference(reference).map(owned).collect(),
        }
    }
}
