//! Leases record which worker evaluates which piece (a group of completions). Leases are advisory: if a lease is lost
//! or taken twice, a piece is evaluated twice, but no verdict is wrong or lost.
//!
//! Each worker regularly writes a new number (its heartbeat) to a file. When a worker's number has not changed for
//! `SILENCE`, the worker counts as silent, and other workers may take over its pieces. Each worker measures this time
//! with its own clock, so the clocks of two nodes are never compared.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::publish::{Published, publish};
use super::worker_name::WorkerName;
use crate::error::Result;
use crate::files::replace;

/// The interval between two heartbeats of a worker.
pub(super) const BEAT: Duration = Duration::from_secs(5);

/// How long a worker's number may stay unchanged before the worker counts as silent.
const SILENCE: Duration = Duration::from_mins(1);

/// The result of trying to take a piece.
#[derive(Debug, PartialEq, Eq)]
pub enum Lease {
    /// This worker has the piece.
    Own,
    /// Another worker, which is not silent, has the piece.
    Other,
}

/// The leases of a run, as one worker sees them.
pub struct Leases {
    root: PathBuf,
    worker: String,
    /// Key: another worker. Value: its last number, and the time at which this number was first read.
    seen: HashMap<String, (String, Instant)>,
    silence: Duration,
}

impl Leases {
    pub(super) fn new(root: &Path, worker: &str) -> Self {
        Self {
            root: root.to_owned(),
            worker: worker.to_owned(),
            seen: HashMap::new(),
            silence: SILENCE,
        }
    }

    /// Takes a piece, unless another worker has it. Another worker loses its pieces if it has ended or is silent. It
    /// also loses them if Slurm requeued its job and this worker continues the job. Errors when the lease cannot be
    /// read or written.
    pub fn take(&mut self, piece: usize) -> Result<Lease> {
        let path = self.root.join("leases").join(piece.to_string());
        let owner = match publish(&path, self.worker.as_bytes(), &self.worker)? {
            Published::First => return Ok(Lease::Own),
            Published::Earlier(owner) => String::from_utf8_lossy(&owner).into_owned(),
        };
        if owner != self.worker && !self.is_earlier_self(&owner) && !self.is_silent(&owner) {
            return Ok(Lease::Other);
        }
        replace(&path, &self.worker)?;
        Ok(Lease::Own)
    }

    /// Whether `owner` is the worker of this job before Slurm requeued the job.
    fn is_earlier_self(&self, owner: &str) -> bool {
        let names = WorkerName::parse(owner).zip(WorkerName::parse(&self.worker));
        names.is_some_and(|(owner, own)| owner.was_restarted_as(&own))
    }

    /// Whether the worker `owner` has ended, or its number has not changed for `silence`.
    fn is_silent(&mut self, owner: &str) -> bool {
        let number = fs::read_to_string(self.root.join("workers").join(owner)).unwrap_or_default();
        if number == ENDED {
            return true;
        }
        let seen = self.seen.entry(owner.to_owned());
        let (last, since) = seen.or_insert_with(|| (number.clone(), Instant::now()));
        if *last != number {
            (*last, *since) = (number, Instant::now());
        }
        since.elapsed() >= self.silence
    }

    /// Reads the numbers of all workers. So silent workers are already known when no free pieces are left.
    pub fn watch(&mut self) {
        let Ok(workers) = fs::read_dir(self.root.join("workers")) else {
            return;
        };
        for worker in workers.flatten() {
            self.is_silent(&worker.file_name().to_string_lossy());
        }
    }
}

/// What a worker writes instead of its number when it ends normally.
pub(super) const ENDED: &str = "ended";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_taken_from_a_silent_worker_and_not_from_a_live_worker() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let workers = root.join("workers");
        fs::create_dir_all(&workers).unwrap();
        let mut first = Leases::new(root, "7_0.0.n1.10");
        assert_eq!(first.take(3).unwrap(), Lease::Own);
        fs::write(workers.join("7_0.0.n1.10"), "1").unwrap();
        let mut second = Leases::new(root, "7_1.0.n1.11");
        assert_eq!(second.take(3).unwrap(), Lease::Other);
        fs::write(workers.join("7_0.0.n1.10"), "2").unwrap();
        second.silence = Duration::ZERO;
        assert_eq!(second.take(3).unwrap(), Lease::Own);
        assert_eq!(
            Leases::new(root, "7_1.1.n2.12").take(3).unwrap(),
            Lease::Own,
            "a requeued job takes the piece that it had before"
        );
        let mut twice = Leases::new(root, "7_1.1.n3.13");
        assert_eq!(
            twice.take(3).unwrap(),
            Lease::Other,
            "a second worker of a job that was not requeued again cannot take the piece"
        );
        fs::write(workers.join("7_1.1.n2.12"), ENDED).unwrap();
        assert_eq!(first.take(3).unwrap(), Lease::Own, "the owner has ended");
    }
}
