//! Where the differences of a comparison come from.

use super::compare::Comparison;
use super::listing::{ContextItem, Introduced, Mark};
use crate::error::{Cancel, Result};
use crate::history::{CommitId, Repository, Run, Snapshot};

/// Names the commit that added each leaked snippet's first leaked run, and the one that removed each missing one's, in
/// [`ContextItem::introduced`]. A plain folder has none.
///
/// # Errors
/// As [`Repository::added_by`] and [`Repository::taken`].
pub fn trace(
    repository: &Repository,
    comparison: &mut Comparison,
    (base, newest): (&Snapshot, &Snapshot),
    cancel: &Cancel,
) -> Result<()> {
    let (Some(from), Some(to)) = (base.commit(), newest.commit()) else {
        return Ok(());
    };
    let Comparison {
        aware,
        ignored,
        ignored_masked,
        ..
    } = comparison;
    let newer: Vec<&mut ContextItem> = ignored
        .items
        .iter_mut()
        .chain(&mut ignored_masked.items)
        .collect();
    let found = repository.added_by(to, &first_runs(&newer, Mark::Leaked), cancel)?;
    introduce(repository, newer, found)?;
    let older: Vec<&mut ContextItem> = aware.items.iter_mut().collect();
    let found = repository.taken(from, to, &first_runs(&older, Mark::Missing), cancel)?;
    introduce(repository, older, found)
}

fn first_runs<'a>(items: &'a [&mut ContextItem], mark: Mark) -> Vec<Run<'a>> {
    let run = |item: &'a &mut ContextItem| Run {
        path: &item.path,
        lines: first_run(item, mark),
    };
    items.iter().map(run).collect()
}

fn introduce(
    repository: &Repository,
    items: Vec<&mut ContextItem>,
    found: Vec<Option<CommitId>>,
) -> Result<()> {
    for (item, id) in items.into_iter().zip(found) {
        let commit = id.map(|id| repository.commit(id)).transpose()?;
        item.introduced = commit.map(|commit| Introduced {
            commit: commit.id,
            date: commit.date,
            author: commit.author,
        });
    }
    Ok(())
}

/// The first run of lines with that mark.
fn first_run(item: &ContextItem, mark: Mark) -> Vec<&str> {
    item.lines
        .iter()
        .skip_while(|line| line.mark != mark)
        .take_while(|line| line.mark == mark)
        .map(|line| &*line.text)
        .collect()
}
