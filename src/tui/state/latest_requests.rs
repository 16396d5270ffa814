//! The latest request of each kind to the workers, so that no request is sent twice.

use super::tasks::Query;
use crate::benchmark::Namespace;
use crate::context::PromptSetting;
use crate::workspace::TaskRef;

/// The latest request of each kind.
#[derive(Debug, Default)]
pub struct LatestRequests {
    /// The leakage comparison with lines to colour, and whether its target is masked.
    pub leakage_colours: Option<(usize, bool)>,
    /// The verdicts of the completions.
    pub index: Option<()>,
    /// The targets of all tasks in the sources.
    pub anchors: Option<()>,
    /// Verdicts of earlier runs.
    pub recall: Option<()>,
    /// The rows for this query.
    pub listing: Option<Query>,
    /// This task's record and source.
    pub task: Option<TaskRef>,
    /// This task's dependencies.
    pub dependencies: Option<TaskRef>,
    /// The dependencies of this dependency of the task.
    pub in_turn: Option<(TaskRef, Namespace)>,
    /// The names that this completion of the task uses.
    pub against: Option<(TaskRef, usize)>,
    /// Since when this task's dependencies exist.
    pub since: Option<TaskRef>,
    /// The source of this task's dependency.
    pub peek: Option<(TaskRef, Namespace)>,
    /// This context.
    pub context: Option<(TaskRef, PromptSetting)>,
    /// This completion compared with the reference code.
    pub diff: Option<(TaskRef, usize)>,
    /// This completion's result.
    pub result: Option<(TaskRef, usize)>,
    /// The moments of this context.
    pub leakage: Option<super::leakage::Subject>,
    /// The commit that introduced these lines.
    pub origin: Option<super::leakage::Place>,
    /// The leakage of the tasks of this filter.
    pub overview: Option<super::overview::Subject>,
    /// The analysis of the tasks of this filter.
    pub analysis: Option<super::analysis::Subject>,
    /// The details of this review item.
    pub item_detail: Option<crate::review::ReviewItem>,
    /// The colours of an item: the address of the shown context, the item, and the block of its lines.
    pub item_colours: Option<(usize, usize, usize)>,
    /// The colours of a document: its address (the view owns it), and the block of its lines.
    pub colours: Option<(usize, usize)>,
}
