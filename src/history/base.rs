//! Finds the base commit: the last commit of the mainline before the target function existed.
//!
//! The mainline is the newest commit, its first parent, and so on. If a merge brings the function from a branch, the
//! merge's first parent is the base. The search follows renames of the function and of its file, and moves between
//! classes and files. An uncertain result, such as a rename that only similar bodies indicate, is reported as a doubt.
//! Bisection would be wrong, since functions can disappear and come back.

mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::Serialize;

use super::id::{BlobId, CommitId};
use super::mainline::Mainline;
use super::repository::Repository;
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Error, Result};

/// If a function appears in a commit, at most this many earlier commits are searched for the function in other files.
const GAP: usize = 500;

/// A function in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionFingerprint {
    /// The function's name inside the file: `Class.method`.
    pub qualname: String,
    /// The hashes of the lines of the function's body, without indentation and without blank lines.
    pub body: Vec<u64>,
}

/// Returns the functions of the file with this blob id and content. May be called several times for the same content,
/// so the results should be cached by blob id.
pub type Sightings<'a> = &'a dyn Fn(BlobId, &[u8]) -> Arc<[FunctionFingerprint]>;

/// The file and the name of a function in one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TargetFunction {
    /// The function's file.
    pub path: RepoPath,
    /// The function's name inside the file: `Class.method`.
    pub qualname: String,
}

/// A base commit and how it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaseFinding {
    /// The last commit before the function existed.
    pub commit: CommitId,
    /// The commit of the mainline that added the function. `None` if the base was given.
    pub added: Option<CommitId>,
    /// The function's file and name in the commit `added`. `None` if the base was given.
    pub origin: Option<TargetFunction>,
    /// How the base was found, as a text for display.
    pub how: String,
    /// Reasons why the base is not certain, as texts for display.
    pub doubts: Vec<String>,
}

impl BaseFinding {
    /// A base that the benchmark or the user has named. `by` is displayed as the source of the base.
    pub fn given(commit: CommitId, by: &str) -> Self {
        Self {
            commit,
            added: None,
            origin: None,
            how: format!("given by {by}"),
            doubts: Vec::new(),
        }
    }
}

/// The state of a search for a function, from the newest commit back through history.
struct Walk<'a> {
    repository: &'a Repository,
    sightings: Sightings<'a>,
    /// The extension of the target's file, with its dot. Only files with this extension are searched.
    ending: String,
    /// The function in the oldest commit that the search has reached.
    target: TargetFunction,
    /// The bodies of `target` in this oldest commit. The file may define the function several times.
    bodies: Vec<Vec<u64>>,
    /// The moves and renames that were followed, the newest first.
    trail: Vec<String>,
    doubts: Vec<String>,
}

impl Repository {
    /// Finds the base commit of the function `target`, which is in the tree of `newest`. `progress` receives the number
    /// of searched commits and the number of all commits.
    ///
    /// # Errors
    /// [`Kind::User`](crate::error::Kind::User) when the tree does not have the function, when the function exists
    /// since the first commit, when it is older than a shallow clone's history, or when `cancel` is raised.
    /// [`Kind::Data`](crate::error::Kind::Data) when objects are missing.
    pub fn find_base(
        &self,
        newest: CommitId,
        target: &TargetFunction,
        sightings: Sightings,
        progress: &mut dyn FnMut(usize, usize),
        cancel: &Cancel,
    ) -> Result<BaseFinding> {
        let Mainline { commits, cut_short } = self.mainline(newest, cancel)?;
        let file = target.path.file_name();
        let mut walk = Walk {
            repository: self,
            sightings,
            ending: file
                .rsplit_once('.')
                .map_or(String::new(), |(_, end)| format!(".{end}")),
            target: target.clone(),
            bodies: Vec::new(),
            trail: Vec::new(),
            doubts: Vec::new(),
        };
        let here = self.blob_in(newest, &target.path)?;
        if !walk.sees(here, &target.clone())? {
            return Err(Error::user(format!(
                "no function '{}' in {} at {}",
                target.qualname,
                target.path,
                newest.short()
            ))
            .hint("name the base with --base, or a newest revision that has the function"));
        }
        let first = walk.back(&commits, progress, cancel)?;
        walk.finish(&commits, first, cut_short)
    }
}

impl Walk<'_> {
    /// Whether the blob contains the function. If so, stores the function's bodies.
    fn sees(&mut self, blob: Option<BlobId>, target: &TargetFunction) -> Result<bool> {
        let Some(blob) = blob else {
            return Ok(false);
        };
        let bodies: Vec<_> = self
            .functions(blob)?
            .iter()
            .filter(|found| found.qualname == target.qualname)
            .map(|found| found.body.clone())
            .collect();
        if bodies.is_empty() {
            return Ok(false);
        }
        self.bodies = bodies;
        Ok(true)
    }

    fn functions(&self, blob: BlobId) -> Result<Arc<[FunctionFingerprint]>> {
        let source = self.repository.source(blob)?;
        Ok(source.map_or_else(Arc::default, |source| (self.sightings)(blob, &source)))
    }

    /// The index in `commits` of the oldest commit to which the function can be followed. Changes `self.target` to the
    /// function in that commit.
    fn back(
        &mut self,
        commits: &[CommitId],
        progress: &mut dyn FnMut(usize, usize),
        cancel: &Cancel,
    ) -> Result<usize> {
        let mut at = 0;
        let mut blob = self.repository.blob_in(commits[0], &self.target.path)?;
        while at + 1 < commits.len() {
            cancel.check()?;
            progress(at, commits.len());
            let before = self
                .repository
                .blob_in(commits[at + 1], &self.target.path)?;
            if before == blob || self.sees(before, &self.target.clone())? {
                blob = before;
                at += 1;
            } else if let Some(origin) = self.origin(commits[at + 1], commits[at])? {
                self.follow(&origin, commits[at]);
                blob = Some(origin.blob);
                at += 1;
            } else if let Some((older, found)) = self.earlier(commits, at, cancel)? {
                blob = Some(found);
                at = older;
            } else if let Some(origin) = self.copied(commits[at + 1])? {
                self.follow_copy(&origin, commits[at]);
                blob = Some(origin.blob);
                at += 1;
            } else {
                break;
            }
        }
        Ok(at)
    }

    /// The finding for a search that ended at the commit with index `first`. Errors when no older commit exists.
    fn finish(
        mut self,
        commits: &[CommitId],
        first: usize,
        cut_short: bool,
    ) -> Result<BaseFinding> {
        let added = commits[first];
        let Some(&commit) = commits.get(first + 1) else {
            let what = if cut_short {
                "the function is older than this clone's history"
            } else {
                "the function has existed since the first commit, so there is no earlier tree"
            };
            return Err(Error::user(what).hint(if cut_short {
                "fetch the rest with 'git fetch --unshallow', or name the base with --base"
            } else {
                "name a base with --base"
            }));
        };
        let about = self.repository.commit(added)?;
        let mut how = if about.parents.len() > 1 {
            format!(
                "'{}' came with the merge {} of {}; the base commit is the merge's first parent",
                self.target.qualname,
                added.short(),
                about.date
            )
        } else {
            format!(
                "'{}' was added in {} of {}; the base commit is the parent of this commit",
                self.target.qualname,
                added.short(),
                about.date
            )
        };
        if cut_short && let Some(oldest) = commits.last() {
            let date = self.repository.commit(*oldest)?.date;
            self.doubts.push(format!(
                "the clone's history ends at {} of {date}, so it is not known whether the function existed before; \
                 'git fetch --unshallow' fetches the rest",
                oldest.short()
            ));
        }
        self.trail.reverse();
        for step in &self.trail {
            how.push_str("; ");
            how.push_str(step);
        }
        Ok(BaseFinding {
            commit,
            added: Some(added),
            origin: Some(self.target),
            how,
            doubts: self.doubts,
        })
    }
}
