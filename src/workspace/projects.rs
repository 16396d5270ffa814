//! Where each project's sources and repository are.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::config::{Config, Environment, FILE_NAME, ProjectEntry};
use crate::error::{Cancel, Result};
use crate::files::is_folder_beneath;
use crate::history::{Repository, Snapshot};

/// The projects of a benchmark, looked up when first asked for.
#[derive(Debug)]
pub(crate) struct Projects {
    sources: Vec<PathBuf>,
    config: Option<Arc<Config>>,
    known: Mutex<FxHashMap<Arc<str>, Arc<Project>>>,
}

/// One project: its root and its repository, where they are at hand.
#[derive(Debug, Default)]
pub(crate) struct Project {
    pub(crate) root: Option<PathBuf>,
    repository_path: Option<PathBuf>,
    repository: OnceLock<Arc<Repository>>,
    newest: String,
    snapshot: Mutex<Option<Snapshot>>,
}

impl Projects {
    pub(crate) fn new(sources: Vec<PathBuf>, config: Option<Arc<Config>>) -> Self {
        Self {
            sources,
            config,
            known: Mutex::default(),
        }
    }

    /// The project of that name; the same one every time.
    pub(crate) fn get(&self, name: &Arc<str>) -> Arc<Project> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(project) = known.get(name) {
            return Arc::clone(project);
        }
        let project = Arc::new(self.look_up(name));
        known.insert(Arc::clone(name), Arc::clone(&project));
        project
    }

    fn look_up(&self, name: &str) -> Project {
        let entry = self
            .config
            .as_ref()
            .and_then(|config| config.project.get(name));
        let root = entry
            .and_then(|entry| entry.source.clone())
            .or_else(|| self.sources.iter().find_map(|root| folder_of(root, name)));
        let named = entry.and_then(|entry| entry.repository.clone());
        let own = || root.clone().filter(|root| is_repository(root));
        let listed = || {
            let folders = self.config.iter();
            let mut folders = folders.flat_map(|config| config.repositories.as_slice());
            folders.find_map(|folder| clone_of(folder, name))
        };
        let newest = entry.and_then(|entry| entry.newest.clone()).or_else(|| {
            self.config
                .as_ref()
                .and_then(|config| config.newest.clone())
        });
        Project {
            repository_path: named.or_else(own).or_else(listed),
            repository: OnceLock::new(),
            root: root.filter(|root| !is_bare_repository(root)),
            newest: newest.unwrap_or_else(|| "HEAD".to_owned()),
            snapshot: Mutex::new(None),
        }
    }

    /// What `evoscope.toml` says of the environment of the project `name`.
    pub(crate) fn environment(&self, name: &str) -> Option<Environment> {
        self.config.as_ref()?.environment_of(name).cloned()
    }

    /// The tests that `evoscope.toml` names for a task, by its id.
    pub(crate) fn tests(&self, task: &str) -> Option<&[String]> {
        let tests = &self.config.as_ref()?.task.get(task)?.tests;
        (!tests.is_empty()).then_some(tests)
    }

    /// What `evoscope.toml` says of the project `name`.
    pub(crate) fn entry(&self, name: &str) -> Option<&ProjectEntry> {
        self.config.as_ref()?.project.get(name)
    }

    /// What to do where a project's sources are not available.
    pub(crate) fn advice(&self, name: &str) -> String {
        match self.sources.first() {
            Some(root) => format!("put them in {}", root.join(name).display()),
            None => format!("put them in Source_Code/{name}, or name them in {FILE_NAME}"),
        }
    }
}

impl Project {
    /// Whether there is a source folder or a repository to read from.
    pub(crate) fn is_at_hand(&self) -> bool {
        self.root.is_some() || self.repository_path.is_some()
    }

    /// Its repository, opened once; `None` where there is none.
    pub(crate) fn repository(&self) -> Result<Option<Arc<Repository>>> {
        let Some(path) = &self.repository_path else {
            return Ok(None);
        };
        if let Some(open) = self.repository.get() {
            return Ok(Some(Arc::clone(open)));
        }
        let open = Arc::new(Repository::open(path)?);
        Ok(Some(Arc::clone(self.repository.get_or_init(|| open))))
    }

    /// The newest tree: of the repository where there is one, else the source folder; `None` without either. Taken
    /// once and cached.
    pub(crate) fn newest(&self, cancel: &Cancel) -> Result<Option<Snapshot>> {
        let mut cached = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.is_none() {
            *cached = match (self.repository()?, &self.root) {
                (Some(repository), _) => Some(repository.snapshot(&self.newest)?),
                (None, Some(root)) => Some(Snapshot::folder(root, cancel)?),
                (None, None) => None,
            };
        }
        Ok(cached.clone())
    }
}

/// A project's folder below a source root, by one of its names. A link out of the root is not followed.
fn folder_of(root: &Path, name: &str) -> Option<PathBuf> {
    if name.is_empty() {
        return root.is_dir().then(|| root.to_owned());
    }
    names_of(name)
        .find(|folder| is_folder_beneath(root, Path::new(folder)))
        .map(|folder| root.join(folder))
}

/// A project's clone in a folder of clones, by one of its names, with or without `.git`. Only its objects are read, so a
/// link leads to the user's copy.
fn clone_of(folder: &Path, name: &str) -> Option<PathBuf> {
    let is_inside = |part: &str| !matches!(part, "" | "." | "..");
    let names = names_of(name).filter(|name| name.split('/').all(is_inside));
    let mut places = names.flat_map(|name| [folder.join(format!("{name}.git")), folder.join(name)]);
    places.find(|place| is_repository(place))
}

/// What a project's folder may be called: as named, `owner__repo`, `owner--repo`, or without the topic or owner before
/// it.
fn names_of(name: &str) -> impl Iterator<Item = String> {
    let last = name.rsplit('/').next().unwrap_or(name);
    let names = [
        name.to_owned(),
        name.replace('/', "__"),
        name.replace('/', "--"),
        last.to_owned(),
    ];
    names.into_iter()
}

fn is_repository(folder: &Path) -> bool {
    folder.join(".git").exists() || is_bare_repository(folder)
}

fn is_bare_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}
