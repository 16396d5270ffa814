//! The state that the workers share.

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

/// The gathered verdicts, and how many verdicts of this session they include.
type Gathered = Option<(usize, Arc<OpenVerdicts>)>;

/// Settings for runs and reviews, and the named filters.
#[derive(Debug, Clone, Default)]
pub struct Running {
    /// The sandbox. `None`: containers if a container service answers, otherwise Linux namespaces.
    pub sandbox: Option<SandboxKind>,
    /// The container image; `None` for the one that `evoscope.toml` names.
    pub image: Option<String>,
    /// The number of completions that run in parallel; `None` for [`crate::workspace::default_jobs`].
    pub jobs: Option<usize>,
    /// The annotator of a review.
    pub annotator: Option<String>,
    /// Filters by name.
    pub filters: NamedFilters,
    /// The cluster settings.
    pub slurm: SlurmSettings,
}

/// The state that the workers share: the open workspace, settings, and caches.
pub struct WorkerState {
    /// The paths of the command line; the built-in sample if empty.
    pub(super) paths: Vec<PathBuf>,
    /// Whether to refuse a file with any fault.
    pub(super) strict: bool,
    /// Drafted requirements to open with the tasks.
    pub(super) drafts: Vec<PathBuf>,
    /// The folders in which Evoscope stores its own files.
    pub(super) places: AppDirs,
    /// Whether data is stored between sessions; false for screenshots and tests.
    pub(super) remembers: bool,
    /// The settings for runs and reviews, and the named filters.
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
    /// The state for the paths of the command line.
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

    /// The same state with other settings for runs.
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
