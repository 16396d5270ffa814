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
        self.line_until(newest, &|_| false, cancel)
    }

    /// The commits of the mainline after `base`, newest first; where `base` is on no first parent's way, those that it
    /// did not grow from.
    pub(super) fn mainline_after(
        &self,
        base: CommitId,
        newest: CommitId,
        cancel: &Cancel,
    ) -> Result<Vec<CommitId>> {
        let mut line = self.line_until(newest, &|commit| commit == base, cancel)?;
        if line.commits.last() == Some(&base) {
            line.commits.pop();
            return Ok(line.commits);
        }
        let old = self.ancestors(base, cancel)?;
        let until = line.commits.iter().position(|commit| old.contains(commit));
        line.commits.truncate(until.unwrap_or(line.commits.len()));
        Ok(line.commits)
    }

    fn line_until(
        &self,
        newest: CommitId,
        last: &dyn Fn(CommitId) -> bool,
        cancel: &Cancel,
    ) -> Result<Mainline> {
        self.commit(newest)?;
        self.with(|repo| {
            let mut commits = vec![newest];
            let mut cut_short = false;
            let mut at = self.graph().node(repo, newest.oid()?);
            while let Some(parent) = at.and_then(|node| node.first()) {
                cancel.check()?;
                if commits.last().is_some_and(|commit| last(*commit)) {
                    break;
                }
                at = self.graph().node(repo, parent);
                if at.is_some() {
                    commits.push(CommitId::from_oid(parent)?);
                }
                cut_short = at.is_none();
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
                    && let Some(node) = self.graph().node(repo, oid)
                {
                    waiting.extend(node.parents());
                }
            }
            Ok(seen)
        })
    }
}
