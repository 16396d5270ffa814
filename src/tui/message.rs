//! Messages: keys, the mouse, the terminal, answers and progress of workers.

use std::sync::Arc;
use std::time::Duration;

use super::effect::{Slot, Ticket};
use super::keys::Key;
use super::state::completions::Diff;
use super::state::context::Shown;
use super::state::document::{Document, Use};
use super::state::generation::{Answered, Planned};
use super::state::leakage::{Compared, Grounds, Moment, Place, SideColours, Subject};
use super::state::overview::{Measured, Row};
use super::state::place::Saved;
use super::state::result::Sheet;
use super::state::review::Reviewed;
use super::state::review_choices::ItemDetail;
use super::state::task::Peeked;
use super::state::tasks::Listing;
use super::state::tree::Against;
use crate::benchmark::{Namespace, TaskDetail, Verdict};
use crate::context::PromptSetting;
use crate::error::{Error, Result};
use crate::history::Commit;
use crate::report::AnalysisSheet;
use crate::tui::highlight::LineRoles;
use crate::workspace::{
    CompletionVerdict, InstanceOutcome, Need, Since, SourceSearch, TaskRef, Workspace,
};

/// A mouse event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// The left button went down.
    Press,
    /// The pointer moved with the left button down.
    Drag,
    /// The left button came up.
    Release,
    /// The wheel turned: the number of rows, positive downwards.
    Wheel(isize),
}

/// A message to `update`.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// A mouse event at a column and row.
    Mouse(Mouse, u16, u16),
    /// The terminal has a new size.
    Resize(u16, u16),
    /// The reader's editor returned a text.
    Edited(String),
    /// In the automatic tour, it is time for the next step. The number says for which turn the timer was started; the
    /// message is ignored if that turn is over.
    AdvanceTour(u64),
    /// The process was asked to end.
    Terminate,
    /// A request was answered. The error of a cancelled request is not sent.
    Answer {
        /// The slot of the request.
        slot: Slot,
        /// The ticket of the request.
        ticket: Ticket,
        /// The answer, or why there is none.
        result: Result<Answer>,
    },
    /// Progress of work that is not finished.
    Progress {
        /// The slot of the work.
        slot: Slot,
        /// The ticket of the work.
        ticket: Ticket,
        /// The news.
        news: News,
    },
    /// The result of a step of the review.
    Reviewed(Result<Reviewed>),
    /// An effect without an answer failed.
    Failed(Error),
}

/// News of a run. Each number is the index of a completion in the run.
#[derive(Debug)]
pub enum RunNews {
    /// The sandbox that the run uses and, if it is not the preferred one, the reason.
    Sandbox(&'static str, Option<String>),
    /// A notice about the whole run.
    Notice(String),
    /// The step that precedes the next completion.
    Step(String),
    /// The state of the jobs on the cluster.
    Cluster(String),
    /// The completion cannot be run: its verdict, and why.
    LeftOut(usize, Verdict, String),
    /// The completion has started.
    Started(usize),
    /// The completion printed a text.
    Printed(usize, String),
    /// The completion has its verdict.
    Evaluated {
        /// The completion.
        index: usize,
        /// The verdict and what led to it.
        judgement: Arc<CompletionVerdict>,
        /// Whether the verdict is from an earlier run.
        known: bool,
        /// The seconds from when the first completion was ready to start until this verdict.
        seconds: f64,
    },
}

/// News of a generation.
#[derive(Debug)]
pub enum GenerationNews {
    /// The requests are about to be sent.
    Began {
        /// The number of requested answers in total.
        total: usize,
        /// The number of answers that are already stored.
        stored: usize,
    },
    /// An answer is stored: the answer, and the seconds since the start of the run.
    Stored(Box<Answered>, f64),
    /// A request failed, or a task has no prompt.
    Failed {
        /// The request or task.
        what: String,
        /// Why.
        why: String,
        /// A hint at the fix.
        advice: Option<String>,
    },
    /// A request will be sent again: the reason, the delay, and the maximum number of parallel requests from now on.
    Retry(String, Duration, usize),
}

/// News of work that is not finished.
#[derive(Debug)]
pub enum News {
    /// A description of the current step.
    Words(String),
    /// News of a run of completions.
    Run(RunNews),
    /// News of a generation.
    Generation(GenerationNews),
    /// The moments at which a task's context is compared, and how the base commit was found.
    Moments(Subject, Grounds, Vec<Moment>),
    /// The context at a moment, compared with the one at the base commit.
    Compared(usize, Arc<Compared>),
    /// Since when a dependency exists.
    Since(Namespace, Since),
    /// The tasks for which leakage will be measured.
    Listed(Vec<Row>),
    /// The leakage of tasks, or why it cannot be measured.
    Measured(Vec<Measured>),
    /// The first tasks are loaded, while the rest is still being read; with the saved place.
    Opened(Arc<Workspace>, Option<Saved>),
}

/// The answer to a request.
#[derive(Debug)]
pub enum Answer {
    /// The colours of the lines of two contexts. The flag: whether the target is masked.
    LeakageColours(Arc<Compared>, bool, SideColours),
    /// Lines of the sources that contain a text.
    Searched(Arc<SourceSearch>),
    /// The workspace is open; with the saved place.
    Opened(Arc<Workspace>, Option<Saved>),
    /// The verdicts of the completions are known.
    Indexed,
    /// The targets were looked up in the sources; the workspace has the faults.
    Anchored,
    /// The task list's rows.
    Listing(Listing),
    /// A task's record, and its source where there is one.
    Task(Box<LoadedTask>),
    /// The dependencies of a task, and where the target uses them.
    Dependencies(Vec<Need>, Vec<Use>),
    /// The dependencies that a dependency uses.
    InTurn(Namespace, Vec<Need>),
    /// The names that the chosen completion uses, compared with the reference code.
    Against(Against),
    /// The commit that added each dependency is known.
    Since,
    /// A file to jump to, at a 1-based line.
    Document(Arc<Document>, u32),
    /// The source of the dependency with that name.
    Peek(Namespace, Arc<Peeked>),
    /// The records, tests and prompt of the task, as one text.
    TaskData(String),
    /// The context for a task, in a setting, from a tree.
    Context((TaskRef, PromptSetting), Shown),
    /// A completion side by side with the reference code.
    Diff(Diff),
    /// The colours of a block of lines of a file.
    Colours(Arc<Document>, usize, Vec<LineRoles>),
    /// The colours of a block of lines of an item of a context.
    ItemColours(Arc<Shown>, usize, usize, Vec<LineRoles>),
    /// The sheets of the analysis.
    Analysis(Vec<AnalysisSheet>),
    /// The data of a result screen, in addition to the verdict.
    Result(Box<Sheet>),
    /// The run has ended.
    Ran,
    /// The plan of a generation: the numbers of requests and tokens.
    Planned(Planned),
    /// The generation has ended.
    Generated,
    /// The workspace with the completions that were added.
    NewCompletions(Arc<Workspace>),
    /// Verdicts of earlier runs: task, index of the completion, verdict.
    Recalled(Vec<(TaskRef, usize, Verdict)>),
    /// Every moment is compared.
    Leakage,
    /// The commit that added a block of consecutive lines. `None` if no such commit is known.
    Origin(Place, Option<Arc<Commit>>),
    /// The details of a review item.
    ItemDetail(crate::review::ReviewItem, Box<ItemDetail>),
    /// Every task is measured.
    Overview,
}

/// A loaded task.
#[derive(Debug)]
pub struct LoadedTask {
    /// The task.
    pub task: TaskRef,
    /// Its record.
    pub detail: TaskDetail,
    /// Whether the base commit can be known: the record names it, or there is a history to find it in.
    pub has_past: bool,
    /// The address of a commit's page without the commit id, which is appended to it.
    pub commit_page: Option<String>,
    /// Its source file, or why it has none.
    pub source: Result<Document>,
    /// The results of its tests at the base commit and with the production patch, where they are known.
    pub outcomes: Vec<InstanceOutcome>,
}
