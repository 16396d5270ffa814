//! Warns about the files that retrieval leaves out.

use super::output::warn;
use crate::workspace::Exclusions;

/// The maximum number of unreadable files to name.
const NAMED: usize = 5;

/// Prints to standard error the first [`NAMED`] unreadable files and the number of further ones. Then prints the
/// numbers of links, submodules and unreadable entries.
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
        warn(format_args!("{what} skipped at {label}: {count}"));
    }
}
