//! Which sandbox runs completions, for the commands that run them.

use crate::error::Result;
use crate::evaluation::SandboxKind;
use crate::workspace::Engine;

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
    /// The sandbox by name; `None` is left to what is at hand.
    pub(crate) fn kind(&self) -> Option<SandboxKind> {
        match self.sandbox {
            Choice::Auto => None,
            Choice::Docker => Some(SandboxKind::Docker),
            Choice::Local => Some(SandboxKind::Local),
        }
    }

    /// What runs things. An error where containers are asked for and no service answers.
    pub(crate) fn engine(&self, run: &str) -> Result<Engine> {
        match self.kind() {
            Some(SandboxKind::Docker | SandboxKind::Podman) => Engine::docker(run),
            Some(SandboxKind::Local) => Ok(Engine::local()),
            None => Ok(Engine::any(run).0),
        }
    }
}
