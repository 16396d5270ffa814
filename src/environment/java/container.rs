//! Java environments in volumes, for the container sandbox.

use super::runner_sources::runner_sources;
use super::script::{quoted, script};
use super::{JavaEnvironment, JavaRequirements, Library, RunnerSource, identity, key, libraries};
use crate::environment::build_context::{BuildContext, STEP_PREFIX, lock};
use crate::environment::container::{BuildContainer, volume_name};
use crate::environment::engine::ContainerEngine;
use crate::environment::engine::container_parts::Archive;
use crate::environment::interpreter::{Environment, Interpreter, Volume};
use crate::environment::toolchain::Toolchain;
use crate::error::{Error, Result};

/// The folder of the environments in a container.
const FOLDER: &str = "/opt/evoscope";
/// The folder of a build's files in the container, below the root. The script copies the files into the volume.
const BUILD: &str = "evoscope-build";

/// Returns the environment for these requirements on an image. The image must have a JDK and a Python. The environment
/// is a volume. If the volume does not exist yet, a container builds it.
///
/// If the build fails, the error contains the line of the log with the reason, or the exit code.
pub fn container_java(
    engine: &ContainerEngine,
    image: &str,
    requirements: &JavaRequirements,
    context: &mut BuildContext,
) -> Result<Environment> {
    let sources = &runner_sources();
    let id = engine.image_id(image, context.cancel)?;
    let libraries = libraries(requirements)?;
    let release = requirements.jdk.as_deref().unwrap_or_default();
    let key = key(&format!("{id} {release}"), &libraries, sources);
    let volume = Volume {
        name: volume_name(&key, context.cache),
        folder: format!("{FOLDER}/{key}"),
    };
    let folder = context.cache.join("images");
    // This file is written last. If it is missing, the volume may be incomplete.
    let complete = folder.join(format!("java-{key}"));
    std::fs::create_dir_all(&folder).map_err(|why| Error::io("make the folder", &folder, why))?;
    let _lock = lock(&complete.with_extension("lock"), context.cancel)?;
    if !(complete.exists() && engine.has_volume(&volume.name)) {
        (context.progress)(&format!(
            "make the Java environment {} from {image}",
            volume.name
        ));
        engine.replace_volume(&volume.name)?;
        let text = build_script(&volume.folder, release, &libraries, sources);
        let container = BuildContainer::create(engine, &id, &text, &[&volume])?;
        let ended = container.run(files(&libraries, sources)?, context)?;
        if !ended.success {
            let why = ended.reason;
            return Err(Error::sandbox(format!(
                "cannot make the Java environment on {image}: {why}"
            ))
            .hint("name an image with a JDK and python3 in evoscope.toml: image = \"…\""));
        }
        std::fs::write(&complete, "").map_err(|why| Error::io("write", &complete, why))?;
    }
    let java = format!("{}/jdk/bin/java", volume.folder);
    let environment = JavaEnvironment::new(&volume.folder, java, requirements, &libraries);
    let interpreter = Interpreter::Image {
        image: image.to_owned(),
        python: "python3".to_owned(),
        volume: Some(volume),
    };
    let identity = identity("docker", &key, requirements);
    Ok(Environment::with_toolchain(
        interpreter,
        identity,
        Toolchain::Java(environment),
    ))
}

/// The libraries and the runner's sources as a tar archive.
fn files(libraries: &[Library], sources: &[RunnerSource]) -> Result<Vec<u8>> {
    let mut archive = Archive::new();
    for library in libraries {
        archive.add(format!("{BUILD}/{}", library.name), &library.data, false)?;
    }
    for (name, text) in sources {
        archive.add(format!("{BUILD}/src/{name}.java"), text.as_bytes(), false)?;
    }
    archive.finish()
}

/// The script that builds the environment in the volume at `folder`. It copies the JDK's `java` executable, and only
/// root can read the copy. The kernel protects processes with an unreadable executable: other processes of the same
/// user can neither trace them nor open their memory. So a run cannot change the process that compiles the code of all
/// runs.
fn build_script(
    folder: &str,
    release: &str,
    libraries: &[Library],
    sources: &[RunnerSource],
) -> String {
    let place = quoted(folder);
    let release = quoted(release);
    [
        "exec 2>&1; set -e".to_owned(),
        "command -v python3 >/dev/null || { echo 'ERROR: the image has no python3'; exit 1; }".to_owned(),
        "command -v javac >/dev/null || { echo 'ERROR: the image has no JDK'; exit 1; }".to_owned(),
        "home=$(dirname \"$(dirname \"$(readlink -f \"$(command -v javac)\")\")\")".to_owned(),
        "version=$(sed -n 's/^JAVA_VERSION=\"\\(1\\.\\)\\?\\([^\"]*\\)\".*/\\2/p' \"$home/release\")".to_owned(),
        format!(
            "if [ -n {release} ]; then case \"$version.\" in {release}.*) ;; \
             *) echo \"ERROR: the image has JDK $version, not \"{release}; exit 1;; esac; fi"
        ),
        format!("echo \"{STEP_PREFIX}make a Java environment with JDK $version\""),
        format!("mkdir -p {place}/jdk/bin; cp -r /{BUILD}/. {place}; chmod -R a+rX {place}"),
        format!("for part in lib conf release; do ln -sfn \"$home/$part\" {place}/jdk/$part; done"),
        format!("cp \"$home/bin/java\" {place}/jdk/bin/java"),
        script(folder, "", libraries, sources).replace("\njava ", &format!("\n{place}/jdk/bin/java ")),
        format!("chmod a+rX -R {place}; chmod 0711 {place}/jdk/bin/java"),
    ]
    .join("\n")
}
