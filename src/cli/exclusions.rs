//! Reports which files of a tree retrieval excludes.

use super::output::warn;
use crate::workspace::Exclusions;

/// The maximum number of files to name. Further files are only counted.
const NAMED: usize = 5;

/// Prints the first `NAMED` unreadable files, the number of the others, and the number of links and submodules, to
/// standard error.
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
