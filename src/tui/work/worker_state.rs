//! What the workers share.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use super::colours::Cached;
use super::review::Reviewer;
use crate::error::{Error, Result};
use crate::generation::Pause;
use crate::report::OpenVerdicts;
use crate::workspace::filter::NamedFilters;
use crate::workspace::{
    Analyses, AppDirs, Contexts, Control, SandboxKind, SlurmSettings, Workspace,
};

/// The gathered verdicts, with what they were gathered from: how many were made here.
type Gathered = Option<(usize, Arc<OpenVerdicts>)>;

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
    pub(super) paths: Vec<PathBuf>,
    /// Refuse when anything is wrong with a file.
    pub(super) strict: bool,
    /// Drafted requirements to open with the tasks.
    pub(super) drafts: Vec<PathBuf>,
    /// Where Evoscope stores its own files.
    pub(super) places: AppDirs,
    /// Whether the place is remembered between runs; not so for pictures and tests.
    pub(super) remembers: bool,
    /// Where completions run.
    pub(super) running: Running,
    pub(super) workspace: RwLock<Option<Arc<Workspace>>>,
    pub(super) colours: Mutex<Option<Cached>>,
    pub(super) contexts: OnceLock<Contexts>,
    pub(super) studies: Analyses,
    pub(super) reviewer: Mutex<Option<Reviewer>>,
    pub(super) verdicts: Mutex<Gathered>,
    pub(super) control: Mutex<Option<Control>>,
    pub(super) generation: Mutex<Pause>,
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

    pub(super) fn workspace(&self) -> Result<Arc<Workspace>> {
        let open = self
            .workspace
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        open.clone()
            .ok_or_else(|| Error::internal("a request came before anything was open"))
    }
}
