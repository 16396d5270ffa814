//! Finds the origin of a function: the same function in an older commit. The origin may be in another file or class, or
//! have another name. It may also be at the same path, if the function was removed and later added again.

use super::super::changes::Change;
use super::super::id::{BlobId, CommitId};
use super::{FunctionFingerprint, GAP, TargetFunction, Walk};
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Result};

/// The lowest similarity of two bodies at which a function with the target's name counts as the target. A function with
/// the target's qualified name in a removed file always counts as the target.
const SAME_NAME: f64 = 0.4;
/// The lowest similarity of two bodies at which a function with another name counts as the target.
const OTHER_NAME: f64 = 0.6;
/// The lowest similarity of two bodies at which one function counts as a copy of the other.
const COPIED: f64 = 0.8;
/// If two bodies are less similar, the body counts as rewritten. This is reported as a doubt.
const REWRITTEN: f64 = 0.5;
/// A body with fewer lines may be similar to another body by chance. A copied function must have more lines than this.
const DISTINCTIVE: usize = 2;

/// The target as it was in an older commit.
pub(super) struct Origin {
    pub target: TargetFunction,
    pub blob: BlobId,
    pub bodies: Vec<Vec<u64>>,
    /// The similarity of the older body to the target's body, from 0 to 1.
    pub likeness: f64,
    /// The origin with the highest rank is the most probable one.
    rank: f64,
}

impl Walk<'_> {
    /// Finds the function of `older` that most probably became the target. Only functions that are missing from their
    /// file in `newer` are searched.
    pub(super) fn origin(&self, older: CommitId, newer: CommitId) -> Result<Option<Origin>> {
        self.best_origin(older, newer, &|_| Ok(true))
    }

    /// Like [`Self::origin`], but `None` if the origin has another qualified name. Parses only blobs that contain the
    /// name of the function.
    fn namesake(&self, older: CommitId, newer: CommitId) -> Result<Option<Origin>> {
        let name = own_name(&self.target.qualname).as_bytes();
        let names_it = |blob| {
            let source = self.repository.source(blob)?;
            Ok(source.is_some_and(|source| memchr::memmem::find(&source, name).is_some()))
        };
        let found = self.best_origin(older, newer, &names_it)?;
        Ok(found.filter(|origin| origin.target.qualname == self.target.qualname))
    }

    fn best_origin(
        &self,
        older: CommitId,
        newer: CommitId,
        likely: &dyn Fn(BlobId) -> Result<bool>,
    ) -> Result<Option<Origin>> {
        let mut best: Option<Origin> = None;
        for change in self.repository.changes(older, newer, &self.ending)? {
            let Some(old) = change.old else {
                continue;
            };
            if !likely(old)? {
                continue;
            }
            for origin in self.gone(&change, old)? {
                if best.as_ref().is_none_or(|known| origin.rank > known.rank) {
                    best = Some(origin);
                }
            }
        }
        Ok(best)
    }

    /// The functions that a change removed and that may have become the target.
    fn gone(&self, change: &Change, old: BlobId) -> Result<Vec<Origin>> {
        let before = self.functions(old)?;
        let after = match change.new {
            Some(new) => self.functions(new)?,
            None => std::sync::Arc::default(),
        };
        let stays = |found: &FunctionFingerprint| {
            after.iter().any(|later| later.qualname == found.qualname)
        };
        let candidates = before.iter().filter(|found| !stays(found));
        Ok(candidates
            .filter_map(|found| self.match_origin(&change.path, old, change.new.is_none(), found))
            .collect())
    }

    fn match_origin(
        &self,
        path: &RepoPath,
        blob: BlobId,
        removed: bool,
        found: &FunctionFingerprint,
    ) -> Option<Origin> {
        let bodies = self.bodies.iter();
        let likeness = bodies
            .map(|body| likeness(body, &found.body))
            .fold(0.0, f64::max);
        let same_qualname = found.qualname == self.target.qualname;
        let same_name = own_name(&found.qualname) == own_name(&self.target.qualname);
        let (accepted, worth) = if same_qualname {
            (removed || likeness >= SAME_NAME, 1.0)
        } else if same_name {
            (likeness >= SAME_NAME, 0.5)
        } else {
            let distinctive = found.body.len() >= DISTINCTIVE;
            (distinctive && likeness >= OTHER_NAME, 0.0)
        };
        accepted.then(|| Origin {
            target: TargetFunction {
                path: path.clone(),
                qualname: found.qualname.clone(),
            },
            blob,
            bodies: vec![found.body.clone()],
            likeness,
            rank: worth + likeness + if removed { 0.1 } else { 0.0 },
        })
    }

    /// Continues the search with `origin`, the function as it was before `commit`.
    pub(super) fn follow(&mut self, origin: &Origin, commit: CommitId) {
        let (was, is) = (&origin.target, &self.target);
        let short = commit.short();
        if was.path != is.path {
            self.trail
                .push(format!("moved from {} in {short}", was.path));
        }
        if was.qualname != is.qualname {
            self.trail
                .push(format!("was '{}' until {short}", was.qualname));
            if own_name(&was.qualname) != own_name(&is.qualname) {
                self.doubts.push(format!(
                    "assumed to be '{}', renamed in {short}: the two bodies share {:.0} % of their lines",
                    was.qualname,
                    origin.likeness * 100.0
                ));
            }
        }
        if origin.likeness < REWRITTEN {
            self.doubts.push(format!(
                "the body was rewritten in {short}: the two bodies share only {:.0} % of their lines",
                origin.likeness * 100.0
            ));
        }
        self.target = origin.target.clone();
        self.bodies.clone_from(&origin.bodies);
    }

    /// Finds the function before a gap, that is, before commits that do not have it. `at` is the index of the commit
    /// after the gap. The function may be at the same path in any older commit, or in another file in the [`GAP`]
    /// commits before `at`. Returns (index of the older commit, blob with the function), or `None` if none is found.
    pub(super) fn earlier(
        &mut self,
        commits: &[CommitId],
        at: usize,
        cancel: &Cancel,
    ) -> Result<Option<(usize, BlobId)>> {
        let target = self.target.clone();
        let mut last = self.repository.blob_in(commits[at + 1], &target.path)?;
        for older in at + 2..commits.len() {
            cancel.check()?;
            let blob = self.repository.blob_in(commits[older], &target.path)?;
            if blob != last && self.sees(blob, &target)? {
                self.report_gap(commits[older - 1], commits[at]);
                return Ok(blob.map(|blob| (older, blob)));
            }
            last = blob;
            if older - at <= GAP
                && let Some(origin) = self.namesake(commits[older], commits[older - 1])?
                && origin.likeness >= REWRITTEN
            {
                self.report_gap(commits[older - 1], commits[at]);
                self.follow(&origin, commits[older - 1]);
                return Ok(Some((older, origin.blob)));
            }
        }
        Ok(None)
    }

    /// Finds the function from which the target was probably copied. It is in the commit `older`, in another file of
    /// the target's folder, and has the same qualified name.
    pub(super) fn copied(&self, older: CommitId) -> Result<Option<Origin>> {
        let target = &self.target;
        let name = own_name(&target.qualname).as_bytes();
        let mut best: Option<Origin> = None;
        for (path, blob) in self
            .repository
            .in_same_folder(older, &target.path, &self.ending)?
        {
            let Some(bytes) = self.repository.source(blob)? else {
                continue;
            };
            if memchr::memmem::find(&bytes, name).is_none() {
                continue;
            }
            for found in (self.sightings)(blob, &bytes).iter() {
                let origin = self.match_origin(&path, blob, false, found);
                if let Some(origin) = origin
                    && origin.target.qualname == target.qualname
                    && origin.bodies[0].len() > DISTINCTIVE
                    && origin.likeness >= COPIED
                    && best.as_ref().is_none_or(|known| origin.rank > known.rank)
                {
                    best = Some(origin);
                }
            }
        }
        Ok(best)
    }

    /// Continues the search in the file that the function was copied from.
    pub(super) fn follow_copy(&mut self, origin: &Origin, commit: CommitId) {
        self.doubts.push(format!(
            "{} had the function before {}, which copied it to {}",
            origin.target.path,
            commit.short(),
            self.target.path
        ));
        self.target = origin.target.clone();
        self.bodies.clone_from(&origin.bodies);
    }

    fn report_gap(&mut self, gone: CommitId, back: CommitId) {
        self.doubts.push(format!(
            "the function was gone from {} until it came back in {}",
            gone.short(),
            back.short()
        ));
    }
}

/// The last component of a qualified name.
fn own_name(qualname: &str) -> &str {
    qualname.rsplit('.').next().unwrap_or(qualname)
}

/// The share of lines that two bodies have in common: the Jaccard similarity of the multisets of their lines. 0 if both
/// bodies are empty.
fn likeness(one: &[u64], other: &[u64]) -> f64 {
    let (mut a, mut b) = (one.to_vec(), other.to_vec());
    a.sort_unstable();
    b.sort_unstable();
    let (mut left, mut right, mut common) = (0, 0, 0_u32);
    while left < a.len() && right < b.len() {
        match a[left].cmp(&b[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                left += 1;
                right += 1;
            }
        }
    }
    let all = u32::try_from(a.len() + b.len()).unwrap_or(u32::MAX) - common;
    if all == 0 {
        0.0
    } else {
        f64::from(common) / f64::from(all)
    }
}
