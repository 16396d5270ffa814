//! Lists a plain folder in the way that git lists a tree.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::id::BlobId;
use super::snapshot_file::{Skipped, SnapshotFile};
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Error, Result};
use crate::files::{LARGEST_SOURCE, read_beneath};

/// The files of a folder.
pub(super) struct Listing {
    /// (file, path on disk relative to the root), sorted by the bytes of the path in `SnapshotFile`. The two paths
    /// differ if the path on disk is not UTF-8.
    pub files: Vec<(SnapshotFile, PathBuf)>,
    pub skipped: Skipped,
}

/// Lists the regular files below `root`. Leaves out folders named `.git`, folders that contain a `.git` (submodules),
/// and files and folders that cannot be read. Errors when `root` cannot be read, or when `cancel` is raised.
pub(super) fn list(root: &Path, cancel: &Cancel) -> Result<Listing> {
    let mut found = Vec::new();
    let mut skipped = Skipped::default();
    let mut waiting = vec![PathBuf::new()];
    while let Some(folder) = waiting.pop() {
        cancel.check()?;
        let whole = root.join(&folder);
        let entries = fs::read_dir(&whole).map_err(|why| Error::io("list the folder", &whole, why));
        let Some(entries) = skip_unreadable(entries, &folder, &mut skipped)? else {
            continue;
        };
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => skipped.symlinks += 1,
                Ok(kind) if kind.is_file() => found.push(path),
                Ok(kind) if kind.is_dir() => descend(root, path, &mut waiting, &mut skipped),
                _ => skipped.other += 1,
            }
        }
    }
    let (files, unread) = hash(root, found, cancel)?;
    skipped.other += unread;
    Ok(Listing { files, skipped })
}

/// The value of `result`. An error for the root is returned. An error for another folder gives `None`, and the folder
/// counts as skipped.
fn skip_unreadable<T>(
    result: Result<T>,
    folder: &Path,
    skipped: &mut Skipped,
) -> Result<Option<T>> {
    match result {
        Err(why) if folder.as_os_str().is_empty() => Err(why),
        Err(_) => {
            skipped.other += 1;
            Ok(None)
        }
        Ok(value) => Ok(Some(value)),
    }
}

/// Adds a folder to `waiting`, unless it is `.git` or a submodule.
fn descend(root: &Path, path: PathBuf, waiting: &mut Vec<PathBuf>, skipped: &mut Skipped) {
    if path.file_name().is_some_and(|name| name == ".git") {
        return;
    }
    if root.join(&path).join(".git").exists() {
        skipped.submodules += 1;
    } else {
        waiting.push(path);
    }
}

/// Reads and hashes the files. Returns the files, sorted by path, and how many files could not be read.
fn hash(
    root: &Path,
    found: Vec<PathBuf>,
    cancel: &Cancel,
) -> Result<(Vec<(SnapshotFile, PathBuf)>, u32)> {
    let all = found.len();
    let hashed: Vec<Result<Option<(SnapshotFile, PathBuf)>>> = found
        .into_par_iter()
        .map(|path| {
            cancel.check()?;
            let about = fs::metadata(root.join(&path));
            let (Ok(bytes), Ok(about)) = (read_beneath(root, &path, LARGEST_SOURCE), about) else {
                return Ok(None);
            };
            let blob = BlobId::of(&bytes)?;
            let shown = RepoPath::new(&path.to_string_lossy());
            let entry = SnapshotFile {
                path: shown,
                blob,
                executable: about.permissions().mode() & 0o111 != 0,
            };
            Ok(Some((entry, path)))
        })
        .collect();
    let mut files = Vec::with_capacity(all);
    for file in hashed {
        files.extend(file?);
    }
    files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    let unread = u32::try_from(all - files.len()).unwrap_or(u32::MAX);
    Ok((files, unread))
}

/// Reads a listed file. Errors when the file cannot be read, or no longer has the content of `blob`.
pub(super) fn read(root: &Path, path: &Path, blob: BlobId) -> Result<Arc<[u8]>> {
    let bytes = read_beneath(root, path, LARGEST_SOURCE)?;
    if BlobId::of(&bytes)? != blob {
        return Err(
            Error::data("the file was changed since the folder was listed")
                .at(root.join(path))
                .hint("reload the benchmark"),
        );
    }
    Ok(bytes.into())
}
