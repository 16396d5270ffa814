//! A container that runs the commands of a build.

use std::path::{Path, PathBuf};

use super::build_container::BuildContainer;
use crate::environment::build_context::BuildContext;
use crate::environment::engine::ContainerEngine;
use crate::environment::engine::container_parts::Archive;
use crate::environment::installer::Tool;
use crate::environment::interpreter::Volume;
use crate::environment::machine::{BuildCommand, BuildMachine, CommandEnd};
use crate::environment::project_files::ProjectFiles;
use crate::environment::requirements::Requirements;
use crate::environment::uv::{self, find_tool};
use crate::error::{Error, Result};

/// The folder with the build's input files.
const BUILD: &str = "/evoscope-build";
/// The folder of uv's cache, a volume that all builds share. Volumes are separate file systems, so that uv copies files
/// from it instead of sharing them.
const UV_CACHE: &str = "/opt/evoscope-uv";

/// The program that installs packages in containers. This machine's uv is copied into each container.
#[derive(Clone)]
pub(super) struct ContainerTool {
    on_machine: Tool,
    /// The path of this machine's uv. `None` for pip.
    executable: Option<PathBuf>,
}

impl ContainerTool {
    pub fn find(requirements: &Requirements, context: &mut BuildContext) -> Result<Self> {
        Ok(match find_tool(requirements, context)? {
            Tool::Pip => Self {
                on_machine: Tool::Pip,
                executable: None,
            },
            Tool::Uv(path) => Self {
                on_machine: Tool::Uv(format!("{BUILD}/uv")),
                executable: Some(path.into()),
            },
        })
    }

    pub fn on_machine(&self) -> &Tool {
        &self.on_machine
    }
}

/// A running container. Dropping the value removes the container.
pub(super) struct ContainerMachine {
    container: BuildContainer,
    variables: Vec<String>,
}

impl ContainerMachine {
    /// Starts a container of `image`, with the tool and this machine's certificates. `volume` is mounted for writing.
    pub fn start(
        engine: &ContainerEngine,
        image: &str,
        tool: &ContainerTool,
        volume: Option<&Volume>,
        context: &mut BuildContext,
    ) -> Result<Self> {
        let cache = Volume {
            name: super::volume_name("uv", context.cache).replace("-env-", "-"),
            folder: UV_CACHE.to_owned(),
        };
        let mounted: Vec<&Volume> = volume.into_iter().chain([&cache]).collect();
        let container = BuildContainer::idle(engine, image, &mounted)?;
        let mut archive = Archive::new();
        let folder = Path::new(BUILD.trim_start_matches('/'));
        let certificates = certificates();
        archive.add(folder.join("certificates.pem"), &certificates, false)?;
        if let Some(uv) = &tool.executable {
            let bytes = std::fs::read(uv).map_err(|why| Error::io("read", uv, why))?;
            archive.add(folder.join("uv"), &bytes, true)?;
        }
        container.copy_and_start(archive.finish()?)?;
        let mut variables: Vec<String> = uv::variables()
            .into_iter()
            // Folders of this machine are not in the container.
            .filter(|(name, value)| {
                name != "SSL_CERT_FILE" && (name != uv::FIND_LINKS || value.contains("://"))
            })
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        variables.push(format!("UV_CACHE_DIR={UV_CACHE}"));
        variables.push("UV_LINK_MODE=copy".to_owned());
        if !certificates.is_empty() {
            variables.extend(
                ["SSL_CERT_FILE", "PIP_CERT"]
                    .map(|name| format!("{name}={BUILD}/certificates.pem")),
            );
        }
        Ok(Self {
            container,
            variables,
        })
    }
}

impl BuildMachine for ContainerMachine {
    fn run(&mut self, command: &BuildCommand, context: &mut BuildContext) -> Result<CommandEnd> {
        let folder = command.folder.as_deref().unwrap_or(BUILD);
        self.container
            .exec(&command.words, &self.variables, folder, context)
    }

    fn write(&mut self, name: &str, content: &[u8]) -> Result<()> {
        let mut archive = Archive::new();
        archive.add(
            Path::new(BUILD.trim_start_matches('/')).join(name),
            content,
            false,
        )?;
        self.container.copy(archive.finish()?)
    }

    fn write_project(&mut self, project: &ProjectFiles) -> Result<()> {
        let mut archive = Archive::below(BUILD.trim_start_matches('/'));
        archive.add_project(project)?;
        self.container.copy(archive.finish()?)
    }

    fn folder(&self) -> &str {
        BUILD
    }
}

/// This machine's certificates, so that a container reaches the same index. Empty if there are none.
fn certificates() -> Vec<u8> {
    let named = ["PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"];
    let named = named.iter().find_map(std::env::var_os);
    let path = named.unwrap_or_else(|| "/etc/ssl/certs/ca-certificates.crt".into());
    std::fs::read(path).unwrap_or_default()
}
