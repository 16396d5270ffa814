//! `localhost` in containers for which the engine sets up no network.
//!
//! An engine makes `/etc/hosts` as part of a network, and setting up even the one called `none` takes Docker as long as
//! the rest of a start. So containers are requested without any network; the kernel still gives them a loopback device.
//! The file is in a volume of Evoscope's own, and mounted by its path on the engine's machine.

use std::sync::atomic::{AtomicBool, Ordering};

use bollard::body_full;
use bollard::errors::Error;
use bollard::models::{ContainerCreateBody, HostConfig, Mount, MountType};
use bollard::query_parameters::UploadToContainerOptionsBuilder;
use tokio::sync::OnceCell;

use super::super::sandbox::{ETC_HOSTS, HOSTNAME};
use super::DockerSandbox;
use crate::environment::engine::cleanup;
use crate::environment::engine::container_parts::{Archive, mount};
use crate::environment::{EngineKind, Volume};

/// The volume; another text needs another name.
const VOLUME: &str = "evoscope-hosts-1";
const NAME: &str = "hosts";

/// The file's path on the engine's machine, once it was looked for.
#[derive(Default)]
pub(super) struct EtcHosts {
    path: OnceCell<Option<String>>,
    is_unusable: AtomicBool,
}

/// The file's path on the engine's machine; makes the file if it is missing. `None` if a container has to use the engine's
/// own network `none`: with Podman, which is quick with it, and if the file cannot be made.
pub(super) async fn path(sandbox: &DockerSandbox, image: &str) -> Option<String> {
    if sandbox.engine.kind() != EngineKind::Docker {
        return None;
    }
    let find = async || match sandbox.engine.volume_path(VOLUME).await {
        Some(folder) => Some(format!("{folder}/{NAME}")),
        None => fill(sandbox, image).await.ok(),
    };
    let found = sandbox.hosts.path.get_or_init(find).await.clone();
    found.filter(|_| !sandbox.hosts.is_unusable.load(Ordering::Relaxed))
}

/// Stops the use of the file in this process, after a container was refused with it, and makes the file again for other
/// processes.
pub(super) async fn stop_using(sandbox: &DockerSandbox, image: &str) {
    sandbox.hosts.is_unusable.store(true, Ordering::Relaxed);
    let _ = fill(sandbox, image).await;
}

/// Puts the file into the volume, which may exist, through a container of `image` that is never started.
async fn fill(sandbox: &DockerSandbox, image: &str) -> Result<String, Error> {
    let docker = sandbox.engine.client();
    let path = sandbox.engine.create_volume(VOLUME).await?;
    let volume = Volume {
        name: VOLUME.to_owned(),
        folder: "/evoscope-hosts".to_owned(),
    };
    let body = ContainerCreateBody {
        image: Some(image.to_owned()),
        entrypoint: Some(vec!["true".to_owned()]),
        labels: Some(sandbox.labels()),
        network_disabled: Some(true),
        host_config: Some(HostConfig {
            mounts: Some(vec![mount(&volume, false)]),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    };
    let container = docker.create_container(None, body).await?.id;
    let upload = UploadToContainerOptionsBuilder::default()
        .path(&volume.folder)
        .build();
    let filled = docker
        .upload_to_container(&container, Some(upload), body_full(archive().into()))
        .await;
    cleanup::by_force(docker, &container).await;
    filled.map(|()| format!("{path}/{NAME}"))
}

fn archive() -> Vec<u8> {
    let mut archive = Archive::new();
    let written = archive.add(NAME, ETC_HOSTS.as_bytes(), false);
    // Writing to memory does not fail. An empty archive would make a container be refused, and requested otherwise.
    written.and_then(|()| archive.finish()).unwrap_or_default()
}

/// The entry that the engine's own `/etc/hosts` lacks.
pub(super) fn own_name() -> Vec<String> {
    vec![format!("{HOSTNAME}:127.0.0.1")]
}

/// The mount of the file.
pub(super) fn file_mount(path: &str) -> Mount {
    Mount {
        target: Some("/etc/hosts".to_owned()),
        source: Some(path.to_owned()),
        typ: Some(MountType::BIND),
        read_only: Some(true),
        ..Mount::default()
    }
}
