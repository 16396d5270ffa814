//! Which container engine answers, and how its refusals are told.

use std::error::Error as _;
use std::path::Path;
use std::time::Duration;

use bollard::Docker;
use bollard::errors;
use bollard::models::SystemVersion;
use nix::unistd::getuid;

use super::super::sandbox::SandboxKind;
use crate::error::{Error, Result};

/// An engine that answers.
#[derive(Debug, Clone)]
pub(in super::super) struct Engine {
    kind: SandboxKind,
    version: String,
}

impl Engine {
    pub(super) fn of(told: &SystemVersion) -> Self {
        let mut components = told.components.iter().flatten();
        let podman = components.any(|part| part.name.starts_with("Podman"));
        Self {
            kind: if podman {
                SandboxKind::Podman
            } else {
                SandboxKind::Docker
            },
            version: told.version.clone().unwrap_or_default(),
        }
    }

    /// Docker or Podman.
    pub(super) fn kind(&self) -> SandboxKind {
        self.kind
    }

    /// What the engine was asked for and did not do, with its own words for why.
    pub(in super::super) fn refused(&self, what: &str, why: &errors::Error) -> Error {
        let (name, command) = match self.kind {
            SandboxKind::Podman => ("Podman", "podman"),
            SandboxKind::Docker | SandboxKind::Local => ("Docker", "docker"),
        };
        Error::sandbox(format!(
            "cannot {what}: {name} {} says: {}",
            self.version,
            reason(why)
        ))
        .hint(format!(
            "see that it works (`{command} info`) and that its disk is not full"
        ))
    }
}

/// The engine's own words, or what stands behind a failed request.
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

/// The error for a machine without a container engine.
pub(super) fn no_engine(why: &str) -> Error {
    Error::sandbox(format!("no container engine answers: {why}")).hint(
        "start Docker or Podman (`systemctl --user start podman.socket`), set DOCKER_HOST, or use --sandbox local",
    )
}

/// Connects to the engine that `DOCKER_HOST` names, else to the first that answers at Docker's or Podman's usual places.
pub(super) async fn reach() -> Result<(Docker, Engine)> {
    let mut reasons = Vec::new();
    for (place, candidate) in candidates() {
        match answering(candidate).await {
            Ok(found) => return Ok(found),
            Err(why) => reasons.push(format!("{place}: {}", reason(&why))),
        }
    }
    Err(no_engine(&reasons.join("; ")))
}

type Candidate = std::result::Result<Docker, errors::Error>;

/// Asks a candidate once what it is. There is no version to agree on: the client names none in its requests, so that
/// every engine answers in its own.
async fn answering(candidate: Candidate) -> std::result::Result<(Docker, Engine), errors::Error> {
    let docker = candidate?.with_timeout(Duration::from_mins(2));
    let told = docker.version().await?;
    if told.api_version.is_none() {
        return Err(errors::Error::APIVersionParseError {});
    }
    Ok((docker, Engine::of(&told)))
}

fn candidates() -> Vec<(String, Candidate)> {
    if let Ok(host) = std::env::var("DOCKER_HOST") {
        return vec![(host, Docker::connect_with_defaults())];
    }
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
    fn an_engine_is_asked_once_and_in_its_own_version() {
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
    fn what_tells_no_version_is_no_engine() {
        let served = FakeEngine::new([(200, "{}")]);
        let client = served.client();
        assert!(runtime().block_on(answering(Ok(client))).is_err());
    }

    fn told(component: &str) -> SystemVersion {
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
    fn podman_is_known_by_what_it_is_made_of_and_speaks_for_itself() {
        assert_eq!(Engine::of(&told("Engine")).kind(), SandboxKind::Docker);
        let podman = Engine::of(&told("Podman Engine"));
        assert_eq!(podman.kind(), SandboxKind::Podman);
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
