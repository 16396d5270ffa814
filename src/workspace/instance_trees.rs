//! The cache of the trees of HumanEvo's instances.

use std::sync::Mutex;

use super::benchmarks::TaskRef;
use crate::history::Snapshot;

/// (task, tree) for the trees that were built last, at most `MAX_TREES`, the oldest first. The tree is `None` if the
/// task is not an instance.
#[derive(Debug, Default)]
pub(super) struct InstanceTrees(pub(super) Mutex<Vec<(TaskRef, Option<Snapshot>)>>);
