//! Environments in volumes and image layers, for the container sandbox.

use std::collections::HashMap;
use std::path::Path;

use bollard::container::LogOutput;
use bollard::models::{ContainerConfig, ContainerCreateBody, HostConfig};
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CommitContainerOptionsBuilder, RemoveContainerOptionsBuilder,
    StartContainerOptions, UploadToContainerOptionsBuilder, WaitContainerOptions,
};
use bollard::{body_full, errors};
use futures_util::{Stream, StreamExt};
use nix::sys::resource::{Resource, getrlimit};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use super::super::docker::{DockerSandbox, OWNER_LABEL, add_project, mount, rlimits};
use super::super::owner::Owner;
use super::super::project::ProjectFiles;
use super::super::sandbox::{Interpreter, Volume};
use super::super::schedule::Environment;
use super::{
    Building, INSTALL, LOADED_WITH_PYTEST, LOOK, Needs, TAKE_OUT_COPIES, key, loaded_with_pytest,
    locked, own_sources, project,
};
use crate::error::{Cancel, Error, Result};

const FOLDER: &str = "/opt/evoscope";
/// Where the project lies while it is set up: [`project`] names it.
const PROJECT: &str = "/project";
const CERTIFICATES: &str = "/evoscope-certificates.pem";
const OWN_SOURCES: &str = "/evoscope-own-sources";
const NEEDS: &str = "/evoscope-needs";
/// How pip is told, on this machine, where its index is and how to reach it; the same holds in the container.
const PIP: [&str; 10] = [
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_TRUSTED_HOST",
    "PIP_DEFAULT_TIMEOUT",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// The environment for these needs: the image as it is when it has pytest and nothing else is needed; else a virtual
/// environment, made in a container with network and kept by content: in a volume, or, where commands set it up, as a
/// layer on the image, since they may do more. Errors name the step that failed.
pub fn container_environment(
    sandbox: &DockerSandbox,
    image: &str,
    needs: &Needs,
    building: &mut Building,
) -> Result<Environment> {
    let id = sandbox.image_id(image, building.cancel)?;
    let own = own_pytest(sandbox, &id, building)?;
    let nothing = needs.packages.is_empty() && needs.found.is_empty();
    if let (true, true, Some(loaded)) = (nothing, needs.setup.is_empty(), &own) {
        return Ok(Environment {
            interpreter: bare(image, "python3"),
            identity: format!("docker {id}"),
            trunk: trunk(&id, loaded),
        });
    }
    let base = Base {
        image,
        id: &id,
        key: key(needs, &format!("{id} {own:?}"), building.cancel)?,
        own_pytest: own.is_some(),
    };
    if needs.setup.is_empty() {
        in_volume(sandbox, &base, needs, building)
    } else {
        as_layer(sandbox, &base, needs, building)
    }
}

/// What an environment is made on.
struct Base<'a> {
    image: &'a str,
    id: &'a str,
    /// The environment's key.
    key: String,
    /// Whether the image has a pytest, which the environment then takes.
    own_pytest: bool,
}

/// An interpreter in an image, without a volume.
fn bare(image: &str, python: &str) -> Interpreter {
    Interpreter::Image {
        image: image.to_owned(),
        python: python.to_owned(),
        volume: None,
    }
}

fn trunk(id: &str, loaded: &str) -> String {
    format!("docker {id} {loaded}")
}

fn as_layer(
    sandbox: &DockerSandbox,
    base: &Base,
    needs: &Needs,
    building: &mut Building,
) -> Result<Environment> {
    let image = base.image;
    let name = format!("evoscope-env:{}", base.key);
    if !sandbox.has_image(&name) {
        (building.progress)(&format!("making the image {name} from {image}"));
        let project = project(needs, building.cancel)?;
        let steps = script(needs, FOLDER, base.own_pytest);
        let own = own_sources(needs, building.cancel)?;
        let brought = brought(&own, &to_install(needs, base.own_pytest), Some(&project))?;
        let built = run(sandbox, base.id, &steps, brought, None, building)?;
        let committed = if built.code == 0 {
            commit(sandbox, &built.container, &name)
        } else {
            Ok(())
        };
        remove(sandbox, &built.container);
        committed?;
        built.succeeded(image)?;
    }
    let identity = format!("docker {name}");
    Ok(Environment {
        interpreter: bare(&name, &format!("{FOLDER}/bin/python")),
        trunk: identity.clone(),
        identity,
    })
}

fn in_volume(
    sandbox: &DockerSandbox,
    base: &Base,
    needs: &Needs,
    building: &mut Building,
) -> Result<Environment> {
    let Base { image, key, .. } = base;
    let volume = Volume {
        name: volume_name(key, building.cache),
        folder: format!("{FOLDER}/{key}"),
    };
    let known = building.cache.join("images").join(key);
    let failed = |why| Error::io("write", &known, why);
    std::fs::create_dir_all(known.parent().unwrap_or(building.cache)).map_err(failed)?;
    let _lock = locked(&known.with_extension("lock"), building.cancel)?;
    let loaded = match std::fs::read_to_string(&known) {
        Ok(loaded) if sandbox.has_volume(&volume.name) => loaded,
        _ => {
            (building.progress)(&format!(
                "making the environment {} from {image}",
                volume.name
            ));
            let loaded = fill(sandbox, base, &volume, needs, building)?;
            std::fs::write(&known, &loaded).map_err(failed)?;
            loaded
        }
    };
    Ok(Environment {
        interpreter: Interpreter::Image {
            image: (*image).to_owned(),
            python: format!("{}/bin/python", volume.folder),
            volume: Some(volume),
        },
        identity: format!("docker {key}"),
        trunk: trunk(base.id, &loaded),
    })
}

/// An environment's volume is its cache's own: what another home on the same engine makes anew is not under our feet.
fn volume_name(key: &str, cache: &Path) -> String {
    let home = Sha256::digest(cache.as_os_str().as_encoded_bytes());
    let [a, b, c, d, ..]: [u8; 32] = home.into();
    format!("evoscope-env-{key}-{a:02x}{b:02x}{c:02x}{d:02x}")
}

/// Makes the virtual environment in a volume; gives the hash of what it loads with pytest.
fn fill(
    sandbox: &DockerSandbox,
    base: &Base,
    volume: &Volume,
    needs: &Needs,
    building: &mut Building,
) -> Result<String> {
    sandbox.make_volume(&volume.name)?;
    let folder = &volume.folder;
    let look = quoted(&[LOADED_WITH_PYTEST]);
    let steps =
        script(needs, folder, base.own_pytest) + &format!("\n{folder}/bin/python -s -c {look}");
    let own = own_sources(needs, building.cancel)?;
    let brought = brought(&own, &to_install(needs, base.own_pytest), None)?;
    let built = run(sandbox, base.id, &steps, brought, Some(volume), building)
        .inspect_err(|_| sandbox.remove_volume(&volume.name))?;
    remove(sandbox, &built.container);
    let loaded = loaded_with_pytest(&built.printed).map(str::to_owned);
    if let (0, Some(loaded)) = (built.code, loaded) {
        return Ok(loaded);
    }
    sandbox.remove_volume(&volume.name);
    built.succeeded(base.image)?;
    Err(
        Error::sandbox(format!("pytest does not load on {}", base.image))
            .hint("name another environment or image in evoscope.toml"),
    )
}

/// A container that has run a script to its end.
struct Built {
    container: String,
    code: i64,
    /// The last that it printed.
    printed: String,
}

impl Built {
    fn succeeded(&self, image: &str) -> Result<()> {
        if self.code == 0 {
            return Ok(());
        }
        Err(
            Error::sandbox(format!("cannot build the environment on {image}")).hint(
                "the step that failed stands above; name another environment or image in evoscope.toml",
            ),
        )
    }
}

/// The hash of what the image's own Python loads with pytest, if it has one. Asked once for an image, by its id, and
/// remembered in the cache.
fn own_pytest(sandbox: &DockerSandbox, image: &str, building: &Building) -> Result<Option<String>> {
    let known = building.cache.join("images");
    let known_path = known.join(image.replace([':', '/'], "-") + "-loaded");
    if let Ok(word) = std::fs::read_to_string(&known_path) {
        return Ok((word != NO_PYTEST).then_some(word));
    }
    let mut silent = |_: &str| {};
    let mut asking = Building {
        cache: building.cache,
        progress: &mut silent,
        cancel: building.cancel,
    };
    let ask = format!("python3 -s -c {}", quoted(&[LOADED_WITH_PYTEST]));
    let brought = brought("", "", None)?;
    let asked = run(sandbox, image, &ask, brought, None, &mut asking)?;
    remove(sandbox, &asked.container);
    let loaded = loaded_with_pytest(&asked.printed).map(str::to_owned);
    let word = loaded.as_deref().unwrap_or(NO_PYTEST);
    let kept = std::fs::create_dir_all(&known).and_then(|()| std::fs::write(&known_path, word));
    kept.map_err(|why| Error::io("write", &known_path, why))?;
    Ok(loaded)
}

const NO_PYTEST: &str = "no pytest";

fn quoted(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The shell script that makes the virtual environment in `folder`, on the image's packages where its pytest is to be
/// taken; each step is told before it runs.
fn script(needs: &Needs, folder: &str, own_pytest: bool) -> String {
    let python = format!("{folder}/bin/python");
    let mut lines = vec![
        "set -e".to_owned(),
        format!("[ -s {CERTIFICATES} ] && export PIP_CERT={CERTIFICATES}"),
        "echo 'evoscope: make the virtual environment'".to_owned(),
    ];
    if own_pytest {
        lines.push(format!("python3 -m venv --system-site-packages {folder}"));
    } else {
        lines.push(format!("python3 -m venv {folder}"));
        lines.push("echo 'evoscope: install pytest'".to_owned());
        lines.push(format!(
            "{python} -m pip install --quiet --disable-pip-version-check --no-input {}",
            quoted(&[needs.pytest()])
        ));
    }
    if !(needs.packages.is_empty() && needs.found.is_empty()) {
        lines.push(format!("{python} -c {} {NEEDS}", quoted(&[INSTALL])));
    }
    for command in &needs.setup {
        lines.push(format!("echo evoscope: run {}", quoted(&[command])));
        lines.push(format!(
            "(cd {PROJECT}; PATH={folder}/bin:$PATH; {command})"
        ));
    }
    let program = quoted(&[TAKE_OUT_COPIES]);
    lines.push(format!("{python} -c {program} {OWN_SOURCES}"));
    lines.push(format!(
        "rm -rf {PROJECT} {CERTIFICATES} {OWN_SOURCES} {NEEDS}"
    ));
    lines.join("\n")
}

/// What [`INSTALL`] is told.
fn to_install(needs: &Needs, own_pytest: bool) -> String {
    json!({
        "packages": needs.packages, "found": needs.found, "pytest": needs.pytest(), "own": own_pytest,
    })
    .to_string()
}

/// More processes than installing takes, all of a user's counted, and no more than a user's engine may give.
fn building_processes() -> i64 {
    let own = getrlimit(Resource::RLIMIT_NPROC).map_or(u64::MAX, |(_, hard)| hard);
    i64::try_from(own).unwrap_or(i64::MAX).min(16_384)
}

/// Runs a script in a container of `image`; one that cannot be run to its end is gone with the error.
fn run(
    sandbox: &DockerSandbox,
    image: &str,
    steps: &str,
    brought: Vec<u8>,
    volume: Option<&Volume>,
    building: &mut Building,
) -> Result<Built> {
    let (docker, runtime) = sandbox.parts();
    let environment: Vec<String> = PIP
        .iter()
        .filter_map(|name| Some(format!("{name}={}", std::env::var(name).ok()?)))
        .collect();
    let body = ContainerCreateBody {
        image: Some(image.to_owned()),
        entrypoint: Some(vec!["sh".to_owned(), "-c".to_owned(), steps.to_owned()]),
        cmd: Some(Vec::new()),
        user: Some("0:0".to_owned()),
        env: Some(environment),
        labels: Some(HashMap::from([(
            OWNER_LABEL.to_owned(),
            Owner::this_process().to_string(),
        )])),
        host_config: Some(HostConfig {
            ulimits: Some(rlimits(building_processes())),
            mounts: volume.map(|volume| vec![mount(volume, false)]),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    };
    let created = runtime.block_on(docker.create_container(None, body));
    let container = created.map_err(|why| refused(sandbox, "create", &why))?.id;
    let ended = runtime.block_on(to_its_end(sandbox, &container, brought, building));
    match ended {
        Ok((code, printed)) => Ok(Built {
            container,
            code,
            printed,
        }),
        Err(why) => {
            remove(sandbox, &container);
            Err(why)
        }
    }
}

/// Brings files into a container, starts it and hears it out; gives its exit code and the last that it printed.
async fn to_its_end(
    sandbox: &DockerSandbox,
    container: &str,
    brought: Vec<u8>,
    building: &mut Building<'_>,
) -> Result<(i64, String)> {
    let docker = sandbox.parts().0;
    let upload = UploadToContainerOptionsBuilder::default().path("/").build();
    docker
        .upload_to_container(container, Some(upload), body_full(brought.into()))
        .await
        .map_err(|why| refused(sandbox, "fill", &why))?;
    let attach = AttachContainerOptionsBuilder::default()
        .stdout(true)
        .stderr(true)
        .stream(true)
        .build();
    let mut attached = docker
        .attach_container(container, Some(attach))
        .await
        .map_err(|why| refused(sandbox, "attach to", &why))?;
    docker
        .start_container(container, None::<StartContainerOptions>)
        .await
        .map_err(|why| refused(sandbox, "start", &why))?;
    let mut printed = String::new();
    while let Some(Ok(piece)) = next(&mut attached.output, building.cancel).await? {
        told(&piece, building.progress);
        printed.push_str(&piece.to_string());
        printed =
            printed.split_off(printed.floor_char_boundary(printed.len().saturating_sub(4096)));
    }
    let mut waiting = docker.wait_container(container, None::<WaitContainerOptions>);
    let code = match next(&mut waiting, building.cancel).await? {
        Some(Ok(end)) => end.status_code,
        Some(Err(errors::Error::DockerContainerWaitError { code, .. })) => code,
        Some(Err(why)) => return Err(refused(sandbox, "wait for", &why)),
        None => 0,
    };
    Ok((code, printed))
}

/// What a stream gives next, however long that takes. An error when the run is cancelled meanwhile.
async fn next<S: Stream + Unpin>(stream: &mut S, cancel: &Cancel) -> Result<Option<S::Item>> {
    loop {
        let waited = timeout(LOOK, stream.next()).await;
        cancel.check()?;
        if let Ok(given) = waited {
            return Ok(given);
        }
    }
}

fn refused(sandbox: &DockerSandbox, verb: &str, why: &errors::Error) -> Error {
    let what = format!("{verb} the container that builds the environment");
    sandbox.engine().refused(&what, why)
}

fn told(piece: &LogOutput, progress: &mut dyn FnMut(&str)) {
    for line in piece.to_string().lines() {
        let step = line.strip_prefix("evoscope: ");
        if let Some(line) = step.or_else(|| line.contains("ERROR").then_some(line)) {
            progress(line);
        }
    }
}

/// What is brought into the container that builds, as a tar: this machine's certificates, as pip here would use them,
/// the names of the project's own sources, what is to be installed, and the project where it is to be set up.
fn brought(own_sources: &str, needs: &str, project: Option<&ProjectFiles>) -> Result<Vec<u8>> {
    let named = ["PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"]
        .iter()
        .find_map(std::env::var_os);
    let path = named.unwrap_or_else(|| "/etc/ssl/certs/ca-certificates.crt".into());
    let certificates = std::fs::read(path).unwrap_or_default();
    let failed = |why| Error::internal(format!("cannot write an archive: {why}"));
    let mut tar = tar::Builder::new(Vec::new());
    for (path, text) in [
        (CERTIFICATES, certificates.as_slice()),
        (OWN_SOURCES, own_sources.as_bytes()),
        (NEEDS, needs.as_bytes()),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, path.trim_start_matches('/'), text)
            .map_err(failed)?;
    }
    if let Some(project) = project {
        add_project(&mut tar, project)?;
    }
    tar.into_inner().map_err(failed)
}

fn commit(sandbox: &DockerSandbox, container: &str, name: &str) -> Result<()> {
    let (docker, runtime) = sandbox.parts();
    let (repository, tag) = name.split_once(':').unwrap_or((name, "latest"));
    let options = CommitContainerOptionsBuilder::default()
        .container(container)
        .repo(repository)
        .tag(tag)
        .build();
    runtime
        .block_on(docker.commit_container(options, ContainerConfig::default()))
        .map(drop)
        .map_err(|why| refused(sandbox, "keep", &why))
}

fn remove(sandbox: &DockerSandbox, container: &str) {
    let (docker, runtime) = sandbox.parts();
    let options = RemoveContainerOptionsBuilder::default()
        .force(true)
        .v(true)
        .build();
    let _ = runtime.block_on(docker.remove_container(container, Some(options)));
}

#[cfg(test)]
mod tests;
