//! The container sandbox: Docker, or Podman through the same API, by bollard.

mod engine;
#[cfg(test)]
mod fake;
mod hosts;
mod known;
mod listing;
mod removal;
mod session;

pub(super) use self::engine::Engine;
pub(super) use self::session::{add_project, mount, rlimits};

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bollard::Docker;
use bollard::models::VolumeCreateRequest;
use bollard::query_parameters::{CreateImageOptionsBuilder, RemoveVolumeOptions};
use futures_util::StreamExt;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use self::engine::{no_engine, reach, reason};
use self::known::Known;
use super::owner::Owner;
use super::sandbox::{Interpreter, Recipe, Sandbox, SandboxKind, Session};
use crate::error::{Cancel, Error, Result};

/// The label that every container of Evoscope carries; its value names the owning process.
pub const OWNER_LABEL: &str = "evoscope.owner";
/// The label of volumes that hold an environment, or what is mounted with them; its value is the release that made them.
const ENVIRONMENT_LABEL: &str = "evoscope.environment";
/// The label that names the run.
pub const RUN_LABEL: &str = "evoscope.run";

/// Containers without network, on a read-only root, under limits, one for each job, reused for many completions.
#[derive(Clone)]
pub struct DockerSandbox {
    docker: Docker,
    engine: Arc<Engine>,
    runtime: Arc<Runtime>,
    run: String,
    known: Arc<Known>,
    removals: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl DockerSandbox {
    /// Connects to the engine that `DOCKER_HOST` names, else to Docker's or Podman's usual sockets.
    ///
    /// An error of kind sandbox with what to do when none answers.
    pub fn connect(run: &str) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("evoscope-docker")
            .enable_all()
            .build()
            .map_err(|why| Error::internal(format!("cannot start the container client: {why}")))?;
        let (docker, engine) = runtime.block_on(reach())?;
        Ok(Self {
            docker,
            engine: Arc::new(engine),
            runtime: Arc::new(runtime),
            run: run.to_owned(),
            known: Arc::default(),
            removals: Arc::default(),
        })
    }

    /// The client and the runtime that drives it, for building environments.
    pub(super) fn parts(&self) -> (&Docker, &Runtime) {
        (&self.docker, &self.runtime)
    }

    /// The engine that answered.
    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Whether the image is there.
    pub fn has_image(&self, image: &str) -> bool {
        self.runtime.block_on(self.find_image(image)).is_some()
    }

    /// The id of an image that is there. Found once, it is the same for as long as the sandbox is.
    async fn find_image(&self, image: &str) -> Option<String> {
        if let Some(id) = self.known.image(image) {
            return Some(id);
        }
        let found = self.docker.inspect_image(image).await.ok()?;
        let id = found.id.unwrap_or_else(|| image.to_owned());
        self.known.has_image(image, &id);
        Some(id)
    }

    /// Whether the volume is there.
    pub(super) fn has_volume(&self, name: &str) -> bool {
        self.runtime.block_on(self.place(name)).is_some()
    }

    /// Where a volume lies on the engine's machine, if it is there.
    async fn place(&self, name: &str) -> Option<String> {
        let list = || listing::volumes(&self.docker, ENVIRONMENT_LABEL);
        if let Some(place) = self.known.volume(name, list).await {
            return Some(place);
        }
        // Another process may have made it since.
        let place = self.docker.inspect_volume(name).await.ok()?.mountpoint;
        self.known.has_volume(name, &place);
        Some(place)
    }

    /// Makes a volume, empty, in the place of one that is there.
    pub(super) fn make_volume(&self, name: &str) -> Result<()> {
        self.remove_volume(name);
        let made = self.docker.create_volume(environment_volume(name));
        self.runtime
            .block_on(made)
            .map(|volume| self.known.has_volume(name, &volume.mountpoint))
            .map_err(|why| {
                self.engine
                    .refused(&format!("make the volume {name}"), &why)
            })
    }

    /// Removes a volume, if it is there and no container has it.
    pub(super) fn remove_volume(&self, name: &str) {
        self.known.lost_volume(name);
        let removal = self.docker.remove_volume(name, None::<RemoveVolumeOptions>);
        let _ = self.runtime.block_on(removal);
    }

    /// The id of the image by content, pulling the image when it is not there.
    pub fn image_id(&self, image: &str, cancel: &Cancel) -> Result<String> {
        self.runtime.block_on(async {
            if let Some(id) = self.find_image(image).await {
                return Ok(id);
            }
            self.pull(image, cancel).await?;
            let found = self.find_image(image).await;
            found.ok_or_else(|| no_image(image, "it is not here after it was pulled"))
        })
    }

    async fn pull(&self, image: &str, cancel: &Cancel) -> Result<()> {
        let reference = if image.contains([':', '@']) {
            image.to_owned()
        } else {
            format!("{image}:latest")
        };
        let options = CreateImageOptionsBuilder::default()
            .from_image(&reference)
            .build();
        let mut steps = self.docker.create_image(Some(options), None, None);
        while let Some(step) = steps.next().await {
            cancel.check()?;
            let step = step.map_err(|why| no_image(image, &reason(&why)))?;
            if let Some(why) = step.error_detail.and_then(|detail| detail.message) {
                return Err(no_image(image, &why));
            }
        }
        Ok(())
    }

    /// Removes a container without waiting for it; [`Sandbox::settle`] does.
    fn remove(&self, id: &str, input: Option<removal::Input>) {
        let (docker, id) = (self.docker.clone(), id.to_owned());
        // Podman starts a process of its own to remove what has ended.
        let input = input.filter(|_| self.kind() == SandboxKind::Docker);
        let removal = self.runtime.spawn(async move {
            removal::remove(&docker, &id, input).await;
        });
        let mut removals = self.removals.lock().unwrap_or_else(PoisonError::into_inner);
        removals.retain(|removal| !removal.is_finished());
        removals.push(removal);
    }

    fn labels(&self) -> HashMap<String, String> {
        HashMap::from([
            (OWNER_LABEL.to_owned(), Owner::this_process().to_string()),
            (RUN_LABEL.to_owned(), self.run.clone()),
        ])
    }
}

fn environment_volume(name: &str) -> VolumeCreateRequest {
    VolumeCreateRequest {
        name: Some(name.to_owned()),
        labels: Some(HashMap::from([(
            ENVIRONMENT_LABEL.to_owned(),
            env!("CARGO_PKG_VERSION").to_owned(),
        )])),
        ..VolumeCreateRequest::default()
    }
}

fn no_image(image: &str, why: &str) -> Error {
    Error::sandbox(format!("the image '{image}' is not here and cannot be pulled: {why}")).hint(
        "name an image that is here with --image or `image` in evoscope.toml (it needs Python and pytest), or use --sandbox local",
    )
}

impl Sandbox for DockerSandbox {
    fn kind(&self) -> SandboxKind {
        self.engine.kind()
    }

    fn open(&self, recipe: &Recipe, cancel: &Cancel) -> Result<Box<dyn Session>> {
        let Interpreter::Image { image, python, .. } = &recipe.interpreter else {
            return Err(Error::internal("a container needs an image"));
        };
        let image = self.image_id(image, cancel)?;
        session::open(self, &image, python, recipe)
            .map(|session| Box::new(session) as Box<dyn Session>)
    }

    fn wait_for_cleanup(&self) {
        let removals =
            std::mem::take(&mut *self.removals.lock().unwrap_or_else(PoisonError::into_inner));
        self.runtime.block_on(async {
            for removal in removals {
                let _ = removal.await;
            }
        });
    }

    fn remove_stale(&self) -> Result<usize> {
        self.runtime.block_on(async {
            let found = listing::owned(&self.docker)
                .await
                .map_err(|why| no_engine(&reason(&why)))?;
            let mut removed = 0;
            for container in found {
                if container.owner.is_some_and(|owner| owner.is_dead()) {
                    let gone = removal::by_force(&self.docker, &container.id).await;
                    removed += usize::from(gone);
                }
            }
            Ok(removed)
        })
    }
}

#[cfg(test)]
mod tests {
    use bollard::models::{ContainerCreateBody, SystemVersion};

    use super::super::sandbox::Limits;
    use super::fake::FakeEngine;
    use super::*;

    fn on(served: &FakeEngine) -> DockerSandbox {
        DockerSandbox {
            docker: served.client(),
            engine: Arc::new(Engine::of(&SystemVersion::default())),
            runtime: Arc::new(fake::runtime()),
            run: String::new(),
            known: Arc::default(),
            removals: Arc::default(),
        }
    }

    fn asked_for(hosts: Option<&str>) -> ContainerCreateBody {
        let sandbox = on(&FakeEngine::new([]));
        let recipe = Recipe {
            interpreter: Interpreter::Image {
                image: "i".to_owned(),
                python: "python3".to_owned(),
                volume: None,
            },
            program: crate::evaluation::sandbox::Program {
                arguments: Vec::new(),
                environment: Vec::new(),
            },
            limits: Limits::default(),
        };
        session::container(&sandbox, "i", "python3", &recipe, hosts)
    }

    #[test]
    fn a_container_has_no_network_but_one_that_tells_it_its_names() {
        let told = |body: &ContainerCreateBody| {
            let host = body.host_config.clone().unwrap_or_default();
            let mounts = host.mounts.unwrap_or_default();
            let targets: Vec<String> = mounts.into_iter().filter_map(|m| m.target).collect();
            let own_name = host.extra_hosts.is_some();
            (body.network_disabled, host.network_mode, own_name, targets)
        };
        let none = Some("none".to_owned());
        let with = told(&asked_for(Some("/v/hosts")));
        let file = vec!["/etc/hosts".to_owned()];
        assert_eq!(with, (Some(true), none.clone(), false, file));
        let without = (Some(false), none, true, Vec::new());
        assert_eq!(told(&asked_for(None)), without);
    }

    #[test]
    fn names_are_found_put_in_place_and_forgone() {
        const LISTED: &str = r#"{"Volumes":[{"Name":"evoscope-hosts-1","Driver":"local","Mountpoint":"/v","Labels":{},"Scope":"local","Options":{}}]}"#;
        const MADE: &str = r#"{"Name":"evoscope-hosts-1","Driver":"local","Mountpoint":"/w","Labels":{},"Scope":"local","Options":{}}"#;
        let filling = [
            (201, MADE),
            (201, r#"{"Id":"c","Warnings":[]}"#),
            (200, ""),
            (204, ""),
        ];
        let asked = [
            "POST /volumes/create",
            "POST /containers/create",
            "PUT /containers/c/archive?path=%2Fevoscope-hosts",
            "DELETE /containers/c?v=true&force=true&link=false",
        ];
        let path = |sandbox: &DockerSandbox| sandbox.runtime.block_on(hosts::path(sandbox, "i"));

        let served = FakeEngine::new([
            (200, LISTED),
            filling[0],
            filling[1],
            filling[2],
            filling[3],
        ]);
        let sandbox = on(&served);
        assert_eq!(path(&sandbox).as_deref(), Some("/v/hosts"));
        sandbox.runtime.block_on(hosts::forgo(&sandbox, "i"));
        assert_eq!(path(&sandbox), None);
        let told = served.asked();
        assert!(told[0].starts_with("GET /volumes?filters="));
        assert_eq!(
            told[1..]
                .iter()
                .map(|t| t.trim_end_matches('?'))
                .collect::<Vec<_>>(),
            asked
        );

        let nothing = (200, r#"{"Volumes":[]}"#);
        let served = FakeEngine::new([
            nothing,
            (404, "{}"),
            filling[0],
            filling[1],
            filling[2],
            filling[3],
        ]);
        let sandbox = on(&served);
        assert_eq!(path(&sandbox).as_deref(), Some("/w/hosts"));
        assert_eq!(path(&sandbox).as_deref(), Some("/w/hosts"));
        assert_eq!(served.asked().len(), 6);
    }

    #[test]
    fn an_images_own_probe_runs_in_no_container() {
        let body = asked_for(None);
        let probe = body.healthcheck.and_then(|health| health.test);
        assert_eq!(probe, Some(vec!["NONE".to_owned()]));
    }

    #[test]
    fn an_engine_is_asked_once_for_what_is_there_and_again_for_what_was_not() {
        const VOLUME: &str = r#"{"Name":"b","Driver":"local","Mountpoint":"","Labels":{},"Scope":"local","Options":{}}"#;
        const LISTED: &str = r#"{"Volumes":[{"Name":"a","Driver":"local","Mountpoint":"","Labels":{},"Scope":"local","Options":{}}]}"#;
        let served = FakeEngine::new([
            (404, "{}"),
            (200, r#"{"Id":"sha256:1"}"#),
            (200, LISTED),
            (404, "{}"),
            (200, VOLUME),
            (204, ""),
            (404, "{}"),
        ]);
        let sandbox = on(&served);
        assert!(!sandbox.has_image("i"));
        assert!(sandbox.has_image("i"));
        let id = sandbox.image_id("i", &Cancel::default());
        assert_eq!(id.unwrap(), "sha256:1");
        assert!(sandbox.has_volume("a"));
        assert!(sandbox.has_volume("a") && !sandbox.has_volume("b"));
        assert!(sandbox.has_volume("b"));
        assert!(sandbox.has_volume("b"));
        sandbox.remove_volume("a");
        assert!(!sandbox.has_volume("a"));
        let asked = served.asked();
        let image = "GET /images/i/json";
        assert_eq!(asked[..2], [image, image]);
        assert!(asked[2].starts_with("GET /volumes?filters="));
        let then = [
            "GET /volumes/b",
            "GET /volumes/b",
            "DELETE /volumes/a",
            "GET /volumes/a",
        ];
        assert_eq!(asked[3..], then);
    }
}
