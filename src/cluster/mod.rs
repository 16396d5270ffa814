//! Work that is done on the nodes of a cluster: a scheduler starts workers, and a folder that all nodes share holds the
//! pieces of work and their verdicts.
//!
//! A verdict is one file, named by the key over what it depends on. It is written aside, synced and linked to its name, so
//! that the first one of a key stays and none is ever seen in part. Which pieces are finished follows from these files
//! alone. Leases only avoid that two workers do the same piece; losing one costs time, never a verdict. Nothing here takes
//! a lock, compares clocks of two machines, or keeps a database on the shared folder.
//!
//! # For administrators of a cluster
//!
//! - **User namespaces.** Completions run in the local sandbox, which needs unprivileged user namespaces on each node
//!   (`user.max_user_namespaces` above 0, and `kernel.unprivileged_userns_clone` 1 where it exists). It needs no service, no
//!   container engine and no root.
//! - **Control groups.** None are created; the sandbox limits each run by resource limits. A job's own control group limits
//!   all its runs together, so give it memory for `--jobs` runs side by side.
//! - **On the shared folder**: `evoscope-<run>` with the program, `plan.jsonl`, `results`, `failures`, `contradictions`,
//!   `leases`, `workers` and `logs`. It can be deleted when the evaluation has ended.
//! - **On a node**: `evoscope-<run>-<user id>` in `$SLURM_TMPDIR`, `$TMPDIR` or `/tmp`, with environments and caches. The last
//!   worker of the run on the node removes it. A node that fails keeps it until the next worker of the run there ends, or
//!   until temporary files are cleaned.

mod lease;
mod order;
mod plan;
mod publish;
mod run_folder;
mod script;
mod slurm;
mod worker_name;

pub use lease::{Lease, Leases};
pub use order::{ProjectPieces, next_project, pieces_at_once};
pub use plan::{Item, Piece, PlannedPiece, RunSettings, pieces};
pub use publish::Published;
pub use run_folder::{Attempt, RunFolder};
pub use script::{JobOptions, batch_script};
pub use slurm::Slurm;
pub use worker_name::WorkerName;

use crate::error::Result;

/// What a scheduler says about a run's jobs.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct JobsState {
    /// Jobs that wait.
    pub queued: usize,
    /// Jobs that run or end.
    pub running: usize,
    /// The nodes that run them.
    pub nodes: Vec<String>,
    /// Why the waiting ones wait, where the scheduler says so.
    pub reason: Option<String>,
}

impl JobsState {
    /// Whether the scheduler holds any job of the run.
    pub fn is_active(&self) -> bool {
        self.queued + self.running > 0
    }
}

/// A scheduler of a cluster. Jobs are found by the run's name, so nothing has to be remembered about them.
pub trait Scheduler {
    /// Submits the script as an array of jobs and returns its id.
    fn submit(&self, script: &str) -> Result<String>;
    /// What the jobs of a name do. An error when the scheduler does not answer.
    fn state(&self, name: &str) -> Result<JobsState>;
    /// How the jobs of a submission ended that did not succeed, a line for each kind of end, for people. Empty where the
    /// scheduler keeps no account of ended jobs.
    fn failed_ends(&self, job: &str) -> Vec<String>;
    /// Cancels the jobs of a name that wait.
    fn cancel_waiting(&self, name: &str) -> Result<()>;
}
