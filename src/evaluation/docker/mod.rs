//! The container sandbox: sessions in containers of Docker or Podman.

mod hosts;
mod session;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinHandle;

use self::hosts::EtcHosts;
use super::sandbox::{Recipe, Sandbox, SandboxKind, Session};
use crate::environment::engine::cleanup;
use crate::environment::{ContainerEngine, EngineKind, Interpreter};
use crate::error::{Cancel, Error, Result};

/// The label of containers that names the run.
pub const RUN_LABEL: &str = "evoscope.run";

/// Containers without network, on a read-only root, under limits, one for each job, reused for many completions.
#[derive(Clone)]
pub struct DockerSandbox {
    engine: ContainerEngine,
    run: String,
    hosts: Arc<EtcHosts>,
    removals: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl DockerSandbox {
    /// Connects to the engine that `DOCKER_HOST` names, else to the usual sockets of Docker and Podman.
    ///
    /// An error of kind sandbox, with a hint, when none answers.
    pub fn connect(run: &str) -> Result<Self> {
        ContainerEngine::connect().map(|engine| Self::new(engine, run))
    }

    fn new(engine: ContainerEngine, run: &str) -> Self {
        Self {
            engine,
            run: run.to_owned(),
            hosts: Arc::default(),
            removals: Arc::default(),
        }
    }

    /// The engine, for building environments.
    pub fn engine(&self) -> &ContainerEngine {
        &self.engine
    }

    /// Whether the image exists.
    pub fn has_image(&self, image: &str) -> bool {
        self.engine.has_image(image)
    }

    /// Removes a container without waiting for it; [`Sandbox::settle`] waits.
    fn remove(&self, id: &str, input: Option<cleanup::Input>) {
        let (docker, id) = (self.engine.client().clone(), id.to_owned());
        // Podman starts a process of its own to remove what has ended.
        let input = input.filter(|_| self.kind() == SandboxKind::Docker);
        let removal = self.engine.runtime().spawn(async move {
            cleanup::remove(&docker, &id, input).await;
        });
        let mut removals = self.removals.lock().unwrap_or_else(PoisonError::into_inner);
        removals.retain(|removal| !removal.is_finished());
        removals.push(removal);
    }

    fn labels(&self) -> HashMap<String, String> {
        let mut labels = ContainerEngine::owner_labels();
        labels.insert(RUN_LABEL.to_owned(), self.run.clone());
        labels
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

    fn wait_for_cleanup(&self) {
        let removals =
            std::mem::take(&mut *self.removals.lock().unwrap_or_else(PoisonError::into_inner));
        self.engine.runtime().block_on(async {
            for removal in removals {
                let _ = removal.await;
            }
        });
    }

    fn remove_stale(&self) -> Result<usize> {
        self.engine.remove_stale()
    }
}

#[cfg(test)]
mod tests {
    use bollard::models::ContainerCreateBody;

    use super::super::sandbox::Limits;
    use super::*;
    use crate::environment::engine::fake::FakeEngine;

    fn on(served: &FakeEngine) -> DockerSandbox {
        DockerSandbox::new(ContainerEngine::fake(served), "")
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
    fn the_hosts_file_is_found_or_made_and_not_used_after_a_refusal() {
        const FOUND: &str = r#"{"Name":"evoscope-hosts-1","Driver":"local","Mountpoint":"/v","Labels":{},"Scope":"local","Options":{}}"#;
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
        let path =
            |sandbox: &DockerSandbox| sandbox.engine.runtime().block_on(hosts::path(sandbox, "i"));

        let served =
            FakeEngine::new([(200, FOUND), filling[0], filling[1], filling[2], filling[3]]);
        let sandbox = on(&served);
        assert_eq!(path(&sandbox).as_deref(), Some("/v/hosts"));
        sandbox
            .engine
            .runtime()
            .block_on(hosts::stop_using(&sandbox, "i"));
        assert_eq!(path(&sandbox), None);
        let told = served.asked();
        assert_eq!(told[0], "GET /volumes/evoscope-hosts-1");
        assert_eq!(
            told[1..]
                .iter()
                .map(|t| t.trim_end_matches('?'))
                .collect::<Vec<_>>(),
            asked
        );

        let served = FakeEngine::new([(404, "{}"), filling[0], filling[1], filling[2], filling[3]]);
        let sandbox = on(&served);
        assert_eq!(path(&sandbox).as_deref(), Some("/w/hosts"));
        assert_eq!(path(&sandbox).as_deref(), Some("/w/hosts"));
        assert_eq!(served.asked().len(), 5);
    }

    #[test]
    fn an_images_own_probe_runs_in_no_container() {
        let body = asked_for(None);
        let probe = body.healthcheck.and_then(|health| health.test);
        assert_eq!(probe, Some(vec!["NONE".to_owned()]));
    }
}
