//! A task's context at every moment from base to newest, beside the base.

use std::sync::Arc;

use super::Desk;
use super::context::retrieval;
use crate::context::{Comparison, Wanted};
use crate::error::{Cancel, Error, Result};
use crate::history::{Release, Run, Snapshot, Spacing};
use crate::tui::aligned::Side;
use crate::tui::message::{Answer, News};
use crate::tui::state::context::Tree;
use crate::tui::state::leakage::{Compared, Grounds, Moment, Place, Subject};
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
        let (base, grounds) = self.base(&workspace, task, cancel)?;
        let newest = workspace.newest(task, cancel)?;
        let (moments, snapshots) = moments(&workspace, task, &base, newest, cancel)?;
        let count = moments.len();
        tell(News::Moments(subject, grounds, moments));
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

    /// The commit that brought a run to the version that shows it, or that took it after the base.
    pub(super) fn origin(&self, task: TaskRef, place: &Place, cancel: &Cancel) -> Result<Answer> {
        let workspace = self.workspace()?;
        let repository = workspace.repository(task)?;
        let shown = self.snapshot(
            &workspace,
            task,
            &Tree::Named(place.shown_at.clone()),
            cancel,
        )?;
        let (Some(repository), Some(at)) = (repository, shown.commit()) else {
            return Ok(Answer::Origin(place.clone(), None));
        };
        let run = Run {
            path: &place.path,
            lines: place.lines.iter().map(String::as_str).collect(),
        };
        let runs = std::slice::from_ref(&run);
        let found = match place.side {
            Side::Ignored => repository.brought(at, runs, cancel)?,
            Side::Aware => {
                let newest = repository.resolve(&place.beside)?;
                repository.taken(at, newest, runs, cancel)?
            }
        };
        let found = found.first().copied().flatten();
        let commit = found.map(|id| repository.commit(id)).transpose()?;
        Ok(Answer::Origin(place.clone(), commit.map(Arc::new)))
    }

    /// The tree at the base commit, and how it was found.
    pub(super) fn base(
        &self,
        workspace: &Workspace,
        task: TaskRef,
        cancel: &Cancel,
    ) -> Result<(Snapshot, Grounds)> {
        let about = workspace.task(task);
        let Some(repository) = workspace.repository(task)? else {
            return Err(
                Error::data(format!("no repository for '{}'", about.project))
                    .hint("name it in evoscope.toml, so that its past can be read"),
            );
        };
        let given = workspace.detail(task)?.base_commit;
        let newest = workspace.newest(task, cancel)?;
        let engine = self.engine(&about.project);
        let found = engine.base(about, given.as_deref(), &newest, &mut |_, _| {}, cancel)?;
        let snapshot = repository.snapshot_of(found.commit)?;
        let grounds = Grounds {
            how: found.how,
            doubts: found.doubts,
        };
        Ok((snapshot, grounds))
    }

    /// A task's context at two moments, compared.
    pub(super) fn compared(
        &self,
        workspace: &Workspace,
        (task, setting): Subject,
        (base, version): (&Snapshot, &Snapshot),
        cancel: &Cancel,
    ) -> Result<Comparison> {
        let about = workspace.task(task);
        let engine = self.engine(&about.project);
        let located = engine.locate(about, version)?;
        let masks = located.map(|located| located.masks).unwrap_or_default();
        let wanted = Wanted {
            setting,
            target: &workspace.target(task)?,
            retrieval: retrieval(about.language),
            masks: &masks,
        };
        engine.compare_setting(&wanted, None, (base, version), &mut |_, _| {}, cancel)
    }
}

/// Versions without release tags between base and newest: so many commits, evenly spaced.
const SPACED: usize = 12;

/// The moments on the axis with their trees: the base, the versions, the newest. A plain folder has no versions.
fn moments(
    workspace: &Workspace,
    task: TaskRef,
    base: &Snapshot,
    newest: Snapshot,
    cancel: &Cancel,
) -> Result<(Vec<Moment>, Vec<Snapshot>)> {
    let repository = workspace.repository(task)?;
    let ends = base.commit().zip(newest.commit());
    let (Some(repository), Some((from, to))) = (repository, ends) else {
        let moments = vec![plain("base", base), plain("newest", &newest)];
        return Ok((moments, vec![base.clone(), newest]));
    };
    let mut versions = repository.versions(from, to, Spacing::Tags, cancel)?;
    if versions.len() < 3 {
        versions = repository.versions(from, to, Spacing::Even(SPACED), cancel)?;
    }
    let mut moments = vec![Moment {
        date: Some(repository.commit(from)?.date),
        ..plain("base", base)
    }];
    let mut snapshots = vec![base.clone()];
    let mut major = None;
    for version in versions {
        let snapshot = repository.snapshot_of(version.commit)?;
        let release = version.tag.as_deref().and_then(Release::of_tag);
        let name = match &version.tag {
            _ if version.commit == to => "newest".to_owned(),
            Some(tag) => tag.clone(),
            None => version.commit.short(),
        };
        let of = release.map(|release| release.major);
        moments.push(Moment {
            date: Some(version.date),
            major: of.is_some() && of != major,
            ..plain(&name, &snapshot)
        });
        major = of.or(major);
        snapshots.push(snapshot);
    }
    Ok((moments, snapshots))
}

fn plain(name: &str, snapshot: &Snapshot) -> Moment {
    Moment {
        revision: snapshot.revision(),
        name: name.to_owned(),
        date: None,
        major: true,
        compared: None,
        passed: None,
    }
}
