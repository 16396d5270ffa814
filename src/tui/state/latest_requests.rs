//! Remembers the latest request of each kind to the workers, so that no data is requested twice.

use super::tasks::Query;
use crate::benchmark::Namespace;
use crate::context::PromptSetting;
use crate::workspace::TaskRef;

/// For each kind of request, the subject of the latest request. Each comment names the requested data, and then the
/// subject after a colon. `None` if there was no request of this kind, or if the data must be requested again.
/// `Some(())` if the request has no subject. A completion is given by its task and its index among the task's
/// completions.
#[derive(Debug, Default)]
pub struct LatestRequests {
    /// The syntax colours of two compared contexts: the address of the comparison in memory, and whether the target is
    /// masked.
    pub leakage_colours: Option<(usize, bool)>,
    /// The completions of all tasks, with their verdicts.
    pub index: Option<()>,
    /// The positions of all targets in the sources.
    pub anchors: Option<()>,
    /// The verdicts of earlier runs.
    pub recall: Option<()>,
    /// The rows of the task list: the query (filter, order and grouping).
    pub listing: Option<Query>,
    /// The record and the source of a task: the task.
    pub task: Option<TaskRef>,
    /// The dependencies of a task: the task.
    pub dependencies: Option<TaskRef>,
    /// The dependencies of a task's dependency: the task, and the name of the dependency.
    pub in_turn: Option<(TaskRef, Namespace)>,
    /// The names that a completion uses: the completion.
    pub against: Option<(TaskRef, usize)>,
    /// The dates on which a task's dependencies were added: the task.
    pub since: Option<TaskRef>,
    /// The source of a task's dependency: the task, and the name of the dependency.
    pub peek: Option<(TaskRef, Namespace)>,
    /// A context: the task and the setting.
    pub context: Option<(TaskRef, PromptSetting)>,
    /// The diff of a completion against the reference code: the completion.
    pub diff: Option<(TaskRef, usize)>,
    /// The result of a completion: the completion.
    pub result: Option<(TaskRef, usize)>,
    /// The comparisons of the leakage screen: the task, the setting and the wording of the requirement.
    pub leakage: Option<super::leakage::Subject>,
    /// The commit that added or removed some lines: the lines.
    pub origin: Option<super::leakage::Place>,
    /// The leakage of many tasks: the filter of the tasks, and the setting.
    pub overview: Option<super::overview::Subject>,
    /// The analysis: the filter of the tasks, the dimension, and the number of verdicts.
    pub analysis: Option<super::analysis::Subject>,
    /// The details of a review item: the item.
    pub item_detail: Option<crate::review::ReviewItem>,
    /// The syntax colours of a block of lines of a context item: the address of the shown context in memory, the index
    /// of the item, and the index of the block.
    pub item_colours: Option<(usize, usize, usize)>,
    /// The syntax colours of a block of lines of a document: the address of the document in memory, and the index of
    /// the block.
    pub colours: Option<(usize, usize)>,
}
