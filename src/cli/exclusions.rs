//! What a tree has and retrieval cannot show, reported on standard error.

use super::output::warn;
use crate::workspace::Exclusions;

/// Files named one by one; more are counted.
const NAMED: usize = 5;

/// Prints which files cannot be read in a tree, and how many links and submodules are left out.
pub(super) fn print(exclusions: &Exclusions) {
    let label = &exclusions.label;
    for (path, reason) in exclusions.unread.iter().take(NAMED) {
        warn(format_args!("{path} is left out at {label}: {reason}"));
    }
    let more = exclusions.unread.len().saturating_sub(NAMED);
    if more > 0 {
        warn(format_args!("{more} more files are left out at {label}"));
    }
    for (what, count) in &exclusions.skipped {
        warn(format_args!("{what} passed over at {label}: {count}"));
    }
}
