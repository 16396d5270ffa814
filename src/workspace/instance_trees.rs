//! The trees of HumanEvo's instances that are held in memory.

use std::sync::Mutex;

use super::benchmarks::TaskRef;
use crate::history::Snapshot;

/// The trees of the tasks that were requested last, at most `MAX_TREES`, the oldest first. `None` for a task that is
/// not an instance.
#[derive(Debug, Default)]
pub(super) struct InstanceTrees(pub(super) Mutex<Vec<(TaskRef, Option<Snapshot>)>>);
