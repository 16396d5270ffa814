//! Finds the engine that the `docker` command uses: `DOCKER_HOST`, then the context in `DOCKER_CONTEXT`, then the current
//! context of Docker's configuration. An empty variable counts as unset.

use std::path::{Path, PathBuf};

use bollard::Docker;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::environment::build_context::hex;
use crate::error::{Error, Result};
use crate::files::{parse_json, read};

/// The largest file of Docker's configuration that is read, in bytes.
const LARGEST: u64 = 16 << 20;
/// The time limit for an answer of the engine, in seconds.
const TIMEOUT: u64 = 120;
/// The name of the context without metadata: the local engine.
const DEFAULT: &str = "default";

/// The variables and the folder that choose the engine.
pub(super) struct Choice {
    /// `DOCKER_HOST`.
    pub host: Option<String>,
    /// `DOCKER_CONTEXT`.
    pub context: Option<String>,
    /// The folder of Docker's configuration: `DOCKER_CONFIG`, or else `.docker` in the home folder.
    pub config: Option<PathBuf>,
    /// Whether `DOCKER_TLS_VERIFY` asks for TLS.
    pub tls: bool,
}

#[derive(Deserialize)]
struct Config {
    #[serde(rename = "currentContext")]
    current: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(rename = "Endpoints")]
    endpoints: Endpoints,
}

#[derive(Deserialize)]
struct Endpoints {
    docker: Option<DockerEndpoint>,
}

#[derive(Deserialize)]
struct DockerEndpoint {
    #[serde(rename = "Host")]
    host: Option<String>,
}

impl Choice {
    /// The choice of this process.
    pub fn of_process() -> Self {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let path = |name| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        Self {
            host: variable("DOCKER_HOST"),
            context: variable("DOCKER_CONTEXT"),
            config: path("DOCKER_CONFIG").or_else(|| Some(path("HOME")?.join(".docker"))),
            tls: variable("DOCKER_TLS_VERIFY").is_some(),
        }
    }

    /// (address of the chosen engine, where it is named). `None` for the local engine. Errors when the chosen context
    /// does not exist, or when its files cannot be read.
    pub fn address(&self) -> Result<Option<(String, String)>> {
        if let Some(host) = &self.host {
            return Ok(Some((host.clone(), "DOCKER_HOST".to_owned())));
        }
        let named = self
            .context
            .clone()
            .map_or_else(|| self.current(), |name| Ok(Some(name)))?;
        let Some(name) = named.filter(|name| name != DEFAULT) else {
            return Ok(None);
        };
        let host = self.host_of(&name)?;
        Ok(Some((host, format!("the Docker context '{name}'"))))
    }

    /// The current context in `config.json`. `None` if it names none, or does not exist.
    fn current(&self) -> Result<Option<String>> {
        let path = self
            .config
            .as_ref()
            .map(|folder| folder.join("config.json"));
        let Some(path) = path.filter(|path| path.exists()) else {
            return Ok(None);
        };
        let config: Config = parsed(&path)?;
        Ok(config.current.filter(|name| !name.is_empty()))
    }

    fn host_of(&self, name: &str) -> Result<String> {
        let folder = self.config.as_deref().unwrap_or(Path::new("."));
        let id = hex(&Sha256::digest(name));
        let path = folder.join("contexts/meta").join(&id).join("meta.json");
        if !path.exists() {
            let what = format!("the Docker context '{name}' does not exist");
            return Err(Error::sandbox(what)
                .at(folder)
                .hint("`docker context ls` lists the contexts; choose one with `docker context use` or DOCKER_CONTEXT"));
        }
        let metadata: Metadata = parsed(&path)?;
        let tls = folder.join("contexts/tls").join(&id).join("docker");
        let host = metadata.endpoints.docker.and_then(|docker| docker.host);
        let host = host.filter(|host| !host.is_empty()).ok_or_else(|| {
            Error::sandbox(format!("the Docker context '{name}' names no address")).at(&path)
        })?;
        if tls.is_dir() && !host.starts_with("unix://") {
            return Err(without_tls(&host));
        }
        Ok(host)
    }

    /// A client for the engine at `host`. Errors for an address that Evoscope cannot use.
    pub fn client(&self, host: &str) -> Result<Docker> {
        let client = match host.split_once("://") {
            Some(("unix", _)) => {
                Docker::connect_with_unix(host, TIMEOUT, bollard::API_DEFAULT_VERSION)
            }
            Some(("tcp" | "http", _)) if !self.tls => {
                Docker::connect_with_http(host, TIMEOUT, bollard::API_DEFAULT_VERSION)
            }
            Some(("tcp" | "http" | "https", _)) => return Err(without_tls(host)),
            Some(("ssh", place)) => {
                return Err(unusable(host, "uses SSH").hint(format!(
                    "forward the socket: ssh -nNT -L /tmp/docker.sock:/var/run/docker.sock {place}, and set \
                     DOCKER_HOST=unix:///tmp/docker.sock"
                )));
            }
            _ => {
                return Err(unusable(host, "has an unknown form").hint(
                    "give an address such as unix:///var/run/docker.sock or tcp://HOST:PORT",
                ));
            }
        };
        client.map_err(|why| {
            unusable(host, &format!("cannot be used: {why}")).hint(
                "start the engine, or choose another one with DOCKER_HOST or `docker context use`",
            )
        })
    }
}

fn parsed<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = read(path, LARGEST).map_err(|why| Error::sandbox(why.what()).at(path))?;
    parse_json(&bytes).map_err(|why| {
        Error::sandbox(format!("Docker's configuration cannot be read: {why}"))
            .at(path)
            .hint("repair the file, or set DOCKER_HOST")
    })
}

/// The error for the address `host`. `why` continues the sentence.
fn unusable(host: &str, why: &str) -> Error {
    Error::sandbox(format!(
        "the address '{host}' of the container engine {why}"
    ))
}

fn without_tls(host: &str) -> Error {
    unusable(host, "uses TLS, which Evoscope does not support").hint(
        "forward the engine's socket with ssh -L, and set DOCKER_HOST to the forwarded socket, or use --sandbox local",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(folder: &Path, host: Option<&str>, context: Option<&str>) -> Choice {
        Choice {
            host: host.map(str::to_owned),
            context: context.map(str::to_owned),
            config: Some(folder.to_owned()),
            tls: false,
        }
    }

    fn add_context(folder: &Path, name: &str, host: &str) {
        let id = hex(&Sha256::digest(name));
        let meta = folder.join("contexts/meta").join(id);
        std::fs::create_dir_all(&meta).unwrap();
        let text = format!(
            r#"{{"Name":"{name}","Metadata":{{}},"Endpoints":{{"docker":{{"Host":"{host}"}}}}}}"#
        );
        std::fs::write(meta.join("meta.json"), text).unwrap();
    }

    #[test]
    fn the_engine_is_chosen_as_the_docker_command_chooses_it() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path();
        let address = |host, context| {
            let chosen = choice(config, host, context).address();
            chosen.map(|chosen| chosen.map(|(address, _)| address))
        };
        assert_eq!(address(None, None).unwrap(), None);
        add_context(config, "other", "unix:///other.sock");
        add_context(config, "third", "ssh://me@host");
        std::fs::write(
            config.join("config.json"),
            r#"{"auths": {}, "currentContext": "other"}"#,
        )
        .unwrap();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(address(None, None).unwrap(), some("unix:///other.sock"));
        assert_eq!(address(None, Some("third")).unwrap(), some("ssh://me@host"));
        assert_eq!(address(None, Some("default")).unwrap(), None);
        let host = Some("unix:///host.sock");
        assert_eq!(
            address(host, Some("third")).unwrap(),
            some("unix:///host.sock")
        );
        let why = address(None, Some("missing")).unwrap_err();
        assert!(why.what().contains("'missing' does not exist"), "{why}");
        std::fs::write(config.join("config.json"), "{").unwrap();
        let why = address(None, None).unwrap_err().to_string();
        assert!(why.contains("config.json"), "{why}");
    }

    #[test]
    fn an_address_that_cannot_be_used_is_refused_with_a_reason() {
        let chosen = choice(Path::new("."), None, None);
        for (host, reason) in [
            ("ssh://me@host", "uses SSH"),
            ("https://host:2376", "uses TLS"),
            ("fd://", "unknown form"),
            ("host", "unknown form"),
        ] {
            let why = chosen.client(host).err().unwrap();
            assert!(
                why.what().contains(reason) && why.advice().is_some(),
                "{why}"
            );
        }
        assert!(chosen.client("tcp://127.0.0.1:1").is_ok());
        let secure = Choice {
            tls: true,
            ..chosen
        };
        assert!(secure.client("tcp://127.0.0.1:1").is_err());
    }
}
