//! The names of what a session leaves on this machine while it runs.

use crate::environment::ProcessIdentity;

/// What a session's folder and control groups are named after.
pub(super) const PREFIX: &str = "evoscope-session-";

/// Whether that is the name of a folder or control group of a session that has ended.
pub(super) fn is_left_behind(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .and_then(|rest| rest.split_once(':'))
        .and_then(|(_, owner)| owner.parse::<ProcessIdentity>().ok())
        .is_some_and(|owner| owner.has_ended())
}
