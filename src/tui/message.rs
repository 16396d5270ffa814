//! What happens: keys, the mouse, the terminal, answers of workers.

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

/// A button or the wheel, at a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// The left button went down.
    Press,
    /// The pointer moved with the left button down.
    Drag,
    /// The left button came up.
    Release,
    /// The wheel, in rows; down is positive.
    Wheel(isize),
}

/// One thing that happened.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The mouse did something at a column and row.
    Mouse(Mouse, u16, u16),
    /// The terminal has a new size.
    Resize(u16, u16),
    /// A text came back from the reader's editor.
    Edited(String),
    /// The pause before a step of the tour has ended; the number of the step's turn.
    AdvanceTour(u64),
    /// The process was asked to end.
    Terminate,
    /// A request was answered. The error of a request that was cancelled is of no interest and is not sent.
    Answer {
        /// Which kind of work.
        slot: Slot,
        /// Its number.
        ticket: Ticket,
        /// What came of it.
        result: Result<Answer>,
    },
    /// Something about work that goes on.
    Progress {
        /// Which kind of work.
        slot: Slot,
        /// Its number.
        ticket: Ticket,
        /// What there is to say.
        news: News,
    },
    /// What came of a step of the review.
    Reviewed(Result<Reviewed>),
    /// An effect that has no answer failed.
    Failed(Error),
}

/// News of a run; completions by their index in it.
#[derive(Debug)]
pub enum RunNews {
    /// Which sandbox runs it, and why it is not the one that comes first.
    Sandbox(&'static str, Option<String>),
    /// Something to know about the whole run.
    Notice(String),
    /// What is done before the next completion.
    Step(String),
    /// What the jobs on the cluster do.
    Cluster(String),
    /// It cannot be run: what that counts as, and why.
    LeftOut(usize, Verdict, String),
    /// It runs now.
    Started(usize),
    /// It printed this.
    Printed(usize, String),
    /// It has its verdict.
    Evaluated {
        /// Which.
        index: usize,
        /// The verdict and what led to it.
        judgement: Arc<CompletionVerdict>,
        /// Whether it is from an earlier run.
        known: bool,
        /// Seconds since the first completion could begin.
        seconds: f64,
    },
}

/// News of a generation.
#[derive(Debug)]
pub enum GenerationNews {
    /// The requests are about to be sent.
    Began {
        /// Answers that are asked for in all.
        total: usize,
        /// Those that are stored.
        stored: usize,
    },
    /// An answer is stored, so many seconds into the run.
    Stored(Box<Answered>, f64),
    /// A request has no answer, or a task no prompt.
    Failed {
        /// Which.
        what: String,
        /// Why.
        why: String,
        /// What can be done.
        advice: Option<String>,
    },
    /// A request will be sent again: why, after how long, and how many are sent at once from now on.
    Retry(String, Duration, usize),
}

/// News of work that goes on.
#[derive(Debug)]
pub enum News {
    /// What is being done now.
    Words(String),
    /// Of a run of completions.
    Run(RunNews),
    /// Of a generation.
    Generation(GenerationNews),
    /// The moments that a task's context is compared at, and how the base was found.
    Moments(Subject, Grounds, Vec<Moment>),
    /// What a moment shows, compared with the base.
    Compared(usize, Arc<Compared>),
    /// Since when a dependency exists.
    Since(Namespace, Since),
    /// Tasks for which leakage is going to be measured.
    Listed(Vec<Row>),
    /// The leakage of tasks, or why there is none.
    Measured(Vec<Measured>),
    /// The first tasks are there, the rest is still being read; the remembered place with it.
    Opened(Arc<Workspace>, Option<Saved>),
}

/// What came of a request.
#[derive(Debug)]
pub enum Answer {
    /// The colours of two contexts' lines; the flag says whether the target is masked.
    LeakageColours(Arc<Compared>, bool, SideColours),
    /// Lines of the sources that hold a text.
    Searched(Arc<SourceSearch>),
    /// The workspace is open; the remembered place with it.
    Opened(Arc<Workspace>, Option<Saved>),
    /// The completions' verdicts are known now.
    Indexed,
    /// The task list's rows.
    Listing(Listing),
    /// A task's record, and its source where there is one.
    Task(Box<LoadedTask>),
    /// A task's dependencies as looked up.
    Dependencies(Vec<Need>, Vec<Use>),
    /// What a dependency uses in turn.
    InTurn(Namespace, Vec<Need>),
    /// What the chosen completion uses, compared with the reference.
    Against(Against),
    /// When each dependency first appeared is known.
    Since,
    /// A file to jump to, at a 1-based line.
    Document(Arc<Document>, u32),
    /// The source of the dependency of that name.
    Peek(Namespace, Arc<Peeked>),
    /// The data behind the task.
    TaskData(String),
    /// The context for a task, in a setting, from a tree.
    Context((TaskRef, PromptSetting), Shown),
    /// A completion next to the reference.
    Diff(Diff),
    /// The colours of a block of a file's lines.
    Colours(Arc<Document>, usize, Vec<LineRoles>),
    /// The colours of a block of an item's lines.
    ItemColours(Arc<Shown>, usize, usize, Vec<LineRoles>),
    /// The sheets of the analysis.
    Analysis(Vec<AnalysisSheet>),
    /// What a result shows next to the verdict.
    Result(Box<Sheet>),
    /// The run is over.
    Ran,
    /// What a generation would send.
    Planned(Planned),
    /// The generation is over.
    Generated,
    /// The workspace with the completions that came since.
    NewCompletions(Arc<Workspace>),
    /// Verdicts of earlier runs: task, index of the completion, verdict.
    Recalled(Vec<(TaskRef, usize, Verdict)>),
    /// Every moment was compared.
    Leakage,
    /// The commit behind a run of lines, where there is one.
    Origin(Place, Option<Arc<Commit>>),
    /// What is shown of an item of the review.
    ItemDetail(crate::review::ReviewItem, Box<ItemDetail>),
    /// Every task was measured.
    Overview,
}

/// A task as read.
#[derive(Debug)]
pub struct LoadedTask {
    /// Which.
    pub task: TaskRef,
    /// Its record.
    pub detail: TaskDetail,
    /// Whether its base can be known: the record names it, or there is a history to find it in.
    pub has_past: bool,
    /// What a commit's id is appended to, for the address of its page.
    pub commit_page: Option<String>,
    /// Its source file, or why there is none.
    pub source: Result<Document>,
    /// How its tests ended at the base commit and with the production patch, where that is known.
    pub outcomes: Vec<InstanceOutcome>,
}
