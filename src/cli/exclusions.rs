//! What a tree has and retrieval cannot show, reported on standard error.

use crate::workspace::Exclusions;

/// Files named one by one; more are counted.
const NAMED: usize = 5;

/// Prints which files cannot be read in a tree, and how many links and submodules are left out.
pub(super) fn print(exclusions: &Exclusions) {
    let label = &exclusions.label;
    for (path, reason) in exclusions.unread.iter().take(NAMED) {
        eprintln!("evoscope: {path} is left out at {label}: {reason}");
    }
    let more = exclusions.unread.len().saturating_sub(NAMED);
    if more > 0 {
        eprintln!("evoscope: {more} more files are left out at {label}");
    }
    for (what, count) in &exclusions.skipped {
        eprintln!("evoscope: {what} passed over at {label}: {count}");
    }
}
