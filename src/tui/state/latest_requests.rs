//! The latest request of each kind to the workers, so that no request is sent twice.

use super::tasks::Query;
use crate::benchmark::Namespace;
use crate::context::PromptSetting;
use crate::workspace::TaskRef;

/// The latest request of each kind.
#[derive(Debug, Default)]
pub struct LatestRequests {
    /// The comparison with the lines that were to be coloured, and whether with the target masked.
    pub leakage_colours: Option<(usize, bool)>,
    /// The verdicts of the completions.
    pub index: Option<()>,
    /// Verdicts of earlier runs.
    pub recall: Option<()>,
    /// Rows for this query.
    pub listing: Option<Query>,
    /// This task's record and source.
    pub task: Option<TaskRef>,
    /// This task's dependencies.
    pub dependencies: Option<TaskRef>,
    /// What this task's dependency uses in turn.
    pub in_turn: Option<(TaskRef, Namespace)>,
    /// What this task's completion uses.
    pub against: Option<(TaskRef, usize)>,
    /// Since when this task's dependencies exist.
    pub since: Option<TaskRef>,
    /// The source of this task's dependency.
    pub peek: Option<(TaskRef, Namespace)>,
    /// This context.
    pub context: Option<(TaskRef, PromptSetting)>,
    /// This task's completion next to the reference.
    pub diff: Option<(TaskRef, usize)>,
    /// This completion's result.
    pub result: Option<(TaskRef, usize)>,
    /// The moments of this context.
    pub leakage: Option<super::leakage::Subject>,
    /// The commit behind these lines.
    pub origin: Option<super::leakage::Place>,
    /// The leakage of the tasks of this filter.
    pub overview: Option<super::overview::Subject>,
    /// The analysis of the tasks of this filter.
    pub analysis: Option<super::analysis::Subject>,
    /// What is shown of this item of the review.
    pub item_detail: Option<crate::review::ReviewItem>,
    /// The colours of an item, by the address of what is shown, and of a block of its lines.
    pub item_colours: Option<(usize, usize, usize)>,
    /// The colours of the document at this address (the view owns it) and this block of its lines.
    pub colours: Option<(usize, usize)>,
}
