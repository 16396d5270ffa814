//! What a source tree holds.

use super::id::BlobId;
use crate::benchmark::RepoPath;

/// A regular file of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotFile {
    /// Its path from the root; bytes that are not UTF-8 are shown as U+FFFD.
    pub path: RepoPath,
    /// The id of its content.
    pub blob: BlobId,
    /// Whether it may be executed.
    pub executable: bool,
}

/// What a tree holds other than regular files; it is left out of the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Skipped {
    /// Symbolic links.
    pub symlinks: u32,
    /// Submodules (gitlinks), and in a folder the repositories nested in it.
    pub submodules: u32,
    /// Files that could not be read, sockets, devices.
    pub other: u32,
}
