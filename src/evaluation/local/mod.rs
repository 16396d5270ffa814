//! The local sandbox: Linux namespaces, from this binary alone, without a daemon and without root.
//!
//! The binary starts itself again as `evoscope sandbox-stage`: the first stage leaves the machine's namespaces, the
//! second one, the first process of the new ones, builds a root of read-only mounts and sized scratch space, gives up
//! every privilege and becomes the Python interpreter. When it ends, the kernel ends everything that it started.

mod cgroup;
mod loopback;
mod mounts;
mod session;
mod session_name;
mod stage;

use std::path::PathBuf;

use super::sandbox::{Recipe, Sandbox, SandboxKind, Session};
use crate::error::{Cancel, Result};
use session_name::is_left_behind;
pub use stage::{STAGE_COMMAND, run_stage};

/// Namespaces on this machine.
#[derive(Debug, Clone)]
pub struct LocalSandbox {
    executable: PathBuf,
}

impl LocalSandbox {
    /// A sandbox with stages that this binary runs.
    pub fn new() -> Self {
        Self::with_executable("/proc/self/exe")
    }

    /// A sandbox with stages that the `evoscope` binary at `executable` runs.
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
