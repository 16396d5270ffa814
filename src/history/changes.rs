//! Finds the regular files that differ between two commits.

use std::path::Path;

use super::id::{BlobId, CommitId};
use super::repository::Repository;
use super::tree::{REGULAR, TYPE, missing};
use crate::benchmark::RepoPath;
use crate::error::Result;

/// A file that differs between an older and a newer commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: RepoPath,
    /// The file's blob in the older commit. `None` if there is no such regular file.
    pub old: Option<BlobId>,
    /// The file's blob in the newer commit. `None` if there is no such regular file.
    pub new: Option<BlobId>,
}

impl Repository {
    /// The blob of the file at `path` in a commit. `None` if there is no regular file at that path.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when the commit or its tree is missing.
    pub fn blob_in(&self, commit: CommitId, path: &RepoPath) -> Result<Option<BlobId>> {
        self.with(|repo| {
            let tree = match self.graph().node(repo, commit.oid()?) {
                Some(node) => repo.find_tree(node.tree),
                None => repo
                    .find_commit(commit.oid()?)
                    .and_then(|commit| commit.tree()),
            }
            .map_err(|why| missing("commit", &commit.to_string(), &why))?;
            match tree.get_path(Path::new(path.as_str())) {
                Ok(entry) if entry.filemode_raw() & TYPE == REGULAR => {
                    BlobId::from_oid(entry.id()).map(Some)
                }
                _ => Ok(None),
            }
        })
    }

    /// The regular files in the folder of `path` in a commit, except `path` itself: (path, blob) of each file with a
    /// name that ends in `ending`. Empty if the commit does not have the folder.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when the commit or its tree is missing.
    pub(super) fn in_same_folder(
        &self,
        commit: CommitId,
        path: &RepoPath,
        ending: &str,
    ) -> Result<Vec<(RepoPath, BlobId)>> {
        self.with(|repo| {
            let root = repo
                .find_commit(commit.oid()?)
                .and_then(|commit| commit.tree())
                .map_err(|why| missing("commit", &commit.to_string(), &why))?;
            let folder = match path.folder() {
                "" => Some(root),
                folder => root
                    .get_path(Path::new(folder))
                    .and_then(|entry| repo.find_tree(entry.id()))
                    .ok(),
            };
            let mut files = Vec::new();
            for entry in folder.iter().flat_map(git2::Tree::iter) {
                let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
                if name.ends_with(ending) && entry.filemode_raw() & TYPE == REGULAR {
                    let file = RepoPath::new(&format!("{}/{name}", path.folder()));
                    files.push((file, BlobId::from_oid(entry.id())?));
                }
            }
            files.retain(|(file, _)| file != path);
            Ok(files)
        })
    }

    /// The files that differ between two commits and have names that end in `ending`. Folders that are equal in both
    /// commits are not read.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when a commit or a tree is missing.
    pub fn changes(&self, older: CommitId, newer: CommitId, ending: &str) -> Result<Vec<Change>> {
        self.with(|repo| {
            let tree = |id: CommitId| {
                repo.find_commit(id.oid()?)
                    .and_then(|commit| commit.tree())
                    .map_err(|why| missing("commit", &id.to_string(), &why))
            };
            let (old, new) = (tree(older)?, tree(newer)?);
            let mut options = git2::DiffOptions::new();
            options.skip_binary_check(true).ignore_submodules(true);
            let diff = repo
                .diff_tree_to_tree(Some(&old), Some(&new), Some(&mut options))
                .map_err(|why| missing("changes of commit", &newer.to_string(), &why))?;
            let mut changes = Vec::new();
            for delta in diff.deltas() {
                let file = |file: git2::DiffFile<'_>| {
                    let regular = i32::from(file.mode()) & TYPE == REGULAR;
                    regular.then(|| BlobId::from_oid(file.id())).transpose()
                };
                let path = delta
                    .new_file()
                    .path_bytes()
                    .or(delta.old_file().path_bytes());
                let path = String::from_utf8_lossy(path.unwrap_or_default()).into_owned();
                if path.ends_with(ending) {
                    changes.push(Change {
                        path: RepoPath::new(&path),
                        old: file(delta.old_file())?,
                        new: file(delta.new_file())?,
                    });
                }
            }
            Ok(changes)
        })
    }
}
