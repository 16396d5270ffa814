//! `localhost` in containers for which the engine sets up no network.
//!
//! An engine makes `/etc/hosts` as a part of a network, and setting up even the one called `none` takes Docker as long as
//! the rest of a start. Containers are asked for without any; the kernel gives them a loopback of their own all the same.
//! The file is in a volume of Evoscope's, and mounted by its path on the engine's machine.

use bollard::body_full;
use bollard::errors::Error;
use bollard::models::{ContainerCreateBody, HostConfig, Mount, MountType};
use bollard::query_parameters::UploadToContainerOptionsBuilder;

use super::super::sandbox::{ETC_HOSTS, HOSTNAME, SandboxKind, Volume};
use super::session::mount;
use super::{DockerSandbox, environment_volume, removal};

/// The volume; another text takes another name.
const VOLUME: &str = "evoscope-hosts-1";
const NAME: &str = "hosts";

/// The file's path on the engine's machine, made where it is not there; `None` where a container has to have the engine's
/// own `none`: with Podman, which is quick with it, and where the file cannot be had.
pub(super) async fn path(sandbox: &DockerSandbox, image: &str) -> Option<String> {
    if sandbox.engine.kind() != SandboxKind::Docker {
        return None;
    }
    let find = async || match sandbox.place(VOLUME).await {
        Some(place) => Some(format!("{place}/{NAME}")),
        None => fill(sandbox, image).await.ok(),
    };
    sandbox.known.hosts(find).await
}

/// A container was refused with the file: this process's others go without. Another one finds it in its place again, if
/// that is what was wrong.
pub(super) async fn forgo(sandbox: &DockerSandbox, image: &str) {
    sandbox.known.forgo_hosts();
    let _ = fill(sandbox, image).await;
}

/// Puts the file into the volume, which may be there already, through a container of `image` that is never started.
async fn fill(sandbox: &DockerSandbox, image: &str) -> Result<String, Error> {
    let docker = &sandbox.docker;
    let made = docker.create_volume(environment_volume(VOLUME)).await?;
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
    removal::by_force(docker, &container).await;
    filled.map(|()| format!("{}/{NAME}", made.mountpoint))
}

fn archive() -> Vec<u8> {
    let mut header = super::session::header(ETC_HOSTS.len() as u64, 0o644);
    let mut tar = tar::Builder::new(Vec::new());
    let written = tar.append_data(&mut header, NAME, ETC_HOSTS.as_bytes());
    // An archive in memory refuses nothing; an empty one would make a container that is refused, and asked for otherwise.
    written.and_then(|()| tar.into_inner()).unwrap_or_default()
}

/// What the engine's own `/etc/hosts` lacks of it.
pub(super) fn own_name() -> Vec<String> {
    vec![format!("{HOSTNAME}:127.0.0.1")]
}

/// The file in its place.
pub(super) fn in_place(path: &str) -> Mount {
    Mount {
        target: Some("/etc/hosts".to_owned()),
        source: Some(path.to_owned()),
        typ: Some(MountType::BIND),
        read_only: Some(true),
        ..Mount::default()
    }
}
