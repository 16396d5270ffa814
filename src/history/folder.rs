//! Lists a plain folder in the way that git lists a tree.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::id::BlobId;
use super::objects::too_many;
use super::snapshot::too_large_as_source;
use super::snapshot_file::{Skipped, SnapshotFile, Unreadable};
use super::tree::MOST_ENTRIES;
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Error, Result};
use crate::files::{LARGEST_SOURCE, read_beneath};

/// The files of a folder.
pub(super) struct Listing {
    /// (file, path on disk relative to the root), sorted by the bytes of the path in `SnapshotFile`. The two paths
    /// differ if the path on disk is not UTF-8.
    pub files: Vec<(SnapshotFile, PathBuf)>,
    pub skipped: Skipped,
    /// What could not be read, sorted by path. `skipped` counts these entries too.
    pub unreadable: Vec<Unreadable>,
}

/// Lists the regular files below `root`. Leaves out folders named `.git`, folders that contain a `.git` (submodules),
/// and files and folders that cannot be read. Errors when `root` cannot be read, when it has more than [`MOST_ENTRIES`]
/// entries, or when `cancel` is raised.
pub(super) fn list(root: &Path, cancel: &Cancel) -> Result<Listing> {
    let mut found = Vec::new();
    let mut skipped = Skipped::default();
    let mut unreadable = Vec::new();
    let mut count = 0;
    let mut waiting = vec![PathBuf::new()];
    while let Some(folder) = waiting.pop() {
        cancel.check()?;
        let whole = root.join(&folder);
        let entries = fs::read_dir(&whole).map_err(|why| Error::io("list the folder", &whole, why));
        let Some(entries) = skip_unreadable(entries, &folder, &mut unreadable)? else {
            continue;
        };
        for entry in entries.flatten() {
            count += 1;
            if count > MOST_ENTRIES {
                return Err(too_many("the folder").at(root));
            }
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => skipped.symlinks += 1,
                Ok(kind) if kind.is_file() => found.push(path),
                Ok(kind) if kind.is_dir() => descend(root, path, &mut waiting, &mut skipped),
                _ => skipped.other += 1,
            }
        }
    }
    let files = hash(root, found, &mut unreadable, cancel)?;
    unreadable.sort_by(|a, b| a.path.cmp(&b.path));
    skipped.other += u32::try_from(unreadable.len()).unwrap_or(u32::MAX);
    Ok(Listing {
        files,
        skipped,
        unreadable,
    })
}

/// The value of `result`. An error for the root is returned. An error for another folder gives `None`, and the folder
/// is added to `unreadable`.
fn skip_unreadable<T>(
    result: Result<T>,
    folder: &Path,
    unreadable: &mut Vec<Unreadable>,
) -> Result<Option<T>> {
    match result {
        Err(why) if folder.as_os_str().is_empty() => Err(why),
        Err(why) => {
            unreadable.push(Unreadable {
                path: RepoPath::new(&folder.to_string_lossy()),
                is_folder: true,
                too_large: false,
                reason: why.what().to_owned(),
            });
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

/// Reads and hashes the files. Returns the files, sorted by path, and adds those that could not be read to `unreadable`.
fn hash(
    root: &Path,
    found: Vec<PathBuf>,
    unreadable: &mut Vec<Unreadable>,
    cancel: &Cancel,
) -> Result<Vec<(SnapshotFile, PathBuf)>> {
    type Read = std::result::Result<(SnapshotFile, PathBuf), Unreadable>;
    let hashed: Vec<Result<Read>> = found
        .into_par_iter()
        .map(|path| {
            cancel.check()?;
            let shown = RepoPath::new(&path.to_string_lossy());
            let about = fs::metadata(root.join(&path));
            let (bytes, about) = match (read_beneath(root, &path, LARGEST_SOURCE), about) {
                (Ok(bytes), Ok(about)) => (bytes, about),
                (Err(why), about) => return Ok(Err(unreadable_file(shown, &why, about.ok()))),
                (Ok(_), Err(why)) => {
                    let why = Error::io("inspect", &path, why);
                    return Ok(Err(unreadable_file(shown, &why, None)));
                }
            };
            let blob = BlobId::of(&bytes)?;
            let entry = SnapshotFile {
                path: shown,
                blob,
                executable: about.permissions().mode() & 0o111 != 0,
            };
            Ok(Ok((entry, path)))
        })
        .collect();
    let mut files = Vec::with_capacity(hashed.len());
    for file in hashed {
        match file? {
            Ok(file) => files.push(file),
            Err(file) => unreadable.push(file),
        }
    }
    files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    Ok(files)
}

fn unreadable_file(path: RepoPath, why: &Error, about: Option<fs::Metadata>) -> Unreadable {
    let too_large = about.is_some_and(|about| about.len() > LARGEST_SOURCE);
    Unreadable {
        path,
        is_folder: false,
        too_large,
        reason: if too_large {
            too_large_as_source()
        } else {
            why.what().to_owned()
        },
    }
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
