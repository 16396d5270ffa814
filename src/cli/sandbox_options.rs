//! The options `--sandbox` and `--image`. All commands that run completions have them.

use crate::workspace::{SandboxKind, UserSettings};

#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct SandboxOptions {
    /// The sandbox that runs completions. Default: the sandbox of the settings file, or auto.
    #[arg(long, value_enum)]
    sandbox: Option<Choice>,
    /// The container image, instead of the image in `evoscope.toml`.
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Choice {
    /// Docker, or Podman if Docker is not running. Local if neither is available, or if all tasks are in Java and no
    /// image is named.
    Auto,
    /// Docker or Podman containers.
    Docker,
    /// Linux namespaces, without a container engine.
    Local,
}

impl SandboxOptions {
    /// The sandbox that the option or the settings file names. `None` is `auto`.
    pub(crate) fn kind(&self, settings: &UserSettings) -> Option<SandboxKind> {
        match self.sandbox {
            None => settings.sandbox,
            Some(Choice::Auto) => None,
            Some(Choice::Docker) => Some(SandboxKind::Docker),
            Some(Choice::Local) => Some(SandboxKind::Local),
        }
    }

    /// The container image of the option or the settings file. It replaces the image in `evoscope.toml`.
    pub(crate) fn image(&self, settings: &UserSettings) -> Option<String> {
        self.image.clone().or_else(|| settings.image.clone())
    }
}
