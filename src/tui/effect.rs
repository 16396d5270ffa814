//! The effects that `update` requests. The runtime performs them and sends the answers back as messages.

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use super::slot::{Slot, Ticket};
use super::state::State;
use super::state::context::{Setting, Shown, Tree};
use super::state::document::Document;
use super::state::generation::GenerationJob;
use super::state::leakage;
use super::state::place::Saved;
use super::state::review::ReviewWork;
use super::state::run::{CompletionRef, RunPlace};
use super::state::tasks::Query;
use crate::benchmark::{Namespace, RepoPath, Verdict};
use crate::context::PromptSetting;
use crate::metrics::Dimension;
use crate::workspace::{Definition, Need, TaskRef};

/// The verdicts of runs on this machine. Key: (task, 0-based index of the completion among the task's completions).
pub type Own = FxHashMap<(TaskRef, usize), Verdict>;

/// A request for slow work.
#[derive(Debug, Clone)]
pub enum Request {
    /// Open the paths of the command line.
    Open,
    /// Read the completions of all tasks, with their verdicts.
    Index,
    /// Find the targets of all tasks in the sources.
    Anchors,
    /// Filter, order and group the tasks.
    List(Query),
    /// Read a task's record and source.
    Task(TaskRef),
    /// Look up the task's dependencies.
    Dependencies(TaskRef),
    /// Look up the dependencies of one of the task's dependencies.
    InTurn(TaskRef, Namespace),
    /// Compare the dependencies of a completion with those of the reference code. The completion is (task, 0-based
    /// index among the task's completions).
    Against((TaskRef, usize), Arc<[Need]>),
    /// Find out since when each dependency of the task exists.
    Since(TaskRef, Arc<[Need]>),
    /// Read a file of the task's project.
    Read {
        /// A task of the project.
        task: TaskRef,
        /// The file.
        path: RepoPath,
        /// The 1-based line to show.
        line: u32,
        /// The tree to read from.
        tree: Tree,
    },
    /// Read the records, tests and prompt of a task.
    TaskData {
        /// The task.
        task: TaskRef,
        /// The 0-based index of the completion; `None` if the task has no completions.
        completion: Option<usize>,
        /// The setting of the prompt.
        setting: PromptSetting,
    },
    /// Search for a text in all sources.
    Search(String),
    /// Read a dependency's source.
    Peek {
        /// The task that has the dependency.
        task: TaskRef,
        /// The name of the dependency.
        namespace: Namespace,
        /// Where the dependency is defined.
        definition: Definition,
    },
    /// Gather the context of a task in a setting.
    Context(TaskRef, PromptSetting),
    /// Compare a completion with the reference code.
    Diff {
        /// The task.
        task: TaskRef,
        /// The 0-based index of the completion among the task's completions.
        completion: usize,
    },
    /// Highlight the syntax of a block (consecutive lines) in a file. The number is the 0-based index of the block.
    Colours(Arc<Document>, usize),
    /// Highlight the syntax of a block in an item (a snippet) of a context.
    ItemColours {
        /// The task that the context is for.
        task: TaskRef,
        /// The tree that the item was taken from.
        tree: Tree,
        /// The context that contains the item.
        shown: Arc<Shown>,
        /// The 0-based index of the item in the context.
        item: usize,
        /// The 0-based index of the block in the item.
        block: usize,
    },
    /// Compare models and settings on tasks, with the verdicts of runs on this machine.
    Analyse(Arc<[TaskRef]>, Dimension, Arc<Own>),
    /// Read the data of the completion's result screen. The flag is true if the verdict's details are already loaded.
    Result(CompletionRef, bool),
    /// Evaluate completions.
    Run(Arc<[CompletionRef]>, RunPlace),
    /// Count the requests and tokens of a generation.
    PlanGeneration(Arc<GenerationJob>),
    /// Request completions from a model server.
    Generate(Arc<GenerationJob>),
    /// Open completion files that were written after the workspace was opened. The number is the index of the files'
    /// benchmark in the workspace.
    OpenCompletions(u32, Arc<[PathBuf]>),
    /// Read the verdicts of earlier runs.
    Recall,
    /// Compare the task's context at every later version with the context at the base commit.
    Leakage(leakage::Subject),
    /// Highlight the syntax of the two compared contexts.
    LeakageColours {
        /// The task.
        task: TaskRef,
        /// The two contexts.
        compared: Arc<leakage::Compared>,
        /// Whether the target is masked.
        masked: bool,
        /// (revision of the evolving-aware context, revision of the evolving-ignored context).
        revisions: [String; 2],
    },
    /// Look up the commit that added or removed some consecutive lines.
    Origin(TaskRef, leakage::Place),
    /// Read the details of a review item. The text is the name of the annotator.
    ItemDetail(crate::review::ReviewItem, String),
    /// Measure the leakage of tasks, one after the other.
    Overview(Arc<[TaskRef]>, Setting),
}

impl Request {
    /// A description of the work for the bottom line. Empty for short work.
    pub fn words(&self) -> String {
        let words = match self {
            Self::Open => "opening",
            Self::Index => "reading completions",
            Self::Dependencies(_) => "looking dependencies up",
            Self::Since(..) => "looking through the history",
            Self::Context(..) => "gathering context",
            Self::Run(..) => "evaluating",
            Self::PlanGeneration(_) => "counting prompts",
            Self::Generate(_) => "generating",
            Self::TaskData { .. } => "reading the task's data",
            Self::Search(_) => "searching",
            Self::Leakage(_) => "comparing",
            Self::Overview(..) => "measuring leakage",
            _ => "",
        };
        words.to_owned()
    }
}

/// What `update` asks the runtime to do.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Slow work on a worker thread.
    Work {
        /// The kind of work.
        slot: Slot,
        /// The number of the request.
        ticket: Ticket,
        /// What to do.
        request: Request,
    },
    /// Cancel the work of a slot.
    Cancel(Slot),
    /// Pause the run (`true`) or resume it (`false`).
    Pause(bool),
    /// Pause the generation before its next request (`true`), or resume it (`false`).
    PauseGeneration(bool),
    /// Put text on the user's clipboard.
    Copy(String),
    /// Open a file in the user's editor.
    Edit {
        /// The file.
        file: PathBuf,
        /// The 1-based line to show.
        line: u32,
    },
    /// Open a text in the user's editor. The edited text returns as a message.
    EditText(String),
    /// After this time, send [`Msg::AdvanceTour`](super::message::Msg::AdvanceTour) with this number.
    AdvanceTourAfter(std::time::Duration, u64),
    /// Release the terminal and stop the process until it is continued.
    Suspend,
    /// Redraw everything.
    Redraw,
    /// Ring the terminal's bell.
    Ring,
    /// Stop capturing the mouse (`true`), or resume capturing it (`false`).
    LeaveMouse(bool),
    /// Request something from the review log. These requests are performed one after the other.
    Review(ReviewWork),
    /// Store the user's place in the explorer for the next session.
    Save(Saved),
}

impl State {
    /// An effect that performs `request` in `slot`. Answers to earlier requests in this slot are ignored from now on.
    pub fn ask(&mut self, slot: Slot, request: Request) -> Effect {
        let ticket = self.tickets.take(slot, request.words());
        Effect::Work {
            slot,
            ticket,
            request,
        }
    }
}
