//! The mainline: the newest commit and its first parents, back to the beginning.

use rustc_hash::FxHashSet;

use super::id::CommitId;
use super::repository::Repository;
use crate::error::{Cancel, Result};

/// A line of commits, newest first.
#[derive(Debug, Clone)]
pub struct Mainline {
    /// The commits; never empty.
    pub commits: Vec<CommitId>,
    /// Whether the last one has a parent that the clone has not got.
    pub cut_short: bool,
}

impl Repository {
    /// `newest` and its first parents. Where the clone ends early (shallow), the line ends there and says so.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when `newest` itself cannot be read; cancelled.
    pub fn mainline(&self, newest: CommitId, cancel: &Cancel) -> Result<Mainline> {
        self.commit(newest)?;
        self.with(|repo| {
            let mut commits = vec![newest];
            let mut at = repo.find_commit(newest.oid()?).ok();
            let mut cut_short = false;
            while let Some(commit) = at {
                cancel.check()?;
                let Ok(parent) = commit.parent_id(0) else {
                    break;
                };
                at = repo.find_commit(parent).ok();
                if at.is_none() {
                    cut_short = true;
                } else {
                    commits.push(CommitId::from_oid(parent)?);
                }
            }
            Ok(Mainline { commits, cut_short })
        })
    }

    /// `commit` and everything that it grew from, as far as the clone has it.
    pub fn ancestors(&self, commit: CommitId, cancel: &Cancel) -> Result<FxHashSet<CommitId>> {
        self.with(|repo| {
            let mut seen = FxHashSet::default();
            let mut waiting = vec![commit.oid()?];
            while let Some(oid) = waiting.pop() {
                cancel.check()?;
                if seen.insert(CommitId::from_oid(oid)?)
                    && let Ok(commit) = repo.find_commit(oid)
                {
                    waiting.extend(commit.parent_ids());
                }
            }
            Ok(seen)
        })
    }
}
