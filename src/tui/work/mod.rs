//! The slow work behind the screens: each request is done here, on a worker's thread, and cancelled by its flag.

mod analysis;
mod colours;
mod context;
mod dependencies;
mod diff;
mod failure;
mod generation;
mod leakage;
mod listing;
mod open;
mod overview;
mod result;
mod review;
mod review_items;
mod run;
mod search;
mod task;

pub use analysis::Own;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use super::effect::Request;
use super::message::{Answer, News};
use crate::error::{Cancel, Error, Result};
use crate::generation::Pause;
use crate::workspace::filter::NamedFilters;
use crate::workspace::{
    Analyses, AppDirs, Contexts, Control, SandboxKind, SlurmSettings, Workspace,
};

/// Where completions run and for whom, and which filters have names.
#[derive(Debug, Clone, Default)]
pub struct Running {
    /// Which sandbox; without it containers where a service answers, else Linux namespaces.
    pub sandbox: Option<SandboxKind>,
    /// The container image, instead of the one that `evoscope.toml` names.
    pub image: Option<String>,
    /// How many completions run in parallel; [`crate::workspace::default_jobs`] without it.
    pub jobs: Option<usize>,
    /// The annotator of a review.
    pub annotator: Option<String>,
    /// Filters by name.
    pub filters: NamedFilters,
    /// The cluster for runs on it.
    pub slurm: SlurmSettings,
}

/// What the workers share: what is open, and what they store between requests.
pub struct WorkerState {
    /// What the command line named; nothing is the sample.
    paths: Vec<PathBuf>,
    /// Refuse when anything is wrong with a file.
    strict: bool,
    /// Drafted requirements to open with the tasks.
    drafts: Vec<PathBuf>,
    /// Where Evoscope stores its own files.
    places: AppDirs,
    /// Whether the place is remembered between runs; not so for pictures and tests.
    remembers: bool,
    /// Where completions run.
    running: Running,
    workspace: RwLock<Option<Arc<Workspace>>>,
    colours: Mutex<Option<colours::Cached>>,
    contexts: OnceLock<Contexts>,
    studies: Analyses,
    reviewer: Mutex<Option<review::Reviewer>>,
    verdicts: Mutex<analysis::Gathered>,
    control: Mutex<Option<Control>>,
    generation: Mutex<Pause>,
}

impl WorkerState {
    /// The state for what the command line named.
    pub fn new(paths: Vec<PathBuf>, strict: bool, places: AppDirs, remembers: bool) -> Self {
        Self {
            paths,
            strict,
            drafts: Vec::new(),
            places,
            remembers,
            running: Running::default(),
            workspace: RwLock::default(),
            colours: Mutex::default(),
            contexts: OnceLock::new(),
            studies: Analyses::default(),
            reviewer: Mutex::default(),
            verdicts: Mutex::default(),
            control: Mutex::default(),
            generation: Mutex::default(),
        }
    }

    /// The same state, running completions as configured.
    #[must_use]
    pub fn running(self, running: Running) -> Self {
        Self { running, ..self }
    }

    /// The same state, with drafted requirements to open with the tasks.
    #[must_use]
    pub fn with_drafts(self, drafts: Vec<PathBuf>) -> Self {
        Self { drafts, ..self }
    }

    /// Does a request. `report` receives its progress.
    pub fn perform(
        &self,
        request: &Request,
        cancel: &Cancel,
        report: &(dyn Fn(News) + Sync),
    ) -> Result<Answer> {
        match request {
            Request::Open => self.open(cancel, report),
            Request::Index => self.index(cancel, report),
            Request::List(query) => {
                listing::list(&*self.workspace()?, query, &self.running.filters, cancel)
            }
            Request::Task(task) => self.task(*task),
            Request::Dependencies(task) => self.dependencies(*task, cancel),
            Request::Read {
                task,
                path,
                line,
                tree,
            } => self.read(*task, path, *line, tree, cancel),
            Request::Peek {
                task,
                namespace,
                definition,
            } => task::peek(&*self.workspace()?, *task, namespace, definition, cancel),
            Request::InTurn(task, namespace) => self.in_turn(*task, namespace, cancel),
            Request::Against(what, needs) => self.against(*what, needs, cancel),
            Request::Since(task, needs) => self.since(*task, needs, cancel, report),
            Request::Context(task, wanted) => self.context(*task, wanted, cancel, report),
            Request::Diff { task, completion } => {
                diff::compare(&*self.workspace()?, *task, *completion).map(Answer::Diff)
            }
            Request::Colours(document, block) => self.colour(document, *block, cancel),
            Request::ItemColours {
                task,
                tree,
                shown,
                item,
                block,
            } => self.colour_item((*task, tree), shown, (*item, *block), cancel),
            Request::LeakageColours {
                task,
                compared,
                masked,
                revisions,
            } => self.colour_leakage(*task, compared, (*masked, revisions), cancel),
            Request::Leakage(subject) => self.leakage(*subject, cancel, report),
            Request::Origin(task, place) => self.origin(*task, place, cancel),
            Request::ItemDetail(item, annotator) => self.item_detail(item, annotator, cancel),
            Request::Overview(tasks, setting) => self.overview(tasks, *setting, cancel, report),
            Request::Analyse(tasks, by, own) => self.analyse(tasks, *by, own, cancel),
            Request::Run(wanted, place) => self.run(wanted, *place, cancel, report),
            Request::PlanGeneration(job) => self.plan_generation(job, cancel),
            Request::Generate(job) => self.generate(job, cancel, report),
            Request::OpenCompletions(benchmark, files) => {
                self.open_completions(*benchmark, files, cancel)
            }
            Request::Search(text) => self.search(text, cancel),
            Request::Recall => self.recall(cancel),
            Request::Result(of, at_hand) => self.result(*of, *at_hand, cancel),
        }
    }

    fn workspace(&self) -> Result<Arc<Workspace>> {
        let open = self
            .workspace
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        open.clone()
            .ok_or_else(|| Error::internal("a request came before anything was open"))
    }
}
