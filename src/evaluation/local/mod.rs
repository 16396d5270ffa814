//! The local sandbox: Linux namespaces that this binary sets up without a daemon and without root privileges.
//!
//! The binary runs itself again as `evoscope sandbox-stage`, in two stages. The first stage leaves the machine's
//! namespaces. The second stage is the first process of the new namespaces. The second stage builds a root folder of
//! read-only mounts and size-limited scratch space, and gives up its privileges outside of its own user namespace. Then
//! it starts the Python interpreter. When the second stage ends, the kernel kills all processes of the sandbox.

mod cgroup;
mod mounts;
mod session;
mod session_name;
mod stage;

use std::path::PathBuf;

use super::sandbox::{Recipe, Sandbox, SandboxKind, Session};
use crate::error::{Cancel, Result};
use session_name::is_left_behind;
pub use stage::{STAGE_COMMAND, run_stage};

/// A sandbox of namespaces on this machine.
#[derive(Debug, Clone)]
pub struct LocalSandbox {
    executable: PathBuf,
}

impl LocalSandbox {
    /// A sandbox that runs this binary for its stages.
    pub fn new() -> Self {
        Self::with_executable("/proc/self/exe")
    }

    /// A sandbox that runs the `evoscope` binary at `executable` for its stages.
    pub fn with_executable(executable: impl Into<PathBuf>) -> Self {
        Self {
            executable: executable.into(),
        }
    }
}

impl Default for LocalSandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox for LocalSandbox {
    fn kind(&self) -> SandboxKind {
        SandboxKind::Local
    }

    fn open(&self, recipe: &Recipe, _cancel: &Cancel) -> Result<Box<dyn Session>> {
        Ok(Box::new(session::LocalSession::open(
            &self.executable,
            recipe,
        )?))
    }

    fn remove_stale(&self) -> Result<usize> {
        let mut removed = 0;
        let folder = std::env::temp_dir();
        let Ok(entries) = std::fs::read_dir(&folder) else {
            return Ok(0);
        };
        for entry in entries.flatten() {
            if is_left_behind(&entry.file_name().to_string_lossy()) {
                removed += usize::from(std::fs::remove_dir_all(entry.path()).is_ok());
            }
        }
        Ok(removed + cgroup::sweep())
    }
}
