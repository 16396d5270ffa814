//! Which sandbox runs completions, for the commands that run them.

use crate::workspace::SandboxKind;

#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Sandboxing {
    /// Which sandbox runs completions.
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    sandbox: Choice,
    /// The container image to run in, instead of the one that evoscope.toml names.
    #[arg(long, value_name = "IMAGE")]
    pub(crate) image: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Choice {
    /// Docker or Podman when one answers, else local.
    #[default]
    Auto,
    /// Containers of Docker or Podman.
    Docker,
    /// Linux namespaces, without any service.
    Local,
}

impl Sandboxing {
    /// The sandbox by name; `None` for containers where a service answers, else local.
    pub(crate) fn kind(&self) -> Option<SandboxKind> {
        match self.sandbox {
            Choice::Auto => None,
            Choice::Docker => Some(SandboxKind::Docker),
            Choice::Local => Some(SandboxKind::Local),
        }
    }
}
