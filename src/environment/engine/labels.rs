//! The labels on containers and volumes that Evoscope creates.

/// The label of every container; its value is the [`ProcessIdentity`](crate::environment::ProcessIdentity) of the owner.
pub const OWNER_LABEL: &str = "evoscope.owner";
/// The label of volumes; its value is the release that created them.
pub(super) const VOLUME_LABEL: &str = "evoscope.environment";
