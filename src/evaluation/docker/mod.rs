//! The container sandbox: sessions in containers of Docker or Podman.

mod session;

use super::sandbox::{Recipe, Sandbox, SandboxKind, Session};
use crate::environment::{ContainerEngine, EngineKind, Interpreter};
use crate::error::{Cancel, Error, Result};

/// Runs code in containers without a network, with a read-only root and with limits. A session is one container, in
/// which many runs are made.
#[derive(Clone)]
pub struct DockerSandbox {
    engine: ContainerEngine,
}

impl DockerSandbox {
    /// Connects to the engine that `DOCKER_HOST` or the current Docker context names, or else to one of the usual
    /// sockets of Docker and Podman.
    ///
    /// Returns an error of kind sandbox, with a hint, if no engine answers.
    pub fn connect() -> Result<Self> {
        ContainerEngine::connect().map(|engine| Self { engine })
    }

    /// The container engine. Environments are built with it.
    pub fn engine(&self) -> &ContainerEngine {
        &self.engine
    }

    /// Whether the engine has an image with this name or id.
    pub fn has_image(&self, image: &str) -> bool {
        self.engine.has_image(image)
    }
}

impl Sandbox for DockerSandbox {
    fn kind(&self) -> SandboxKind {
        match self.engine.kind() {
            EngineKind::Docker => SandboxKind::Docker,
            EngineKind::Podman => SandboxKind::Podman,
        }
    }

    fn open(&self, recipe: &Recipe, cancel: &Cancel) -> Result<Box<dyn Session>> {
        let Interpreter::Image { image, python, .. } = &recipe.interpreter else {
            return Err(Error::internal("a container needs an image"));
        };
        let image = self.engine.image_id(image, cancel)?;
        session::open(self, &image, python, recipe)
            .map(|session| Box::new(session) as Box<dyn Session>)
    }

    fn remove_stale(&self) -> Result<usize> {
        self.engine.remove_stale()
    }
}

#[cfg(test)]
mod tests {
    use bollard::models::ContainerCreateBody;

    use super::super::sandbox::{HOSTNAME, Limits, Program};
    use super::*;
    use crate::environment::engine::fake::FakeEngine;

    /// The description of a container with default limits.
    fn request() -> ContainerCreateBody {
        let engine = ContainerEngine::fake(&FakeEngine::new([]));
        let sandbox = DockerSandbox { engine };
        let recipe = Recipe {
            interpreter: Interpreter::Image {
                image: "i".to_owned(),
                python: "python3".to_owned(),
                volume: None,
            },
            program: Program {
                arguments: Vec::new(),
                environment: Vec::new(),
            },
            limits: Limits::default(),
        };
        session::container(&sandbox, "i", "python3", &recipe)
    }

    #[test]
    fn a_container_has_no_network_and_resolves_its_own_name() {
        let host = request().host_config.unwrap_or_default();
        assert_eq!(host.network_mode.as_deref(), Some("none"));
        let names = host.extra_hosts.unwrap_or_default();
        assert_eq!(names, [format!("{HOSTNAME}:127.0.0.1")]);
        assert_eq!(host.mounts, Some(Vec::new()));
    }

    #[test]
    fn the_health_check_of_an_image_is_disabled() {
        let body = request();
        let probe = body.healthcheck.and_then(|health| health.test);
        assert_eq!(probe, Some(vec!["NONE".to_owned()]));
    }
}
