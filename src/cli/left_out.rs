//! What a tree has and retrieval cannot show, said on standard error.

use crate::context::{Engine, Pool};
use crate::error::{Cancel, Result};
use crate::history::Snapshot;

/// Files named one by one; more are counted.
const NAMED: usize = 5;

/// Says which files of the pool cannot be read at that moment, and how many links and submodules are passed over.
pub(super) fn say(engine: &Engine, pool: Pool, snapshot: &Snapshot) -> Result<()> {
    let tree = engine.tree(pool, snapshot, &mut |_, _| {}, &Cancel::default())?;
    let label = snapshot.label();
    for file in tree.unread().iter().take(NAMED) {
        eprintln!(
            "evoscope: {} is left out at {label}: {}",
            file.path, file.reason
        );
    }
    let more = tree.unread().len().saturating_sub(NAMED);
    if more > 0 {
        eprintln!("evoscope: {more} more files are left out at {label}");
    }
    let skipped = snapshot.skipped();
    let passed = [
        (skipped.symlinks, "symbolic links"),
        (skipped.submodules, "submodules"),
        (skipped.other, "unreadable entries"),
    ];
    for (count, what) in passed {
        if count > 0 {
            eprintln!("evoscope: {what} passed over at {label}: {count}");
        }
    }
    Ok(())
}
