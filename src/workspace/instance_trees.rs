//! The cache of the trees of HumanEvo's instances.

use std::sync::Mutex;

use super::benchmarks::TaskRef;
use crate::history::Snapshot;

/// (task, tree) for up to `MAX_TREES` tasks, the oldest entry first. The tree is `None` if the task is no instance.
#[derive(Debug, Default)]
pub(super) struct InstanceTrees(pub(super) Mutex<Vec<(TaskRef, Option<Snapshot>)>>);
