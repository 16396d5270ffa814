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
