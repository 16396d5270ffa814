//! The names of the folders and control groups of sessions.

use crate::environment::ProcessIdentity;

/// The prefix of the names of a session's folder and control groups.
pub(super) const PREFIX: &str = "evoscope-session-";

/// Whether `name` is the name of a folder or control group of a process that has ended.
pub(super) fn is_left_behind(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .and_then(|rest| rest.split_once(':'))
        .and_then(|(_, owner)| owner.parse::<ProcessIdentity>().ok())
        .is_some_and(|owner| owner.has_ended())
}
