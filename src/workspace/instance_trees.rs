//! The trees of instances that are held in memory.

use std::sync::Mutex;

use super::benchmarks::TaskRef;
use crate::history::Snapshot;

/// The trees that were created last, at most `MAX_TREES`.
#[derive(Debug, Default)]
pub(super) struct InstanceTrees(pub(super) Mutex<Vec<(TaskRef, Option<Snapshot>)>>);
