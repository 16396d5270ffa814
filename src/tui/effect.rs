//! What `update` asks of the world. The runtime does it; the answer comes back as a message.

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

/// Verdicts made here, by task and index of the completion.
pub type Own = FxHashMap<(TaskRef, usize), Verdict>;

/// Slow work.
#[derive(Debug, Clone)]
pub enum Request {
    /// Open what the command line named.
    Open,
    /// Find out which verdicts each task's completions have.
    Index,
    /// Filter, order and group the tasks.
    List(Query),
    /// Read a task's record and source.
    Task(TaskRef),
    /// Look the task's dependencies up.
    Dependencies(TaskRef),
    /// Look up what a dependency of the task uses in turn.
    InTurn(TaskRef, Namespace),
    /// Look up what a completion uses, compared with the reference's needs.
    Against((TaskRef, usize), Arc<[Need]>),
    /// Find out since when the needs exist.
    Since(TaskRef, Arc<[Need]>),
    /// Read a file of the task's project.
    Read {
        /// The task, for its project.
        task: TaskRef,
        /// The file.
        path: RepoPath,
        /// The 1-based line to show.
        line: u32,
        /// The tree to read from.
        tree: Tree,
    },
    /// Read the data behind a task: records, tests and prompt.
    TaskData {
        /// The task.
        task: TaskRef,
        /// Which of its completions, if it has any.
        completion: Option<usize>,
        /// The setting of the prompt.
        setting: PromptSetting,
    },
    /// Look for a text in all sources.
    Search(String),
    /// Read a dependency's source.
    Peek {
        /// The task that has the dependency.
        task: TaskRef,
        /// Its name.
        namespace: Namespace,
        /// Where it is defined.
        definition: Definition,
    },
    /// Gather the context of a task: in which setting, from which tree, for which wording.
    Context(TaskRef, PromptSetting),
    /// Compare a completion with the reference.
    Diff {
        /// The task.
        task: TaskRef,
        /// Index into its completions.
        completion: usize,
    },
    /// Colour a block of a file's lines.
    Colours(Arc<Document>, usize),
    /// Colour a block of an item's lines, from the tree that it was taken from.
    ItemColours {
        /// The task that the context is for.
        task: TaskRef,
        /// From which tree.
        tree: Tree,
        /// What is shown.
        shown: Arc<Shown>,
        /// The item.
        item: usize,
        /// The block.
        block: usize,
    },
    /// Set models and settings against each other over tasks, with the verdicts made here.
    Analyse(Arc<[TaskRef]>, Dimension, Arc<Own>),
    /// Read what the completion's result shows; the flag says whether its judgement is at hand.
    Result(CompletionRef, bool),
    /// Evaluate completions.
    Run(Arc<[CompletionRef]>, RunPlace),
    /// Count what a generation would send.
    PlanGeneration(Arc<GenerationJob>),
    /// Ask a model server for completions.
    Generate(Arc<GenerationJob>),
    /// Open files of completions of a benchmark that were written since the workspace was opened.
    OpenCompletions(u32, Arc<[PathBuf]>),
    /// Read the verdicts of earlier runs back.
    Recall,
    /// Compare the task's context at every moment, next to the one at the base commit.
    Leakage(leakage::Subject),
    /// Colour the lines of two contexts, each from the tree of its revision.
    LeakageColours {
        /// The task.
        task: TaskRef,
        /// The two contexts.
        compared: Arc<leakage::Compared>,
        /// Whether the target is masked.
        masked: bool,
        /// The revisions of the evolving-aware and of the evolving-ignored side.
        revisions: [String; 2],
    },
    /// Look up the commit behind a run of lines.
    Origin(TaskRef, leakage::Place),
    /// Read what is shown of an item of the review, for an annotator.
    ItemDetail(crate::review::ReviewItem, String),
    /// Measure the leakage of tasks, one after the other.
    Overview(Arc<[TaskRef]>, Setting),
}

impl Request {
    /// What is being done, for the bottom line; empty for what is done before it could be read.
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

/// What `update` asks of the world.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Slow work, on a worker.
    Work {
        /// Its kind.
        slot: Slot,
        /// Its number.
        ticket: Ticket,
        /// What to do.
        request: Request,
    },
    /// End the work of a slot.
    Cancel(Slot),
    /// Hold the run, or let it go on.
    Pause(bool),
    /// Hold the generation before its next request, or let it go on.
    PauseGeneration(bool),
    /// Put text on the reader's clipboard.
    Copy(String),
    /// Open a file in the reader's editor, at a 1-based line.
    Edit {
        /// The file.
        file: PathBuf,
        /// The line.
        line: u32,
    },
    /// Open a text in the reader's editor; it comes back as a message.
    EditText(String),
    /// Send [`Msg::AdvanceTour`](super::message::Msg::AdvanceTour) with the turn's number after a pause.
    AdvanceTourAfter(std::time::Duration, u64),
    /// Give the terminal back and stop until continued.
    Suspend,
    /// Redraw everything.
    Redraw,
    /// Ring the terminal's bell.
    Ring,
    /// Leave the mouse to the terminal, or take it back.
    LeaveMouse(bool),
    /// A step of the review, done one after the other.
    Review(ReviewWork),
    /// Remember the place for the next time.
    Save(Saved),
}

impl State {
    /// An effect that does `request` in `slot`; whatever is under way there is out of date from now on.
    pub fn ask(&mut self, slot: Slot, request: Request) -> Effect {
        let ticket = self.tickets.take(slot, request.words());
        Effect::Work {
            slot,
            ticket,
            request,
        }
    }
}
