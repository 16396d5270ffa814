//! Compares the context of a task at its base commit with the contexts at later versions, up to the newest.

use std::sync::Arc;

use super::WorkerState;
use crate::error::{Cancel, Result};
use crate::tui::alignment::Side;
use crate::tui::message::{Answer, News};
use crate::tui::state::leakage::{Compared, Grounds, Moment, Place, Subject};
use crate::workspace::{ComparedVersion, TaskRef, VersionProgress};

impl WorkerState {
    /// Compares the context at the base commit first with the context at the newest version, and then with the contexts
    /// at the other versions, the base included. Reports the list of versions and each comparison.
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

    /// Looks up the commit for the lines of `place`. For lines on the evolving-ignored side: the commit that added
    /// them. For lines on the evolving-aware side: the commit that removed them after the base commit.
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

/// The moment on the timeline for a version, without results.
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
