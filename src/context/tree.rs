//! One snapshot in a corpus: the positions of its candidates (distinct snippets) and lines.

use std::sync::{OnceLock, RwLock};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::corpus::{Corpus, CorpusConfig, NONE};
use super::intern::index;
use super::places::{Bits, Places};
use super::text;
use crate::benchmark::{LineSpan, RepoPath};
use crate::error::{Cancel, Error, Result};
use crate::history::{BlobId, Snapshot, SnapshotFile, too_large_as_source};

/// How many files are read and decoded together before they are added to the corpus.
const BATCH: usize = 64;

/// A file that is left out, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Unread {
    /// The file.
    pub path: RepoPath,
    /// The reason in words: `not UTF-8`, or the message of the error.
    pub reason: String,
}

/// A searched file of the tree, and the index of its content in the corpus.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub path: RepoPath,
    pub content: u32,
}

/// A candidate in the tree: its first occurrence in the order of paths and lines, and the number of its occurrences.
/// The first occurrence is the lines `[start, end)`, 0-based, of the file with the index `file`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub candidate: u32,
    pub file: u32,
    pub start: u32,
    pub end: u32,
    pub occurrences: u32,
}

/// One snapshot in a corpus. It may be used only with the corpus that it was created with.
pub struct CorpusTree {
    snapshot: Snapshot,
    /// The searched files, ordered by path.
    pub(super) files: Vec<File>,
    /// The distinct candidates, ordered by their first occurrences.
    pub(super) placed: Vec<Placed>,
    unread: Vec<Unread>,
    windows: u32,
    lines: Bits,
    contents: Bits,
    places: OnceLock<Places>,
}

impl CorpusTree {
    /// Adds the contents of `snapshot` that the corpus does not have yet, and creates the tree. `chunks` returns the
    /// spans that a file is cut into, if files are cut into snippets by syntax. After each batch of files, `progress`
    /// receives the number of finished files and the number of all files.
    ///
    /// # Errors
    /// When cancelled, when the sources are too large, or when the clone lacks the content of a file. A file that is not
    /// UTF-8, or too large, is left out: see [`unread`](Self::unread).
    pub fn build(
        corpus: &RwLock<Corpus>,
        snapshot: &Snapshot,
        chunks: &(dyn Fn(BlobId, &str) -> Result<Vec<LineSpan>> + Sync),
        progress: &mut dyn FnMut(usize, usize),
        cancel: &Cancel,
    ) -> Result<Self> {
        let pool = read(corpus)?.pool();
        let wanted: Vec<&SnapshotFile> = snapshot
            .entries()
            .iter()
            .filter(|entry| pool.takes(entry.path.as_str()))
            .collect();
        let mut files = Vec::with_capacity(wanted.len());
        let mut unread = unread_on_disk(pool, snapshot)?;
        for batch in wanted.chunks(BATCH) {
            cancel.check()?;
            let loaded = load(corpus, snapshot, batch, chunks)?;
            let mut corpus = write(corpus)?;
            for (entry, loaded) in batch.iter().zip(loaded) {
                match take(&mut corpus, entry, loaded)? {
                    Ok(content) => files.push(File {
                        path: entry.path.clone(),
                        content,
                    }),
                    Err(reason) => unread.push(Unread {
                        path: entry.path.clone(),
                        reason,
                    }),
                }
            }
            progress((files.len() + unread.len()).min(wanted.len()), wanted.len());
        }
        let corpus = read(corpus)?;
        Ok(Self::look(&corpus, snapshot.clone(), files, unread))
    }

    /// Adds the new contents of several snapshots of one repository to the corpus. The snapshots must be ordered by
    /// age, the newest last. The versions of each file are read together, the newest first, because a packed repository
    /// stores older versions as differences from newer versions. Does nothing for plain folders.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub(super) fn read_ahead(
        corpus: &RwLock<Corpus>,
        snapshots: &[&Snapshot],
        chunks: &(dyn Fn(BlobId, &str) -> Result<Vec<LineSpan>> + Sync),
        cancel: &Cancel,
    ) -> Result<()> {
        let Some(newest) = snapshots.last().filter(|last| last.repository().is_some()) else {
            return Ok(());
        };
        let pool = read(corpus)?.pool();
        let mut seen = FxHashSet::default();
        let entries = snapshots
            .iter()
            .rev()
            .flat_map(|snapshot| snapshot.entries());
        let mut wanted: Vec<&SnapshotFile> = entries
            .filter(|entry| pool.takes(entry.path.as_str()) && seen.insert(entry.blob))
            .collect();
        wanted.sort_by(|a, b| a.path.cmp(&b.path));
        for batch in wanted.chunks(BATCH) {
            cancel.check()?;
            let loaded = load(corpus, newest, batch, chunks)?;
            let mut corpus = write(corpus)?;
            for (entry, loaded) in batch.iter().zip(loaded) {
                // An unreadable file is reported when the tree of its snapshot is built.
                let _ = take(&mut corpus, entry, loaded)?;
            }
        }
        Ok(())
    }

    /// Finds the candidates and the lines of `files` in the corpus.
    fn look(corpus: &Corpus, snapshot: Snapshot, files: Vec<File>, unread: Vec<Unread>) -> Self {
        let mut tree = Self {
            snapshot,
            files,
            placed: Vec::new(),
            unread,
            windows: 0,
            lines: Bits::with_capacity(corpus.stripped_count()),
            contents: Bits::with_capacity(corpus.size().0),
            places: OnceLock::new(),
        };
        let mut place_of = vec![NONE; corpus.candidate_count()];
        for (at, file) in tree.files.iter().enumerate() {
            for window in corpus.windows_of(file.content) {
                tree.windows += 1;
                let place = &mut place_of[window.candidate as usize];
                if *place == NONE {
                    *place = index(tree.placed.len());
                    tree.placed.push(Placed {
                        candidate: window.candidate,
                        file: index(at),
                        start: window.start,
                        end: window.end,
                        occurrences: 1,
                    });
                } else {
                    tree.placed[*place as usize].occurrences += 1;
                }
            }
            if tree.contents.insert(file.content) {
                for &line in corpus.lines_of(file.content) {
                    let stripped = corpus.stripped(line);
                    if stripped != NONE {
                        tree.lines.insert(stripped);
                    }
                }
            }
        }
        tree
    }

    /// The snapshot of the tree.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// How many distinct snippets the tree has.
    pub fn candidates(&self) -> usize {
        self.placed.len()
    }

    /// How many snippets the tree has, counting repetitions.
    pub fn windows(&self) -> u32 {
        self.windows
    }

    /// How many files are searched.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// The files that are left out, and the reasons.
    pub fn unread(&self) -> &[Unread] {
        &self.unread
    }

    /// Whether a stripped line occurs anywhere in the tree.
    pub(super) fn has_line(&self, stripped: u32) -> bool {
        self.lines.has(stripped)
    }

    /// Where each line of the tree occurs. Computed on the first call.
    pub(super) fn places(&self, corpus: &Corpus) -> &Places {
        self.places
            .get_or_init(|| Places::of(corpus, &self.contents))
    }

    /// The number of the content at a path. `None` if no searched file has this path.
    pub(super) fn content_at(&self, path: &RepoPath) -> Option<u32> {
        let at = self
            .files
            .binary_search_by(|file| file.path.cmp(path))
            .ok()?;
        Some(self.files[at].content)
    }
}

/// The files of a folder that are too large to be searched. Errors when another file of the pool, or a folder, could not
/// be read.
fn unread_on_disk(pool: CorpusConfig, snapshot: &Snapshot) -> Result<Vec<Unread>> {
    let mut unread = Vec::new();
    for entry in snapshot.unreadable() {
        let is_source = pool.takes(entry.path.as_str());
        if entry.is_folder || is_source && !entry.too_large {
            let error = Error::data(entry.reason.clone()).at(entry.path.as_str());
            return Err(error.hint("give yourself permission for this path, or remove it"));
        }
        if is_source {
            unread.push(Unread {
                path: entry.path.clone(),
                reason: entry.reason.clone(),
            });
        }
    }
    Ok(unread)
}

/// The result of reading a file.
enum Loaded {
    /// The corpus already has the file's content, with this number.
    Known(u32),
    /// The file's text, and the spans that the text is cut into.
    Text(String, Vec<LineSpan>),
    /// The reason why the file cannot be read.
    Unreadable(String),
}

fn load(
    corpus: &RwLock<Corpus>,
    snapshot: &Snapshot,
    batch: &[&SnapshotFile],
    chunks: &(dyn Fn(BlobId, &str) -> Result<Vec<LineSpan>> + Sync),
) -> Result<Vec<Loaded>> {
    let known: Vec<_> = {
        let corpus = read(corpus)?;
        batch
            .iter()
            .map(|entry| corpus.content_of(entry.blob))
            .collect()
    };
    let one = |(entry, known): (&&SnapshotFile, Option<u32>)| match known {
        Some(content) => Ok(Loaded::Known(content)),
        None => match snapshot.source(entry.blob) {
            Err(why) => Err(why.at(entry.path.as_str())),
            Ok(None) => Ok(Loaded::Unreadable(too_large_as_source())),
            Ok(Some(bytes)) => match text::decode(&bytes) {
                None => Ok(Loaded::Unreadable("not UTF-8".to_owned())),
                Some(text) => {
                    let chunks = chunks(entry.blob, &text)?;
                    Ok(Loaded::Text(text.into_owned(), chunks))
                }
            },
        },
    };
    if known.iter().all(Option::is_some) {
        return batch.iter().zip(known).map(one).collect();
    }
    batch.par_iter().zip(known).map(one).collect()
}

/// Adds a file's content to the corpus if it is new. Returns the number of the content. The inner error is the reason
/// why the file cannot be read. The outer error means that the corpus would become too large.
fn take(
    corpus: &mut Corpus,
    entry: &SnapshotFile,
    loaded: Loaded,
) -> Result<std::result::Result<u32, String>> {
    match loaded {
        Loaded::Known(content) => Ok(Ok(content)),
        Loaded::Text(text, chunks) => corpus.add(entry.blob, &entry.path, &text, &chunks).map(Ok),
        Loaded::Unreadable(reason) => Ok(Err(reason)),
    }
}

pub(super) fn read(corpus: &RwLock<Corpus>) -> Result<std::sync::RwLockReadGuard<'_, Corpus>> {
    corpus.read().map_err(|_| broken())
}

fn write(corpus: &RwLock<Corpus>) -> Result<std::sync::RwLockWriteGuard<'_, Corpus>> {
    corpus.write().map_err(|_| broken())
}

fn broken() -> Error {
    Error::internal("an earlier failure left the index incomplete").hint("start Evoscope again")
}
