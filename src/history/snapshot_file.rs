//! The entries of a source tree.

use super::id::BlobId;
use crate::benchmark::RepoPath;

/// A regular file of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotFile {
    /// The file's path relative to the root. Bytes that are not UTF-8 are shown as U+FFFD.
    pub path: RepoPath,
    /// The id of the file's blob.
    pub blob: BlobId,
    /// Whether the file is executable.
    pub executable: bool,
}

/// A file or a folder on disk that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The path relative to the root. Bytes that are not UTF-8 are shown as U+FFFD.
    pub path: RepoPath,
    /// Whether this is a folder.
    pub is_folder: bool,
    /// Whether this is a file that is too large to be read as source. All other entries could not be opened or listed.
    pub too_large: bool,
    /// The reason in words.
    pub reason: String,
}

/// The numbers of entries of a tree that were left out because they are not readable regular files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Skipped {
    /// Symbolic links.
    pub symlinks: u32,
    /// Submodules (gitlinks). In a plain folder, the nested repositories.
    pub submodules: u32,
    /// Sockets, devices, files that are too large, and files and folders that cannot be read.
    pub other: u32,
}
