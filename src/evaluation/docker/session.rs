//! A session in Docker or Podman: one container in which the runner executes completions. The runner is the program of
//! the recipe.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use bollard::container::{AttachContainerResults, LogOutput};
use bollard::errors;
use bollard::models::{ContainerCreateBody, HealthConfig, HostConfig, HostConfigLogConfig, Mount};
use bollard::query_parameters::CreateContainerOptionsBuilder;
use futures_util::StreamExt;
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::super::sandbox::{
    HOSTNAME, Loss, Recipe, Sandbox, SandboxKind, Session, StderrTail, next_output,
};
use super::DockerSandbox;
use crate::environment::engine::cleanup;
use crate::environment::engine::container_parts::{mount, rlimits};
use crate::environment::engine::containers;
use crate::environment::{ContainerEngine, Interpreter};
use crate::error::{Error, Result};

const SCRATCH: [&str; 4] = ["/work", "/tmp", "/dev/shm", "/dev/mqueue"];
/// The mount options of `/run` and `/var/tmp`. Without these mounts, Podman makes the folders writable without a size
/// limit, although the root is read-only.
const CLOSED: &str = "ro,nosuid,nodev,noexec,size=16m";
/// The maximum number of processes of the runner itself, in addition to the processes of a run.
const RUNNER_PROCESSES: i64 = 9;
/// The maximum memory of the runner itself in bytes, in addition to the memory of a run.
const RUNNER_MEMORY: i64 = 256 << 20;

pub(super) struct ContainerSession {
    sandbox: DockerSandbox,
    id: String,
    input: Pin<Box<dyn AsyncWrite + Send>>,
    output: Receiver<Vec<u8>>,
    stderr: StderrTail,
}

/// Starts a container in which the interpreter `python` runs the recipe's program.
pub(super) fn open(
    sandbox: &DockerSandbox,
    image: &str,
    python: &str,
    recipe: &Recipe,
) -> Result<ContainerSession> {
    let body = container(sandbox, image, python, recipe);
    sandbox.engine.runtime().block_on(start(sandbox, body))
}

/// Creates a container and starts it. If the start fails, removes the container.
async fn start(sandbox: &DockerSandbox, body: ContainerCreateBody) -> Result<ContainerSession> {
    let docker = sandbox.engine.client();
    let options = CreateContainerOptionsBuilder::default()
        .name(&format!("evoscope-{:016x}", rand::random::<u64>()))
        .build();
    let created = docker
        .create_container(Some(options), body)
        .await
        .map_err(|why| sandbox.engine.refused("create the container", &why))?;
    match sandbox.engine.attach_and_start(&created.id, true).await {
        Ok(attached) => Ok(session(sandbox, created.id, attached)),
        Err(why) => {
            cleanup::remove(docker, &created.id).await;
            Err(why)
        }
    }
}

fn session(
    sandbox: &DockerSandbox,
    id: String,
    attached: AttachContainerResults,
) -> ContainerSession {
    let (sender, output) = channel();
    let stderr = StderrTail::default();
    tokio::spawn(pump(attached.output, sender, stderr.clone()));
    ContainerSession {
        sandbox: sandbox.clone(),
        id,
        input: attached.input,
        output,
        stderr,
    }
}

/// The description of the container, for the engine.
pub(super) fn container(
    sandbox: &DockerSandbox,
    image: &str,
    python: &str,
    recipe: &Recipe,
) -> ContainerCreateBody {
    let mut command = vec![python.to_owned()];
    command.extend(recipe.program.arguments.iter().cloned());
    let user = 20_000 + rand::random::<u32>() % 40_000;
    ContainerCreateBody {
        image: Some(image.to_owned()),
        entrypoint: Some(command),
        cmd: Some(Vec::new()),
        user: Some(format!("{user}:{user}")),
        env: Some(
            recipe
                .program
                .environment
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect(),
        ),
        working_dir: Some("/".to_owned()),
        hostname: Some(HOSTNAME.to_owned()),
        labels: Some(ContainerEngine::owner_labels()),
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        open_stdin: Some(true),
        stdin_once: Some(true),
        tty: Some(false),
        // Disables the image's health check: completions could see its processes.
        healthcheck: Some(HealthConfig {
            test: Some(vec!["NONE".to_owned()]),
            ..HealthConfig::default()
        }),
        host_config: Some(host(recipe, sandbox.kind())),
        ..ContainerCreateBody::default()
    }
}

/// The container's isolation and limits.
///
/// The runner is the container's init process. It adopts orphaned processes, and no other process can signal it, trace
/// it or open its files. The engine's own init process is not used: it has the runner's pipes open, and has the same
/// user as the completions. So each completion could read and write the pipes.
fn host(recipe: &Recipe, engine: SandboxKind) -> HostConfig {
    let limits = &recipe.limits;
    let memory = signed(limits.memory) + RUNNER_MEMORY;
    HostConfig {
        network_mode: Some("none".to_owned()),
        // Podman adds this entry itself.
        extra_hosts: (engine == SandboxKind::Docker).then(|| vec![format!("{HOSTNAME}:127.0.0.1")]),
        readonly_rootfs: Some(true),
        tmpfs: Some(HashMap::from([
            ("/work".to_owned(), scratch(limits.disk)),
            ("/tmp".to_owned(), scratch(limits.disk)),
            ("/run".to_owned(), CLOSED.to_owned()),
            ("/var/tmp".to_owned(), CLOSED.to_owned()),
        ])),
        shm_size: Some(signed(limits.disk.min(64 << 20))),
        mounts: Some(mounts(&recipe.interpreter)),
        memory: Some(memory),
        memory_swap: Some(memory),
        pids_limit: Some(i64::from(limits.processes) + RUNNER_PROCESSES),
        cap_drop: Some(vec!["ALL".to_owned()]),
        security_opt: Some(vec!["no-new-privileges".to_owned()]),
        init: Some(false),
        auto_remove: Some(true),
        ipc_mode: Some("private".to_owned()),
        ulimits: Some(rlimits(i64::from(limits.processes) + RUNNER_PROCESSES)),
        log_config: Some(HostConfigLogConfig {
            typ: Some("none".to_owned()),
            config: None,
        }),
        ..HostConfig::default()
    }
}

/// The mount options of a scratch folder with a size limit in bytes.
fn scratch(size: u64) -> String {
    format!("rw,nosuid,nodev,exec,mode=1777,size={size}")
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// The read-only mount of the environment's volume. Empty if the environment has no volume.
fn mounts(interpreter: &Interpreter) -> Vec<Mount> {
    match interpreter {
        Interpreter::Image { volume, .. } => volume.iter().map(|v| mount(v, true)).collect(),
        Interpreter::Host { .. } => Vec::new(),
    }
}

type Attached =
    Pin<Box<dyn futures_util::Stream<Item = std::result::Result<LogOutput, errors::Error>> + Send>>;

/// Passes the program's standard output to `sender` and its standard error to `stderr`. Returns when the stream ends,
/// or when the receiver of the output is dropped.
async fn pump(mut attached: Attached, sender: Sender<Vec<u8>>, stderr: StderrTail) {
    while let Some(Ok(piece)) = attached.next().await {
        match piece {
            LogOutput::StdErr { message } => stderr.push(&message),
            other => {
                if sender.send(other.into_bytes().to_vec()).is_err() {
                    return;
                }
            }
        }
    }
}

impl Session for ContainerSession {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        let input = &mut self.input;
        self.sandbox
            .engine
            .runtime()
            .block_on(async {
                input.write_all(bytes).await?;
                input.flush().await
            })
            .map_err(|why| Error::sandbox(format!("cannot write to the container: {why}")))
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<Vec<u8>>> {
        next_output(&self.output, wait)
    }

    fn scratch(&self) -> &'static [&'static str] {
        &SCRATCH
    }

    fn missing_limits(&self) -> &[String] {
        &[]
    }

    fn loss(&mut self) -> Loss {
        let engine = &self.sandbox.engine;
        engine.runtime().block_on(async {
            if engine.client().ping().await.is_err() {
                return Loss::Engine;
            }
            match containers::state(engine.client(), &self.id).await {
                Ok(state) if state.oom_killed => Loss::OutOfMemory,
                Ok(state) if state.running => Loss::Silent,
                _ => Loss::Died,
            }
        })
    }

    fn stderr_tail(&self) -> String {
        self.stderr.text()
    }
}

impl Drop for ContainerSession {
    fn drop(&mut self) {
        let engine = &self.sandbox.engine;
        let removal = cleanup::remove(engine.client(), &self.id);
        engine.runtime().block_on(removal);
    }
}
