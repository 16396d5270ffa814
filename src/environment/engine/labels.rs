//! The labels on containers and volumes that Evoscope creates.

/// The label of every container. Its value is the [`ProcessIdentity`](crate::environment::ProcessIdentity) of the
/// Evoscope process that started the container.
pub const OWNER_LABEL: &str = "evoscope.owner";
/// The label of every volume. Its value is the version of Evoscope that created the volume.
pub(super) const VOLUME_LABEL: &str = "evoscope.environment";
