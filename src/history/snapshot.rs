//! A source tree at one point in time, as a list of paths and blob ids.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use super::folder;
use super::id::{BlobId, CommitId};
use super::repository::Repository;
use super::snapshot_file::{Skipped, SnapshotFile, Unreadable};
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Error, Result};
use crate::files::LARGEST_SOURCE;

/// Identifies a snapshot. Snapshots that are not the tree of a commit are numbered in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SnapshotId {
    /// The tree of a commit.
    Commit(CommitId),
    /// A commit's tree with patches applied: (the commit, the number of the snapshot).
    Patched(CommitId, u64),
    /// A folder: the number of the snapshot.
    Folder(u64),
}

/// The number of the next snapshot that is not the tree of a commit.
static LISTINGS: AtomicU64 = AtomicU64::new(0);

/// A source tree at one point in time: a commit's tree, a commit's tree with patches applied, or a plain folder. A
/// snapshot is cheap to clone. Blobs are read on demand.
#[derive(Clone)]
pub struct Snapshot(Arc<Inner>);

struct Inner {
    label: String,
    id: SnapshotId,
    entries: Vec<SnapshotFile>,
    skipped: Skipped,
    source: Source,
}

enum Source {
    Git(Repository),
    Patched {
        repository: Repository,
        /// The contents of the files that the patches changed.
        changed: FxHashMap<BlobId, Arc<[u8]>>,
    },
    Folder {
        root: PathBuf,
        /// Key: a blob id. Value: the path of a file with this content, relative to the root. The path in `entries`
        /// differs from this path if this path is not UTF-8.
        raw: FxHashMap<BlobId, PathBuf>,
        unreadable: Vec<Unreadable>,
    },
}

impl Snapshot {
    /// The regular files under `root`, with the blob ids that git would give them. Symbolic links are not followed;
    /// `.git` and nested repositories are left out.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when `root` cannot be listed.
    /// [`Kind::User`](crate::error::Kind::User) when `cancel` is raised.
    pub fn folder(root: &Path, cancel: &Cancel) -> Result<Self> {
        let listing = folder::list(root, cancel)?;
        let mut entries = Vec::with_capacity(listing.files.len());
        let mut raw = FxHashMap::default();
        for (entry, path) in listing.files {
            raw.entry(entry.blob).or_insert(path);
            entries.push(entry);
        }
        Ok(Self(Arc::new(Inner {
            label: root.file_name().map_or_else(
                || root.display().to_string(),
                |name| name.to_string_lossy().into(),
            ),
            id: SnapshotId::Folder(LISTINGS.fetch_add(1, Ordering::Relaxed)),
            entries,
            skipped: listing.skipped,
            source: Source::Folder {
                root: root.to_owned(),
                raw,
                unreadable: listing.unreadable,
            },
        })))
    }

    pub(super) fn of_commit(
        repository: &Repository,
        commit: CommitId,
        label: String,
        entries: Vec<SnapshotFile>,
        skipped: Skipped,
    ) -> Self {
        Self(Arc::new(Inner {
            label,
            id: SnapshotId::Commit(commit),
            entries,
            skipped,
            source: Source::Git(repository.clone()),
        }))
    }

    pub(super) fn of_patched(
        repository: &Repository,
        base: CommitId,
        entries: Vec<SnapshotFile>,
        skipped: Skipped,
        changed: Vec<(BlobId, Arc<[u8]>)>,
    ) -> Self {
        let listing = LISTINGS.fetch_add(1, Ordering::Relaxed);
        Self(Arc::new(Inner {
            label: format!("{} with its patches", base.short()),
            id: SnapshotId::Patched(base, listing),
            entries,
            skipped,
            source: Source::Patched {
                repository: repository.clone(),
                changed: changed.into_iter().collect(),
            },
        }))
    }

    /// The regular files, sorted by the bytes of their paths.
    pub fn entries(&self) -> &[SnapshotFile] {
        &self.0.entries
    }

    /// How many files of each kind were left out of the entries.
    pub fn skipped(&self) -> Skipped {
        self.0.skipped
    }

    /// What could not be read, sorted by path. Empty unless the snapshot is a folder.
    pub fn unreadable(&self) -> &[Unreadable] {
        match &self.0.source {
            Source::Folder { unreadable, .. } => unreadable,
            Source::Git(_) | Source::Patched { .. } => &[],
        }
    }

    /// The name for display: the revision as it was requested, a commit's short id, `<id> with its patches`, or the
    /// folder's name.
    pub fn label(&self) -> &str {
        &self.0.label
    }

    /// The commit, if the snapshot is a commit's tree. `None` for a tree with patches applied and for a folder.
    pub fn commit(&self) -> Option<CommitId> {
        match self.0.id {
            SnapshotId::Commit(commit) => Some(commit),
            SnapshotId::Patched(..) | SnapshotId::Folder(_) => None,
        }
    }

    /// The id that distinguishes the snapshot from other snapshots.
    pub fn id(&self) -> SnapshotId {
        self.0.id
    }

    /// The repository that the snapshot comes from. `None` for a folder.
    pub fn repository(&self) -> Option<&Repository> {
        match &self.0.source {
            Source::Git(repository) | Source::Patched { repository, .. } => Some(repository),
            Source::Folder { .. } => None,
        }
    }

    /// The tree's name in results: the full id of the commit, or the label if the snapshot is not a commit's tree.
    pub fn revision(&self) -> String {
        self.commit()
            .map_or_else(|| self.label().to_owned(), |id| id.to_string())
    }

    /// The blob id of the file at `path`. `None` if there is no such file.
    pub fn blob_at(&self, path: &RepoPath) -> Option<BlobId> {
        self.position(path).map(|at| self.0.entries[at].blob)
    }

    fn position(&self, path: &RepoPath) -> Option<usize> {
        self.0
            .entries
            .binary_search_by(|entry| entry.path.cmp(path))
            .ok()
    }

    /// The bytes of a source file that will be read as text.
    ///
    /// # Errors
    /// The errors of [`read`](Self::read), and [`Kind::Data`](crate::error::Kind::Data) for a file of more than
    /// [`LARGEST_SOURCE`] bytes.
    pub fn read_source(&self, blob: BlobId) -> Result<Arc<[u8]>> {
        self.source(blob)?
            .ok_or_else(|| Error::data(too_large_as_source()))
    }

    /// As [`read_source`](Self::read_source), but `None` for a file that is too large to be read as source.
    pub fn source(&self, blob: BlobId) -> Result<Option<Arc<[u8]>>> {
        match &self.0.source {
            Source::Git(repository) => repository.source(blob),
            // Files that a patch changed are read at any size.
            Source::Patched {
                repository,
                changed,
            } => match changed.get(&blob) {
                Some(content) => Ok(Some(Arc::clone(content))),
                None => repository.source(blob),
            },
            // The listing of a folder skips larger files.
            Source::Folder { .. } => self.read(blob).map(Some),
        }
    }

    /// The bytes of a blob.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when the blob is missing from the clone, or when the file was removed
    /// or changed since the folder was listed. [`Kind::User`](crate::error::Kind::User) when no file of the folder has
    /// this content.
    pub fn read(&self, blob: BlobId) -> Result<Arc<[u8]>> {
        match &self.0.source {
            Source::Git(repository) => repository.blob(blob),
            Source::Patched {
                repository,
                changed,
            } => match changed.get(&blob) {
                Some(content) => Ok(Arc::clone(content)),
                None => repository.blob(blob),
            },
            Source::Folder { root, raw, .. } => {
                let path = raw.get(&blob).ok_or_else(|| {
                    Error::user(format!(
                        "no file with content {} in {}",
                        blob.short(),
                        self.label()
                    ))
                })?;
                folder::read(root, path, blob)
            }
        }
    }

    /// Whether the clone lacks a blob. Does not read the blob's bytes. Always false for a folder.
    pub fn lacks(&self, blob: BlobId) -> bool {
        match &self.0.source {
            Source::Git(repository) => !repository.has_blob(blob),
            Source::Patched {
                repository,
                changed,
            } => !changed.contains_key(&blob) && !repository.has_blob(blob),
            Source::Folder { .. } => false,
        }
    }

    /// The bytes of the source file at `path`. `None` if there is no such file. The errors are those of
    /// [`read_source`](Self::read_source).
    pub fn read_path(&self, path: &RepoPath) -> Result<Option<Arc<[u8]>>> {
        self.blob_at(path)
            .map(|blob| self.read_source(blob))
            .transpose()
    }
}

/// Why a file is not read as source, in words.
pub(crate) fn too_large_as_source() -> String {
    let limit = LARGEST_SOURCE >> 20;
    format!("larger than {limit} MB, so it is not read as source")
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Snapshot({}, {} files)",
            self.label(),
            self.entries().len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_file_is_not_read_as_source() {
        let history = crate::history::repository::tests::History::new();
        let huge = "#".repeat(usize::try_from(LARGEST_SOURCE).unwrap() + 1);
        let commit = history.commit(&[("a.py", "x = 1\n"), ("b.py", &huge)], &[], "one");
        let snapshot = history.open().snapshot(&commit.to_string()).unwrap();
        let read = |path: &str| snapshot.read_path(&RepoPath::new(path));
        assert_eq!(&*read("a.py").unwrap().unwrap(), b"x = 1\n");
        let why = read("b.py").unwrap_err();
        assert_eq!(why.what(), "larger than 16 MB, so it is not read as source");
    }

    #[test]
    fn a_folder_is_a_snapshot_with_the_ids_of_git() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a/.git")).unwrap();
        std::fs::create_dir_all(folder.path().join("a-b")).unwrap();
        std::fs::create_dir_all(folder.path().join("c")).unwrap();
        std::fs::write(folder.path().join("a/hidden.py"), "x").unwrap();
        std::fs::write(folder.path().join("a-b/f.py"), "hello\n").unwrap();
        std::fs::write(folder.path().join("c/g.py"), "").unwrap();
        std::fs::write(folder.path().join("c.py"), "1").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("c.py", folder.path().join("link.py")).unwrap();
        let snapshot = Snapshot::folder(folder.path(), &Cancel::default()).unwrap();
        let paths: Vec<_> = snapshot.entries().iter().map(|e| e.path.as_str()).collect();
        assert_eq!(paths, ["a-b/f.py", "c.py", "c/g.py"]);
        assert_eq!(snapshot.skipped().submodules, 1);
        let blob = snapshot.blob_at(&RepoPath::new("a-b/f.py")).unwrap();
        assert_eq!(blob.to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(&*snapshot.read(blob).unwrap(), b"hello\n");
        assert!(snapshot.blob_at(&RepoPath::new("none.py")).is_none());
    }

    #[test]
    fn reading_a_file_that_changed_after_the_listing_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.py"), "1").unwrap();
        let snapshot = Snapshot::folder(folder.path(), &Cancel::default()).unwrap();
        std::fs::write(folder.path().join("a.py"), "2").unwrap();
        let error = snapshot.read(snapshot.entries()[0].blob).unwrap_err();
        assert!(error.to_string().contains("changed"), "{error}");
    }

    #[test]
    fn the_error_for_a_missing_folder_has_its_path() {
        let error = Snapshot::folder(Path::new("/no/such/folder"), &Cancel::default()).unwrap_err();
        assert!(error.to_string().contains("/no/such/folder"), "{error}");
    }
}
