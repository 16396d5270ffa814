//! Reading a benchmark's task file: in batches, in bounded memory, with every fault reported and nothing dropped for
//! another line's sake.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::diagnostic::Diagnostic;
use super::fields::Row;
use super::names::{Format, Language, Namespace};
use super::records::{Fault, LONGEST_RECORD, RawRecord, Records, read_record};
use super::span::RepoPath;
use super::task::{Record, Task, TaskDetail};
use super::{codereval, deveval, evocodebench, humanevo};
use crate::error::{Cancel, Error, Result};

/// Tasks in a batch. The first comes early, so that a list can be shown while the rest is read.
const BATCH: usize = 4096;

/// A record taken apart, or what is wrong with it.
type ReadRow<'a> = std::result::Result<Row<'a>, Diagnostic>;

/// Some of a file's tasks, in file order, and what was wrong with the lines they came from.
#[derive(Debug, Default)]
pub struct Batch {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// The faults found among them.
    pub faults: Vec<Diagnostic>,
    /// Bytes of the file read so far.
    pub read: u64,
}

/// A task file and how to read it.
#[derive(Debug, Clone, Copy)]
pub struct TaskFile<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// Its index in the owner's list of files, kept in each [`Record`].
    pub file: u32,
    /// Its format.
    pub format: Format,
    /// How EvoCodeBench's `completion_path` parts into project and path.
    pub projects: &'a evocodebench::ProjectFolders,
}

/// Reads `source` from first to last line and hands its tasks on in batches. Errors when the file cannot be read at
/// all or `cancel` is raised; a bad line is a fault in its batch.
pub fn read_tasks(
    source: TaskFile<'_>,
    cancel: &Cancel,
    mut take: impl FnMut(Batch),
) -> Result<()> {
    let mut names = Interner::default();
    let mut batch = Batch::default();
    let mut room = BATCH / 16;
    for_each_row(source.path, cancel, |read, row, record| {
        match row {
            Ok(mut row) => {
                let record = Record {
                    file: source.file,
                    ..record
                };
                let task = match source.format {
                    Format::DevEval => deveval::task(&mut row, record, &mut names),
                    Format::EvoCodeBench => {
                        evocodebench::task(&mut row, record, &mut names, source.projects)
                    }
                    Format::HumanEvo => humanevo::task(&mut row, record, &mut names),
                    Format::CoderEval => codereval::task(&mut row, record, &mut names),
                };
                batch.tasks.extend(task);
                batch.faults.append(&mut row.faults);
            }
            Err(fault) => batch.faults.push(fault),
        }
        if batch.tasks.len() >= room {
            room = BATCH;
            batch.read = read;
            take(std::mem::take(&mut batch));
        }
    })?;
    batch.read = std::fs::metadata(source.path).map_or(0, |about| about.len());
    take(batch);
    Ok(())
}

/// Reads what a list does not need of `task` from its record in the file at `path`.
pub fn read_detail(path: &Path, format: Format, task: &Task) -> Result<TaskDetail> {
    let bytes = read_record(path, task.record)?;
    let fields = serde_json::from_str(&String::from_utf8_lossy(&bytes)).map_err(|why| {
        Error::data(format!("task '{}' can no longer be read: {why}", task.id))
            .at_line(path, u64::from(task.record.line))
            .hint("the file has changed since it was opened: open it again")
    })?;
    Ok(match format {
        Format::DevEval | Format::EvoCodeBench => deveval::detail(fields),
        Format::HumanEvo => humanevo::detail(fields),
        Format::CoderEval => codereval::detail(fields),
    })
}

/// Calls `each` with the bytes read so far, the record as a row (or its fault) and its place, whose file is 0.
pub(crate) fn for_each_row(
    path: &Path,
    cancel: &Cancel,
    mut each: impl FnMut(u64, ReadRow<'_>, Record),
) -> Result<()> {
    let mut records = Records::open(path)?;
    let mut count = 0u32;
    loop {
        count = count.wrapping_add(1);
        if count.is_multiple_of(1024) {
            cancel.check()?;
        }
        let read = records.position();
        let next = records.next().map_err(|why| Error::io("read", path, why))?;
        let Some(raw) = next else {
            return Ok(());
        };
        let record = Record {
            file: 0,
            offset: raw.offset,
            length: u32::try_from(raw.bytes.len()).unwrap_or(u32::MAX),
            line: raw.line,
        };
        with_row(path, &raw, |row| each(read, row, record));
    }
}

fn with_row<T>(path: &Path, raw: &RawRecord<'_>, each: impl FnOnce(ReadRow<'_>) -> T) -> T {
    let fault = |what: String, hint: &str| Diagnostic::new(path, what).at_line(raw.line).hint(hint);
    if let Some(why) = raw.fault {
        let (what, hint) = match why {
            Fault::TooLong => (
                format!(
                    "is longer than {} MiB and was passed over",
                    LONGEST_RECORD >> 20
                ),
                "split the file into one record a line",
            ),
            Fault::Truncated => (
                "is broken JSON: the object never closes".to_owned(),
                "mend the object; what follows on its own lines is open",
            ),
        };
        return each(Err(fault(what, hint)));
    }
    let text = match std::str::from_utf8(raw.bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(raw.bytes),
    };
    let owned = matches!(text, Cow::Owned(_));
    let row = Row::parse(&text, path, raw.line).map(|mut row| {
        if owned {
            row.made_from(raw.bytes);
            row.faults.push(fault(
                "holds bytes that are not UTF-8; they are shown as \u{fffd}".to_owned(),
                "save the file as UTF-8",
            ));
        }
        row
    });
    each(row)
}

/// Keeps one copy of each name that many tasks share.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    names: FxHashSet<Arc<str>>,
    paths: FxHashMap<Box<str>, RepoPath>,
}

impl Interner {
    /// The shared copy of `name`.
    pub(crate) fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        self.names.insert(Arc::clone(&new));
        new
    }

    /// The shared copy of `path`.
    pub(crate) fn path(&mut self, path: &str) -> RepoPath {
        if let Some(known) = self.paths.get(path) {
            return known.clone();
        }
        let new = RepoPath::new(path);
        self.paths.insert(path.into(), new.clone());
        new
    }
}

/// What a file holds, told from its first whole record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A benchmark's tasks, in the language of the first.
    Tasks(Format, Language),
    /// CoderEval's released samples with verdicts: tasks and completions in one.
    Samples(Language),
    /// Completions, `{"namespace", "completion"}`.
    Completions,
    /// An official evaluator's results: completions with `Result` or `pass`.
    Results,
    /// Nothing that Evoscope reads.
    Unknown,
    /// No record at all.
    Empty,
}

/// Tells what the file at `path` holds by the fields of its first whole record among the first 100.
pub fn recognise(path: &Path) -> Result<FileKind> {
    let mut records = Records::open(path)?;
    let mut kind = FileKind::Empty;
    for _ in 0..100 {
        let next = records.next().map_err(|why| Error::io("read", path, why))?;
        let Some(raw) = next else { break };
        let found = with_row(path, &raw, |row| {
            row.map_or(FileKind::Unknown, |mut row| kind_of(&mut row))
        });
        if found != FileKind::Unknown {
            return Ok(found);
        }
        kind = found;
    }
    Ok(kind)
}

fn kind_of(row: &mut Row<'_>) -> FileKind {
    if row.has(&["namespace"]) && row.has(&["completion"]) {
        return if row.has(&["Result", "pass"]) {
            FileKind::Results
        } else {
            FileKind::Completions
        };
    }
    if row.has(&["namespace"]) && (row.has(&["completion_path"]) || row.has(&["body_position"])) {
        let project = row.has(&["project_path"]);
        let format = if project {
            Format::DevEval
        } else {
            Format::EvoCodeBench
        };
        return FileKind::Tasks(format, Language::Python);
    }
    let (mut names, record) = (Interner::default(), NOWHERE);
    if row.has(humanevo::BASE_COMMIT) && row.has(humanevo::ID) {
        let task = humanevo::task(row, record, &mut names);
        let language = task.map_or(Language::Python, |task| task.language);
        return FileKind::Tasks(Format::HumanEvo, language);
    }
    if row.has(codereval::ID) && (row.has(&[codereval::SAMPLES]) || row.has(codereval::TASK_MARKS))
    {
        let task = codereval::task(row, record, &mut names);
        let language = task.map_or(Language::Python, |task| task.language);
        return if row.has(&[codereval::SAMPLES]) {
            FileKind::Samples(language)
        } else {
            FileKind::Tasks(Format::CoderEval, language)
        };
    }
    FileKind::Unknown
}

const NOWHERE: Record = Record {
    file: 0,
    offset: 0,
    length: 0,
    line: 1,
};

/// The language of a source file by its ending; Python where it says nothing.
pub(crate) fn language_of(path: &str) -> Option<Language> {
    let ending = path.rsplit_once('.')?.1;
    match ending {
        "java" => Some(Language::Java),
        "py" | "pyi" => Some(Language::Python),
        _ => None,
    }
}

/// The dotted name of the file at `path` and what stands in it: `a/b.py`, `C.f` → `a.b.C.f`. Folders that only hold
/// the packages (`src`, `src/main/java`) are no part of it.
pub(crate) fn dotted(path: &str, inside: &str) -> Option<Namespace> {
    let holders = ["src/main/java/", "src/"];
    let path = holders
        .iter()
        .find_map(|holder| path.strip_prefix(holder))
        .unwrap_or(path);
    let module = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let module = module.trim_end_matches("/__init__").replace('/', ".");
    if module.is_empty() {
        Namespace::new(inside)
    } else {
        Namespace::new(&format!("{module}.{inside}"))
    }
}
