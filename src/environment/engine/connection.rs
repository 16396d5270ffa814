//! Connects to a container engine.

use std::error::Error as _;
use std::path::Path;
use std::time::Duration;

use bollard::Docker;
use bollard::errors;
use bollard::models::SystemVersion;
use nix::unistd::getuid;

use super::context::Choice;
use crate::error::{Error, Result};

/// The container engine that serves the Docker API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineKind {
    /// Docker.
    Docker,
    /// Podman.
    Podman,
}

/// The kind and the version of the connected engine.
#[derive(Debug)]
pub(super) struct Product {
    pub kind: EngineKind,
    version: String,
}

impl Product {
    pub fn of(answer: &SystemVersion) -> Self {
        let mut components = answer.components.iter().flatten();
        let podman = components.any(|part| part.name.starts_with("Podman"));
        Self {
            kind: if podman {
                EngineKind::Podman
            } else {
                EngineKind::Docker
            },
            version: answer.version.clone().unwrap_or_default(),
        }
    }

    /// The error for a request that the engine refused. `what` is the request, for example `start the container`.
    pub fn refused(&self, what: &str, why: &errors::Error) -> Error {
        let (name, command) = match self.kind {
            EngineKind::Podman => ("Podman", "podman"),
            EngineKind::Docker => ("Docker", "docker"),
        };
        Error::sandbox(format!(
            "cannot {what}: {name} {} says: {}",
            self.version,
            reason(why)
        ))
        .hint(format!(
            "check that it works (`{command} info`) and that its disk is not full"
        ))
    }
}

/// The reason why a request failed: the engine's message, or else the deepest cause of the client's error.
pub(super) fn reason(why: &errors::Error) -> String {
    if let errors::Error::DockerResponseServerError { message, .. } = why {
        return message.trim().to_owned();
    }
    let mut deepest = why.source();
    while let Some(below) = deepest.and_then(|cause| cause.source()) {
        deepest = Some(below);
    }
    deepest.map_or_else(|| why.to_string(), ToString::to_string)
}

pub(super) fn no_engine(why: &str) -> Error {
    Error::sandbox(format!("no container engine answers: {why}")).hint(
        "start Docker or Podman (`systemctl --user start podman.socket`), set DOCKER_HOST or DOCKER_CONTEXT, or use --sandbox local",
    )
}

/// Connects to the engine that the `docker` command uses: see [`Choice`]. If this is the local engine, connects to the
/// first engine that answers at the default sockets of Docker and Podman. Errors when the chosen engine cannot be used,
/// even if another engine answers.
pub(super) async fn connect() -> Result<(Docker, Product)> {
    let choice = Choice::of_process();
    let candidates = match choice.address()? {
        None => candidates(),
        Some((host, place)) => {
            let client = choice.client(&host)?;
            vec![(format!("{host} ({place})"), Ok(client))]
        }
    };
    let mut reasons = Vec::new();
    for (place, candidate) in candidates {
        match answering(candidate).await {
            Ok(found) => return Ok(found),
            Err(why) => reasons.push(format!("{place}: {}", reason(&why))),
        }
    }
    Err(no_engine(&reasons.join("; ")))
}

/// A client for a socket or an address at which an engine may answer.
type Candidate = std::result::Result<Docker, errors::Error>;

/// Asks a candidate for its version. Negotiates no API version, because the client's requests do not contain one.
async fn answering(candidate: Candidate) -> std::result::Result<(Docker, Product), errors::Error> {
    let docker = candidate?.with_timeout(Duration::from_mins(2));
    let answer = docker.version().await?;
    if answer.api_version.is_none() {
        return Err(errors::Error::APIVersionParseError {});
    }
    Ok((docker, Product::of(&answer)))
}

/// (socket, client) of each default socket.
fn candidates() -> Vec<(String, Candidate)> {
    let own =
        std::env::var("XDG_RUNTIME_DIR").unwrap_or_else(|_| format!("/run/user/{}", getuid()));
    let mut found = vec![(
        "/var/run/docker.sock".to_owned(),
        Docker::connect_with_unix_defaults(),
    )];
    let sockets = [
        format!("{own}/podman/podman.sock"),
        "/run/podman/podman.sock".to_owned(),
    ];
    for socket in sockets {
        if Path::new(&socket).exists() {
            let docker = Docker::connect_with_unix(&socket, 120, bollard::API_DEFAULT_VERSION);
            found.push((socket, docker));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use bollard::models::SystemVersionComponents;

    use super::super::fake::{FakeEngine, runtime};
    use super::*;

    #[test]
    fn an_engine_is_asked_for_its_version_once() {
        let served = FakeEngine::new([(200, r#"{"Version":"1","ApiVersion":"1.2"}"#), (200, "OK")]);
        let client = served.client();
        let engine = runtime().block_on(async {
            let (docker, engine) = answering(Ok(client)).await.unwrap();
            docker.ping().await.unwrap();
            engine
        });
        assert_eq!(engine.version, "1");
        assert_eq!(served.asked(), ["GET /version", "GET /_ping"]);
    }

    #[test]
    fn a_server_without_an_api_version_is_no_engine() {
        let served = FakeEngine::new([(200, "{}")]);
        let client = served.client();
        assert!(runtime().block_on(answering(Ok(client))).is_err());
    }

    fn version_of(component: &str) -> SystemVersion {
        SystemVersion {
            version: Some("4.3.1".to_owned()),
            components: Some(vec![SystemVersionComponents {
                name: component.to_owned(),
                version: "4.3.1".to_owned(),
                details: None,
            }]),
            ..SystemVersion::default()
        }
    }

    #[test]
    fn podman_is_recognised_by_its_components() {
        assert_eq!(Product::of(&version_of("Engine")).kind, EngineKind::Docker);
        let podman = Product::of(&version_of("Podman Engine"));
        assert_eq!(podman.kind, EngineKind::Podman);
        let refusal = errors::Error::DockerResponseServerError {
            status_code: 409,
            message: "crun: no\n".to_owned(),
        };
        let error = podman.refused("start the container", &refusal);
        assert_eq!(
            error.to_string(),
            "cannot start the container: Podman 4.3.1 says: crun: no"
        );
    }
}
