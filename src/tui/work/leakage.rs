//! Compares a task's context at the base commit with the contexts at later versions, up to the newest version.

use std::sync::Arc;

use super::WorkerState;
use crate::error::{Cancel, Result};
use crate::tui::alignment::Side;
use crate::tui::message::{Answer, News};
use crate::tui::state::leakage::{Compared, Grounds, Moment, Place, Subject};
use crate::workspace::{ComparedVersion, TaskRef, VersionProgress};

impl WorkerState {
    /// Compares the context at the base commit with the contexts at all versions: first with the newest version, then
    /// with the others, including the base itself. Reports the list of versions and each comparison.
    pub(super) fn leakage(
        &self,
        subject: Subject,
        cancel: &Cancel,
        report: &(dyn Fn(News) + Sync),
    ) -> Result<Answer> {
        let (mut count, mut done) = (0, 0);
        let mut report = |progress| match progress {
            VersionProgress::Versions(found, versions) => {
                count = versions.len();
                let grounds = Grounds {
                    how: found.how,
                    doubts: found.doubts,
                };
                let moments = versions.into_iter().map(moment).collect();
                report(News::Moments(subject, grounds, moments));
            }
            VersionProgress::Compared(at, comparison) => {
                done += 1;
                report(News::Compared(at, Arc::new(Compared::new(comparison))));
                report(News::Words(format!("compared {done} of {count} versions")));
            }
        };
        let workspace = self.workspace()?;
        workspace.compare_versions(self.contexts(), subject, cancel, &mut report)?;
        Ok(Answer::Leakage)
    }

    /// Looks up the commit that explains the lines of `place`. For evolving-ignored lines, this commit added the lines.
    /// For evolving-aware lines, this commit removed the lines after the base commit.
    pub(super) fn origin(&self, task: TaskRef, place: &Place, cancel: &Cancel) -> Result<Answer> {
        let removed_by = match place.side {
            Side::Ignored => None,
            Side::Aware => Some(place.other.as_str()),
        };
        let commit = self.workspace()?.commit_behind(
            self.contexts(),
            task,
            (&place.path, &place.lines),
            (&place.shown_at, removed_by),
            cancel,
        )?;
        Ok(Answer::Origin(place.clone(), commit.map(Arc::new)))
    }
}

/// Converts a version to a [`Moment`] of the timeline, without results.
fn moment(version: ComparedVersion) -> Moment {
    Moment {
        revision: version.revision,
        name: version.name,
        date: version.date,
        major: version.major,
        compared: None,
        passed: None,
    }
}
