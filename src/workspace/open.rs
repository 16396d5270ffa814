//! Opening paths as a workspace, and what it gives.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::anchored::Anchors;
use super::app_dirs::AppDirs;
use super::benchmarks::{OpenBenchmark, TaskRef};
use super::completions::{self, CompletionFile, CompletionIndex, CompletionKind};
use super::config::Environment;
use super::drafts::Drafts;
use super::instance_trees::InstanceTrees;
use super::layout::Layout;
use super::opening::Opener;
use super::sample;
use super::source::{SourceCache, SourcePlace, SourceText, file_in};
use crate::benchmark::{
    Completion, CompletionSet, Diagnostic, Format, RepoPath, Task, TaskDetail, Verdict,
    read_completion, read_detail,
};
use crate::code::{Extracted, Extraction, OtherBody};
use crate::error::{Cancel, Error, Result};
use crate::history::{Repository, Snapshot};
use crate::spelling::nearest;

/// How to open.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// Refuse when anything is wrong with a file, instead of opening the rest.
    pub strict: bool,
    /// Drafted requirements to open with the tasks: files, or output folders of `generate --requirements`.
    pub drafts: Vec<PathBuf>,
    /// Asks the opening to end.
    pub cancel: Cancel,
}

/// An event reported while a workspace opens.
#[derive(Debug)]
pub enum Opening {
    /// What has been read of the first task file, as a workspace of its own to be shown meanwhile. Its [`TaskRef`]s
    /// hold in the whole one too.
    Early(Box<Workspace>),
    /// Bytes of task files read, and in all.
    Progress {
        /// Read so far.
        read: u64,
        /// In all.
        total: u64,
    },
}

/// What is open: benchmarks with their tasks, sources, repositories and completions. Nothing in it is ever written.
#[derive(Debug)]
pub struct Workspace {
    pub(super) benchmarks: Vec<OpenBenchmark>,
    pub(super) files: Vec<PathBuf>,
    pub(super) sets: Vec<CompletionSet>,
    pub(super) completion_files: Vec<CompletionFile>,
    pub(super) faults: Vec<Diagnostic>,
    pub(super) recognised: Vec<String>,
    /// One for each benchmark.
    pub(super) anchors: Vec<OnceLock<Anchors>>,
    pub(super) index: OnceLock<CompletionIndex>,
    pub(super) indexing: Mutex<()>,
    /// False while the rest is still being read.
    pub(super) whole: bool,
    pub(super) sources: SourceCache,
    pub(super) trees: InstanceTrees,
    pub(super) drafts: Arc<Drafts>,
    /// Verdicts of this session's runs, by task and place among its completions.
    pub(super) session_verdicts: RwLock<FxHashMap<(TaskRef, u32), Verdict>>,
}

/// A completion's text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompletionText {
    /// The body, or the whole function.
    pub text: String,
    /// The raw answer that it was taken from, where the file holds one.
    pub answer: Option<String>,
    /// What another way of extraction takes from the answer, where that differs.
    pub other: Option<OtherBody>,
}

impl Workspace {
    /// Opens the Python sample that the binary carries. The first call writes it into the user's cache.
    pub fn sample() -> Result<Self> {
        Self::open_sample(&OpenOptions::default())
    }

    /// The same, with options.
    pub fn open_sample(options: &OpenOptions) -> Result<Self> {
        let folder = sample::materialize(&AppDirs::of_user()?.cache)?;
        Self::open(&[folder], options)
    }

    /// Opens checkouts, folders and files: see [`Workspace::open_with_progress`].
    pub fn open(paths: &[PathBuf], options: &OpenOptions) -> Result<Self> {
        Self::open_with_progress(paths, options, |_| {})
    }

    /// Opens checkouts, folders, files and samples (`sample:java`), and reports progress: first an early workspace with the first tasks,
    /// then progress. Completion files are listed, not read, but where there are no task data to open. Errors when a
    /// path does not exist or holds nothing known, when the options say `strict` and anything is wrong, or when
    /// cancelled.
    pub fn open_with_progress(
        paths: &[PathBuf],
        options: &OpenOptions,
        report: impl FnMut(Opening),
    ) -> Result<Self> {
        let paths: Vec<PathBuf> = paths
            .iter()
            .map(|path| sample::named_path(path))
            .collect::<Result<_>>()?;
        let drafts = Arc::new(Drafts::read(&options.drafts)?);
        let workspace = Opener::open(Layout::of(&paths)?, drafts, &options.cancel, report)?;
        if workspace.benchmarks.is_empty() {
            let first = workspace.faults.into_iter().next();
            return Err(first.map_or_else(|| Error::user("no path was given"), Error::from));
        }
        if options.strict {
            workspace.index_completions(&options.cancel, &|_, _| {})?;
            workspace.refuse_faults()?;
        }
        Ok(workspace)
    }

    /// An error that lists the first faults found so far; nothing where there are none.
    pub fn refuse_faults(&self) -> Result<()> {
        let faults: Vec<&Diagnostic> = self.diagnostics().collect();
        let Some(first) = faults.first() else {
            return Ok(());
        };
        let mut shown: Vec<String> = faults.iter().take(10).map(ToString::to_string).collect();
        if faults.len() > shown.len() {
            shown.push(format!("and {} more", faults.len() - shown.len()));
        }
        let counted = match faults.len() {
            1 => "a fault".to_owned(),
            several => format!("{several} faults"),
        };
        let error = Error::data(format!("{counted} in the input:\n  {}", shown.join("\n  ")));
        Err(error.hint(first.hint.clone().unwrap_or_default() + "; or open without --strict"))
    }

    /// Whether everything has been read; an early workspace is not whole.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// The benchmarks, in the order of the paths.
    pub fn benchmarks(&self) -> &[OpenBenchmark] {
        &self.benchmarks
    }

    /// The benchmark of a task.
    pub fn benchmark(&self, task: TaskRef) -> &OpenBenchmark {
        &self.benchmarks[task.benchmark as usize]
    }

    /// All tasks, benchmark by benchmark.
    pub fn tasks(&self) -> impl Iterator<Item = (TaskRef, &Task)> {
        (0u32..)
            .zip(&self.benchmarks)
            .flat_map(|(benchmark, open)| {
                let refs = (0u32..).map(move |task| TaskRef { benchmark, task });
                refs.zip(&open.tasks)
            })
    }

    /// How many tasks there are.
    pub fn task_count(&self) -> usize {
        self.benchmarks.iter().map(|open| open.tasks().len()).sum()
    }

    /// The task.
    pub fn task(&self, task: TaskRef) -> &Task {
        &self.benchmarks[task.benchmark as usize].tasks[task.task as usize]
    }

    /// The task with this id, which may follow its benchmark's name and a slash: `codereval/62e6…`. An error
    /// suggests the nearest id.
    pub fn find(&self, id: &str) -> Result<TaskRef> {
        let within = |name: Option<&str>, id: &str| {
            (0u32..)
                .zip(&self.benchmarks)
                .find_map(|(benchmark, open)| {
                    let named = name.is_none_or(|name| open.name() == name);
                    let task = open.find(id).filter(|_| named)?;
                    Some(TaskRef { benchmark, task })
                })
        };
        let found = within(None, id).or_else(|| {
            let (name, id) = id.split_once('/')?;
            within(Some(name), id)
        });
        found.ok_or_else(|| {
            let ids = self.tasks().map(|(_, task)| task.id.as_str());
            let error = Error::user(format!("no task '{id}'"));
            match nearest(id, ids) {
                Some(near) => error.hint(format!("did you mean '{near}'?")),
                None => error.hint("evoscope tasks lists them"),
            }
        })
    }

    /// What a list does not need of the task, read from its record now.
    pub fn detail(&self, task: TaskRef) -> Result<TaskDetail> {
        let open = self.benchmark(task);
        if open.bare {
            return Ok(TaskDetail::default());
        }
        let own = self.task(task);
        let read = |own: &Task| {
            let file = &self.files[own.record.file as usize];
            read_detail(file, open.format, own)
        };
        let mut detail = read(own)?;
        for record in open.further.get(&task.task).into_iter().flatten() {
            detail.add(read(&Task {
                record: *record,
                ..own.clone()
            })?);
        }
        Ok(detail)
    }

    /// The file and line of the task's record.
    pub fn record_place(&self, task: TaskRef) -> (&Path, u32) {
        let record = self.task(task).record;
        (&self.files[record.file as usize], record.line)
    }

    /// The root of the project's sources, where they are at hand.
    pub fn source_root(&self, task: TaskRef) -> Option<PathBuf> {
        self.benchmark(task)
            .projects
            .get(&self.task(task).project)
            .root
            .clone()
    }

    /// Whether a source folder or a repository of the task's project is at hand.
    pub(super) fn has_sources(&self, task: TaskRef) -> bool {
        let project = self.benchmark(task).projects.get(&self.task(task).project);
        project.is_at_hand()
    }

    /// The newest tree of the task's project, of its repository or else of its source folder. Errors, with what to do,
    /// when neither is at hand.
    pub fn newest(&self, task: TaskRef, cancel: &Cancel) -> Result<Snapshot> {
        let project = self.benchmark(task).projects.get(&self.task(task).project);
        project.newest(cancel)?.ok_or_else(|| self.no_sources(task))
    }

    /// The repository of the task's project: the source folder itself, or as `evoscope.toml` names it.
    pub fn repository(&self, task: TaskRef) -> Result<Option<Arc<Repository>>> {
        self.benchmark(task)
            .projects
            .get(&self.task(task).project)
            .repository()
    }

    /// What `evoscope.toml` says of the environment of the task's project.
    pub fn environment(&self, task: TaskRef) -> Option<Environment> {
        self.benchmark(task)
            .projects
            .environment(&self.task(task).project)
    }

    /// What the task's record says of the environment that its tests ran in (HumanEvo).
    pub(super) fn recorded_environment(&self, task: TaskRef) -> Result<Option<serde_json::Value>> {
        if self.benchmark(task).format != Format::HumanEvo {
            return Ok(None);
        }
        Ok(self.detail(task)?.environment)
    }

    /// The task's source file: from the tree that it is evaluated in where its record describes one (HumanEvo), from the
    /// project's source folder, else from its repository's newest tree. Errors, with
    /// what to do, when neither is at hand.
    pub fn source_text(&self, task: TaskRef) -> Result<Arc<SourceText>> {
        let about = self.task(task);
        if about.path.as_str().is_empty() && !self.benchmark(task).bare {
            let error = Error::data(format!("the record of '{}' names no source file", about.id));
            return Err(error);
        }
        self.project_file(task, &about.path)
    }

    /// Another file of the task's project, by its path from the root; as [`Workspace::source_text`].
    pub fn project_file(&self, task: TaskRef, path: &RepoPath) -> Result<Arc<SourceText>> {
        let place = self.place_of(task, path)?;
        let language = self.task(task).language;
        self.sources.get(&place.path, || place.read(path, language))
    }

    /// Where a file of the task's project is.
    pub(super) fn place_of(&self, task: TaskRef, path: &RepoPath) -> Result<SourcePlace> {
        let project = self.benchmark(task).projects.get(&self.task(task).project);
        let own = self.instance_tree(task)?;
        let (root, tree) = match (own, &project.root, project.repository()?) {
            (Some(tree), _, Some(repository)) => {
                let id = self.task(task).id.as_str().replace('/', "-");
                (repository.path().join(format!("{id} patched")), Some(tree))
            }
            (_, Some(root), _) => (root.clone(), None),
            (_, None, Some(repository)) => (
                repository.path().to_owned(),
                project.newest(&Cancel::default())?,
            ),
            (_, None, None) => return Err(self.no_sources(task)),
        };
        let path = file_in(&root, path)?;
        Ok(SourcePlace { root, path, tree })
    }

    fn no_sources(&self, task: TaskRef) -> Error {
        let (open, task) = (self.benchmark(task), self.task(task));
        if open.bare {
            return Error::data("the task data are missing: only completions are open")
                .hint("open the benchmark's data.jsonl with them");
        }
        Error::data(format!("the sources of '{}' are not here", task.project))
            .hint(open.projects.advice(&task.project))
    }

    /// The completion sets: which models in which settings.
    pub fn completion_sets(&self) -> &[CompletionSet] {
        &self.sets
    }

    /// The files with completions and results.
    pub fn completion_files(&self) -> &[CompletionFile] {
        &self.completion_files
    }

    /// The files that it was opened from, but for those of results, which an evaluation continues.
    pub fn input_files(&self) -> impl Iterator<Item = &Path> {
        let listed = self.completion_files.iter();
        let results: FxHashSet<&Path> = listed
            .filter(|file| file.kind == CompletionKind::Results)
            .map(|file| file.path.as_path())
            .collect();
        let files = self.files.iter().map(PathBuf::as_path);
        files.filter(move |file| !results.contains(file))
    }

    /// The index of all completions, where it has been built already.
    pub fn indexed(&self) -> Option<&CompletionIndex> {
        self.index.get()
    }

    /// The index of all completions, built by reading every completion file once. `progress` receives the bytes read and in
    /// all. Errors when a file cannot be read or when cancelled; then it can be asked for again.
    pub fn index_completions(
        &self,
        cancel: &Cancel,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<&CompletionIndex> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        if !self.whole {
            return Err(
                Error::user("the workspace is still opening").hint("ask again when it is open")
            );
        }
        let _one_at_a_time = self.indexing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let built = completions::build(&self.benchmarks, &self.completion_files, cancel, progress)?;
        Ok(self.index.get_or_init(|| built))
    }

    /// A task's completions, by set, then in file order. Builds the index when there is none yet.
    pub fn completions(&self, task: TaskRef) -> Result<&[Completion]> {
        Ok(self
            .index_completions(&Cancel::default(), &|_, _| {})?
            .of(task))
    }

    /// Records a verdict that a run of this session gave to one of the task's completions, by its index in
    /// [`Workspace::completions`]; filters and counts see it before the one that came with the files.
    pub fn record_verdict(&self, task: TaskRef, completion: u32, verdict: Verdict) {
        let mut session_verdicts = self
            .session_verdicts
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        session_verdicts.insert((task, completion), verdict);
    }

    /// The verdicts on a task's completions, in their order, as far as they are indexed and evaluated: of this session's
    /// runs, else as they came with the files.
    pub fn verdicts(&self, task: TaskRef) -> Vec<Option<Verdict>> {
        let mut verdicts = Vec::new();
        self.each_verdict_of(task, &mut |verdict| verdicts.push(verdict));
        verdicts
    }

    pub(super) fn each_verdict_of(&self, task: TaskRef, each: &mut dyn FnMut(Option<Verdict>)) {
        let completions = self.indexed().map_or(&[][..], |index| index.of(task));
        if completions.is_empty() {
            return;
        }
        let session_verdicts = self
            .session_verdicts
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        for (at, completion) in (0u32..).zip(completions) {
            let own = session_verdicts.get(&(task, at)).copied();
            each(own.or(completion.released));
        }
    }

    /// A task's completion, read now: of a raw answer the body as the official `process_completion.py` extracts it.
    pub fn completion_text(&self, task: TaskRef, completion: &Completion) -> Result<String> {
        Ok(self.completion(task, completion)?.text)
    }

    /// A task's completion with what it was taken from, read now.
    pub fn completion(&self, task: TaskRef, completion: &Completion) -> Result<CompletionText> {
        let path = self.completion_file(completion);
        let written = read_completion(path, completion.record)?;
        Ok(match completion.raw {
            None => CompletionText {
                text: written,
                ..CompletionText::default()
            },
            Some(kind) => {
                let extracted =
                    Extracted::of(&written, kind, self.task(task), Extraction::Official);
                CompletionText {
                    text: extracted.completion,
                    answer: Some(written),
                    other: extracted.other,
                }
            }
        })
    }

    /// The file that a completion is in.
    pub fn completion_file(&self, completion: &Completion) -> &Path {
        &self.files[completion.record.file as usize]
    }

    /// The files of results that give their verdicts to a completion in another file; none where its own file holds its
    /// verdict.
    pub fn results_next_to(&self, completion: &Completion) -> Vec<&Path> {
        let own = completion.record.file;
        let listed = self.completion_files.iter();
        let own = listed.clone().find(|file| file.file == own);
        let Some(own) = own.filter(|file| file.kind == CompletionKind::Completions) else {
            return Vec::new();
        };
        let next_to = listed.filter(|file| {
            file.kind == CompletionKind::Results
                && (file.set, file.benchmark) == (completion.set, own.benchmark)
        });
        next_to.map(|file| file.path.as_path()).collect()
    }

    /// What was wrong with the files, so far as they have been read.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let indexed = self.index.get().map_or(&[][..], CompletionIndex::faults);
        let sources = self
            .anchors
            .iter()
            .filter_map(OnceLock::get)
            .flat_map(|anchors| &anchors.faults);
        self.faults.iter().chain(indexed).chain(sources)
    }

    /// What was recognised, a line each.
    pub fn recognised(&self) -> &[String] {
        &self.recognised
    }
}
