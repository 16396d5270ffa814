//! The names of the folders and control groups of sessions.

use crate::environment::ProcessIdentity;

/// The prefix of the names. A name consists of the prefix, any text, a colon and the identity of the owner process.
pub(super) const PREFIX: &str = "evoscope-session-";

/// Whether `name` is the name of a session's folder or control group, and the owner process has ended.
pub(super) fn is_left_behind(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .and_then(|rest| rest.split_once(':'))
        .and_then(|(_, owner)| owner.parse::<ProcessIdentity>().ok())
        .is_some_and(|owner| owner.has_ended())
}
