//! Finds the commits that caused the differences of a comparison.

use super::compare::Comparison;
use super::listing::{ContextItem, Introduced, Mark};
use crate::error::{Cancel, Result};
use crate::history::{CommitId, LineBlock, Repository, Snapshot};

/// Sets [`ContextItem::introduced`] of each snippet. For a snippet with leaked lines, the value is the commit that
/// added the first block of leaked lines. For a snippet with missing lines, the value is the commit that removed the
/// first block of missing lines. Does nothing if a snapshot is not a commit's tree.
///
/// # Errors
/// The errors of [`Repository::added_by`] and [`Repository::removed_by`], and an error when a found commit cannot be
/// read.
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
    let found = repository.added_by(to, &first_blocks(&newer, Mark::Leaked), cancel)?;
    introduce(repository, newer, found)?;
    let older: Vec<&mut ContextItem> = aware.items.iter_mut().collect();
    let found = repository.removed_by(from, to, &first_blocks(&older, Mark::Missing), cancel)?;
    introduce(repository, older, found)
}

fn first_blocks<'a>(items: &'a [&mut ContextItem], mark: Mark) -> Vec<LineBlock<'a>> {
    let block = |item: &'a &mut ContextItem| LineBlock {
        path: &item.path,
        lines: first_block(item, mark),
    };
    items.iter().map(block).collect()
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

/// The first consecutive lines with this mark in a snippet. Empty if no line has the mark.
fn first_block(item: &ContextItem, mark: Mark) -> Vec<&str> {
    item.lines
        .iter()
        .skip_while(|line| line.mark != mark)
        .take_while(|line| line.mark == mark)
        .map(|line| &*line.text)
        .collect()
}
