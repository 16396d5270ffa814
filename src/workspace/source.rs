//! The source file of a task, decoded for reading, and the target's position in it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use memchr::memmem;

use crate::benchmark::{Language, LineSpan, RepoPath, Task};
use crate::code::{Anchor, Outline, Sought, locate_in, outline};
use crate::error::{Error, Result};
use crate::files::{LARGEST_SOURCE, read_beneath};
use crate::history::Snapshot;

/// How many files are cached; the one used longest ago is removed first.
const MAX_CACHED: usize = 24;

/// A source file as text: LF line ends, bytes that are not UTF-8 as U+FFFD. Line numbers are the file's own.
#[derive(Debug)]
pub struct SourceText {
    path: PathBuf,
    on_disk: bool,
    inside: RepoPath,
    language: Language,
    text: String,
    starts: Vec<u32>,
    lossy: bool,
    crlf: bool,
    outline: OnceLock<Outline>,
}

impl SourceText {
    /// Decodes a file's bytes.
    pub fn decode(path: &Path, inside: &RepoPath, language: Language, bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let decoded = String::from_utf8_lossy(bytes);
        let lossy = matches!(decoded, std::borrow::Cow::Owned(_));
        let crlf = memmem::find(bytes, b"\r\n").is_some();
        let text = if crlf {
            decoded.replace("\r\n", "\n")
        } else {
            decoded.into_owned()
        };
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let starts = std::iter::once(0).chain(breaks.filter(|at| *at < text.len()));
        let starts = starts
            .map(|at| u32::try_from(at).unwrap_or(u32::MAX))
            .collect();
        Self {
            path: path.to_owned(),
            on_disk: true,
            inside: inside.clone(),
            language,
            starts,
            text,
            lossy,
            crlf,
            outline: OnceLock::new(),
        }
    }

    /// Where it is: on disk, or its path in the newest tree of a repository.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it is on disk; `None` for a file out of a repository.
    pub fn on_disk(&self) -> Option<&Path> {
        self.on_disk.then_some(&*self.path)
    }

    /// Its path from the project's root.
    pub fn inside(&self) -> &RepoPath {
        &self.inside
    }

    /// The language it is written in.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many lines it has; an empty file has one.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// The 1-based `line` without its line end; empty past the end.
    pub fn line(&self, line: u32) -> &str {
        let at = line as usize;
        let Some(start) = at.checked_sub(1).and_then(|before| self.starts.get(before)) else {
            return "";
        };
        let end = self
            .starts
            .get(at)
            .map_or(self.text.len(), |end| *end as usize);
        self.text[*start as usize..end].trim_end_matches('\n')
    }

    /// The text of a span of lines, cut where the file ends, without the last line's end.
    pub fn lines(&self, span: LineSpan) -> &str {
        let at = |line: u32| {
            self.starts
                .get(line as usize)
                .map_or(self.text.len(), |start| *start as usize)
        };
        self.text[at(span.first() - 1)..at(span.last())].trim_end_matches('\n')
    }

    /// What the reader should know of how it was decoded.
    pub fn notes(&self) -> Vec<&'static str> {
        let notes = [
            (self.lossy, "not UTF-8: some bytes are shown as \u{fffd}"),
            (self.crlf, "CRLF line ends"),
        ];
        notes
            .into_iter()
            .filter_map(|(holds, note)| holds.then_some(note))
            .collect()
    }

    /// Its definitions, parsed once.
    pub fn outline(&self) -> &Outline {
        self.outline
            .get_or_init(|| outline(self.language, self.text.as_bytes()))
    }

    /// The position of `task`'s target in it.
    pub fn anchor(&self, task: &Task) -> Anchor {
        let sought = Sought {
            language: self.language,
            ..Sought::of(task, &self.inside)
        };
        locate_in(self.outline(), sought)
    }
}

/// The files looked at last.
#[derive(Debug, Default)]
pub(crate) struct SourceCache(Mutex<Vec<Arc<SourceText>>>);

impl SourceCache {
    /// The file at `path`, from memory where it was read before, else as `read` reads it.
    pub(crate) fn get(
        &self,
        path: &Path,
        read: impl FnOnce() -> Result<SourceText>,
    ) -> Result<Arc<SourceText>> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = cached.iter().position(|text| text.path == path) {
            let text = cached.remove(at);
            cached.push(Arc::clone(&text));
            return Ok(text);
        }
        drop(cached);
        let text = Arc::new(read()?);
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.len() >= MAX_CACHED {
            cached.remove(0);
        }
        cached.push(Arc::clone(&text));
        Ok(text)
    }
}

/// The place of `inside` below `root`; an error for a path that leaves the root.
pub(crate) fn file_in(root: &Path, inside: &RepoPath) -> Result<PathBuf> {
    if inside.as_str().split('/').any(|part| part == "..") {
        return Err(Error::data(format!("the path '{inside}' leaves its project")).at(root));
    }
    Ok(root.join(inside))
}

/// Where a file of a project is.
pub(crate) struct SourcePlace {
    /// The root of the project's sources, or its repository.
    pub(crate) root: PathBuf,
    /// The file below it, to show; in a repository there is no such file on the disk.
    pub(crate) path: PathBuf,
    /// The tree that it is read from where that is a repository's, as `Project::newest` gives it.
    pub(crate) tree: Option<Snapshot>,
}

impl SourcePlace {
    /// Reads and decodes the file with the path `inside` from the root.
    pub(crate) fn read(&self, inside: &RepoPath, language: Language) -> Result<SourceText> {
        let Some(tree) = &self.tree else {
            let read = read_beneath(&self.root, inside.as_ref(), LARGEST_SOURCE);
            let bytes = read.map_err(|why| match why.advice() {
                Some(_) => why,
                None => why.hint(
                    "check that the sources are the version from which the benchmark was made",
                ),
            })?;
            return Ok(SourceText::decode(&self.path, inside, language, &bytes));
        };
        let bytes = tree.read_path(inside)?.ok_or_else(|| {
            Error::data(format!("there is no such file in {}", tree.label())).at(&self.path)
        })?;
        Ok(SourceText {
            on_disk: false,
            ..SourceText::decode(&self.path, inside, language, &bytes)
        })
    }
}
