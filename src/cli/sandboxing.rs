//! Which sandbox runs completions, for the commands that run them.

use crate::workspace::{SandboxKind, UserSettings};

#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Sandboxing {
    /// Which sandbox runs completions; by default that of the settings file, else auto.
    #[arg(long, value_enum)]
    sandbox: Option<Choice>,
    /// The container image to run in, instead of the one that evoscope.toml names.
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Choice {
    /// Docker or Podman when one answers, else local.
    Auto,
    /// Containers of Docker or Podman.
    Docker,
    /// Linux namespaces, without any service.
    Local,
}

impl Sandboxing {
    /// The sandbox by name; `None` for containers where a service answers, else local.
    pub(crate) fn kind(&self, settings: &UserSettings) -> Option<SandboxKind> {
        match self.sandbox {
            None => settings.sandbox,
            Some(Choice::Auto) => None,
            Some(Choice::Docker) => Some(SandboxKind::Docker),
            Some(Choice::Local) => Some(SandboxKind::Local),
        }
    }

    /// The container image that is to be used instead of the one that evoscope.toml names.
    pub(crate) fn image(&self, settings: &UserSettings) -> Option<String> {
        self.image.clone().or_else(|| settings.image.clone())
    }
}
