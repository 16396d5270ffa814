//! A task's context at every moment from base to newest, beside the base.

use std::sync::Arc;

use super::Desk;
use super::context::{mask, request, snapshot};
use crate::context::Comparison;
use crate::error::{Cancel, Error, Result};
use crate::history::Snapshot;
use crate::tui::message::{Answer, News};
use crate::tui::state::context::{Setting, Tree};
use crate::tui::state::leakage::{Compared, Moment, Subject};
use crate::workspace::{TaskRef, Workspace};

impl Desk {
    /// Compares the base with the newest tree first, then with the versions between, telling of each.
    pub(super) fn leakage(
        &self,
        subject: Subject,
        cancel: &Cancel,
        tell: &(dyn Fn(News) + Sync),
    ) -> Result<Answer> {
        let (task, setting) = subject;
        let workspace = self.workspace()?;
        let base = snapshot(&workspace, task, &Tree::Base, cancel)?;
        let newest = snapshot(&workspace, task, &Tree::Newest, cancel)?;
        let snapshots = [base.clone(), newest];
        let moments = moments(&workspace, task, &snapshots)?;
        let count = moments.len();
        tell(News::Moments(subject, moments));
        for (done, at) in std::iter::once(count - 1).chain(0..count - 1).enumerate() {
            cancel.check()?;
            let comparison =
                self.compared(&workspace, (task, setting), (&base, &snapshots[at]), cancel)?;
            tell(News::Compared(at, Arc::new(Compared::new(comparison))));
            tell(News::Words(format!(
                "compared {} of {count} versions",
                done + 1
            )));
        }
        Ok(Answer::Leakage)
    }

    /// A task's context at two moments, compared.
    pub(super) fn compared(
        &self,
        workspace: &Workspace,
        (task, setting): Subject,
        (base, version): (&Snapshot, &Snapshot),
        cancel: &Cancel,
    ) -> Result<Comparison> {
        if setting != Setting::Retrieved {
            let words = setting.word().replace('_', " ");
            return Err(Error::user(format!(
                "the setting '{words}' is not compared through time"
            )));
        }
        let mut request = request(workspace, task)?;
        request.masks = mask(workspace, task, version)?.into_iter().collect();
        let engine = self.engine(&workspace.task(task).project);
        engine.compare(&request, base, version, &mut |_, _| {}, cancel)
    }
}

/// The moments on the axis: the base, the versions, the newest.
fn moments(workspace: &Workspace, task: TaskRef, snapshots: &[Snapshot]) -> Result<Vec<Moment>> {
    let repository = workspace.repository(task)?;
    let last = snapshots.len() - 1;
    let moment = |(at, snapshot): (usize, &Snapshot)| {
        let commit = repository.as_ref().zip(snapshot.commit());
        let commit = commit
            .map(|(repository, id)| repository.commit(id))
            .transpose()?;
        let name = if at == 0 {
            "base"
        } else if at == last {
            "newest"
        } else {
            snapshot.label()
        };
        Ok(Moment {
            revision: snapshot.revision(),
            name: name.to_owned(),
            date: commit.map(|commit| commit.date),
            major: at == 0 || at == last,
            compared: None,
        })
    };
    snapshots.iter().enumerate().map(moment).collect()
}
