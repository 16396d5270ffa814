//! The entries of a source tree.

use super::id::BlobId;
use crate::benchmark::RepoPath;

/// A regular file of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotFile {
    /// Its path relative to the root. Bytes that are not UTF-8 are shown as U+FFFD.
    pub path: RepoPath,
    /// The id of its content.
    pub blob: BlobId,
    /// Whether it may be executed.
    pub executable: bool,
}

/// How many entries of a tree are not regular files. They are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Skipped {
    /// Symbolic links.
    pub symlinks: u32,
    /// Submodules (gitlinks). In a folder, the repositories nested in it.
    pub submodules: u32,
    /// Files that cannot be read, sockets, devices.
    pub other: u32,
}
