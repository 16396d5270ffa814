//! Messages: keys, the mouse, the terminal, and answers and progress of workers. [`Slot`] and [`Ticket`] identify the
//! work.

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
    /// The wheel turned. The number of rows is positive downwards.
    Wheel(isize),
}

/// A message to `update`.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// A mouse event at a 0-based column and row.
    Mouse(Mouse, u16, u16),
    /// The terminal has a new size (columns, rows).
    Resize(u16, u16),
    /// The user's editor returned a text.
    Edited(String),
    /// In the automatic tour, it is time for the next step. The number is the turn for which the timer was started
    /// ([`Demo::turn`](super::state::demo::Demo::turn)). If the turn is over, the message is ignored.
    AdvanceTour(u64),
    /// The process was asked to end.
    Terminate,
    /// A request was answered. A cancelled request sends no answer, except in the slots of runs and generations.
    Answer {
        /// The slot of the request.
        slot: Slot,
        /// The ticket of the request.
        ticket: Ticket,
        /// The answer, or the error if the work failed.
        result: Result<Answer>,
    },
    /// Progress of work that is not finished.
    Progress {
        /// The slot of the work.
        slot: Slot,
        /// The ticket of the work.
        ticket: Ticket,
        /// What has happened.
        news: News,
    },
    /// The result of a request to the review log.
    Reviewed(Result<Reviewed>),
    /// An effect without an answer failed.
    Failed(Error),
}

/// News of a run. Each `usize` is the 0-based index of a completion in the run.
#[derive(Debug)]
pub enum RunNews {
    /// (name of the sandbox that the run uses, why the preferred sandbox is not used). `None` if the run uses the
    /// preferred sandbox.
    Sandbox(&'static str, Option<String>),
    /// A notice about the whole run.
    Notice(String),
    /// A description of a preparation, such as the build of an environment.
    Step(String),
    /// The state of the jobs on the cluster.
    Cluster(String),
    /// A completion cannot be run: (index, verdict, reason).
    LeftOut(usize, Verdict, String),
    /// A completion has started.
    Started(usize),
    /// A completion printed a text.
    Printed(usize, String),
    /// A completion has its verdict.
    Evaluated {
        /// The completion.
        index: usize,
        /// The verdict and its details.
        judgement: Arc<CompletionVerdict>,
        /// Whether the verdict is from an earlier run.
        known: bool,
        /// The seconds from the time when the completions were queued until this verdict.
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
    /// An answer was stored: (answer, seconds since the start of the run).
    Stored(Box<Answered>, f64),
    /// A request failed, or a task has no prompt.
    Failed {
        /// A description of the request or the task.
        what: String,
        /// The reason.
        why: String,
        /// A hint at the fix, if there is one.
        advice: Option<String>,
    },
    /// A request will be sent again: (reason, delay, maximum number of parallel requests from now on).
    Retry(String, Duration, usize),
}

/// News of work that is not finished.
#[derive(Debug)]
pub enum News {
    /// A description of what the work does now.
    Words(String),
    /// News of a run of completions.
    Run(RunNews),
    /// News of a generation.
    Generation(GenerationNews),
    /// (what is compared, how the base commit was found, versions on the timeline).
    Moments(Subject, Grounds, Vec<Moment>),
    /// The context at the version with this index, compared with the context at the base commit.
    Compared(usize, Arc<Compared>),
    /// Since when the dependency with this name exists.
    Since(Namespace, Since),
    /// The tasks for which leakage will be measured.
    Listed(Vec<Row>),
    /// The leakage of tasks, or why it cannot be measured.
    Measured(Vec<Measured>),
    /// The first tasks are loaded, while the other tasks are still being read: (workspace, where the user was in the
    /// last session). `None` if this was not stored.
    Opened(Arc<Workspace>, Option<Saved>),
}

/// The answer to a request.
#[derive(Debug)]
pub enum Answer {
    /// (two contexts, whether the target is hidden, colours of the lines of both contexts).
    LeakageColours(Arc<Compared>, bool, SideColours),
    /// The source lines that contain the searched text.
    Searched(Arc<SourceSearch>),
    /// The workspace is open: (workspace, where the user was in the last session). `None` if this was not stored.
    Opened(Arc<Workspace>, Option<Saved>),
    /// The verdicts of the completions are known.
    Indexed,
    /// The targets were looked up in the sources. The workspace lists the faults that were found.
    Anchored,
    /// The task list's rows.
    Listing(Listing),
    /// The data of a task.
    Task(Box<LoadedTask>),
    /// The dependencies of a task, and where the target uses them.
    Dependencies(Vec<Need>, Vec<Use>),
    /// The dependencies of the dependency with this name.
    InTurn(Namespace, Vec<Need>),
    /// The names that the chosen completion uses, compared with the reference code.
    Against(Against),
    /// The history was searched; a [`News::Since`] was sent for each dependency.
    Since,
    /// A file to jump to, at a 1-based line.
    Document(Arc<Document>, u32),
    /// The source of the dependency with this name.
    Peek(Namespace, Arc<Peeked>),
    /// The records, tests and prompt of a task, as one text.
    TaskData(String),
    /// The context of a task in a setting.
    Context((TaskRef, PromptSetting), Shown),
    /// A completion side by side with the reference code.
    Diff(Diff),
    /// (file, 0-based index of a block of lines, colours of the block).
    Colours(Arc<Document>, usize, Vec<LineRoles>),
    /// (context, 0-based index of an item, 0-based index of a block of the item's lines, colours of the block).
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
    /// The verdicts of earlier runs: (task, 0-based index of a completion of the task, verdict).
    Recalled(Vec<(TaskRef, usize, Verdict)>),
    /// Every version on the timeline is compared.
    Leakage,
    /// The commit that added or removed a block of consecutive lines. `None` if no such commit is known.
    Origin(Place, Option<Arc<Commit>>),
    /// The details of a review item.
    ItemDetail(crate::review::ReviewItem, Box<ItemDetail>),
    /// The leakage of every listed task is measured.
    Overview,
}

/// A loaded task.
#[derive(Debug)]
pub struct LoadedTask {
    /// The task.
    pub task: TaskRef,
    /// The task's record.
    pub detail: TaskDetail,
    /// Whether the base commit can be determined: the record names the commit, or the project has a git history.
    pub has_past: bool,
    /// The address of a commit's web page, without the commit id at its end. `None` if no such page is known.
    pub commit_page: Option<String>,
    /// The task's source file, or else the reference code of the record. An error if there is neither.
    pub source: Result<Document>,
    /// The results of the task's tests at the base commit and with the production patch. Empty if they are not known.
    pub outcomes: Vec<InstanceOutcome>,
}
