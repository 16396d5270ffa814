//! The labels on containers, volumes and images that Evoscope creates.

/// The label of every container. Its value is the [`ProcessIdentity`](crate::environment::ProcessIdentity) of the
/// Evoscope process that started the container.
pub const OWNER_LABEL: &str = "evoscope.owner";
/// The label of every volume. Its value is the version of Evoscope that created the volume.
pub(crate) const VOLUME_LABEL: &str = "evoscope.environment";
/// The label of every image. Its value is the version of the image's layout.
pub(crate) const IMAGE_LABEL: &str = "evoscope.image";
/// The label of every image with the version of Evoscope that made it.
pub(crate) const VERSION_LABEL: &str = "evoscope.version";
/// The label of every image with the identity of the process that made it.
pub(crate) const BUILDER_LABEL: &str = "evoscope.builder";
/// The label of an image with the version of its Python, such as `3.9.18`.
pub(crate) const PYTHON_LABEL: &str = "evoscope.python";
/// The label of an image with the version of its JDK.
pub(crate) const JDK_LABEL: &str = "evoscope.jdk";
