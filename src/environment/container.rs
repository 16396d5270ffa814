//! Makes environments for the container sandbox, in volumes of the container engine.

mod build_container;

use std::path::Path;

use sha2::{Digest, Sha256};

pub(super) use self::build_container::BuildContainer;
use super::build_context::{BuildContext, environment_key, hex, lock, own_sources, project};
use super::engine::ContainerEngine;
use super::engine::container_parts::Archive;
use super::interpreter::{Environment, Interpreter, Volume};
use super::requirements::Requirements;
use super::scripts::{Places, SCRIPTS, install_request, script};
use crate::error::{Cancel, Error, Result};
use crate::files::replace;

/// The folder with the virtual environments.
const FOLDER: &str = "/opt/evoscope";
/// The folder with the project while its setup commands run. The function [`project`] puts the project's files in a
/// folder of this name.
const PROJECT: &str = "/project";
/// The folder with the build's scripts and their input.
const BUILD: &str = "/evoscope-build";
/// A shell command that removes the folders [`PROJECT`] and [`BUILD`].
const REMOVAL: &str = "\ncd /; rm -rf /project /evoscope-build";

/// Returns the environment for these requirements. If the image has pytest and nothing else is required, the
/// environment is the unchanged image. Otherwise, the environment is a virtual environment in a volume. A container
/// with network access builds it once for each key (a hash of the requirements and the image). Changes that setup
/// commands make outside of the volume are lost.
///
/// If the build fails, the error contains the reason from the log, or else the exit code.
pub fn container_environment(
    engine: &ContainerEngine,
    image: &str,
    requirements: &Requirements,
    context: &mut BuildContext,
) -> Result<Environment> {
    let id = engine.image_id(image, context.cancel)?;
    let own = image_python(engine, &id, context)?;
    if own.pytest && requirements.is_empty() {
        let interpreter = Interpreter::Image {
            image: image.to_owned(),
            python: "python3".to_owned(),
            volume: None,
        };
        let environment = Environment::new(interpreter, format!("docker {id}"));
        return Ok(environment.with_python(&own.version));
    }
    let build = Build {
        engine,
        image,
        key: environment_key(requirements, &id, context.cancel)?,
        id,
        own_pytest: own.pytest,
        requirements,
    };
    Ok(build.in_volume(context)?.with_python(&own.version))
}

/// The Python of an image.
struct ImagePython {
    /// The version, such as `3.11`. Empty if the image has no Python that runs.
    version: String,
    pytest: bool,
}

impl ImagePython {
    /// Parses the output of [`QUESTION`].
    fn parsed(answer: &str) -> Self {
        let mut words = answer.split_whitespace();
        Self {
            version: words.next().unwrap_or_default().to_owned(),
            pytest: words.next() == Some("pytest"),
        }
    }
}

/// A shell command that prints the version of Python and, if Python can import pytest, the word `pytest`.
const QUESTION: &str = "python3 -s -c '
import sys
print(\"%d.%d\" % sys.version_info[:2], end=\" \", flush=True)
import pytest
print(\"pytest\")
' 2>/dev/null";

/// Finds out which Python an image has. A container of the image prints the answer. The cache stores the answer under
/// the id of the image, so that later calls start no container.
fn image_python(engine: &ContainerEngine, id: &str, context: &BuildContext) -> Result<ImagePython> {
    let folder = context.cache.join("images");
    let path = folder.join(id.replace([':', '/'], "-") + "-python");
    if let Ok(answer) = std::fs::read_to_string(&path) {
        return Ok(ImagePython::parsed(&answer));
    }
    let mut answer = String::new();
    let mut reading = BuildContext {
        cache: context.cache,
        progress: &mut |line| answer.push_str(line),
        cancel: context.cancel,
    };
    let container = BuildContainer::create(engine, id, QUESTION, None)?;
    container.run(Vec::new(), &mut reading)?;
    // If the answer cannot be stored, the next call starts a container again.
    let _ = std::fs::create_dir_all(&folder).map(|()| replace(&path, &answer));
    Ok(ImagePython::parsed(&answer))
}

/// An environment to build on an image.
struct Build<'a> {
    engine: &'a ContainerEngine,
    image: &'a str,
    /// The id of the image, which is a hash of its content.
    id: String,
    key: String,
    /// Whether the image's Python has pytest. If so, the environment also uses the packages of the image.
    own_pytest: bool,
    requirements: &'a Requirements,
}

impl Build<'_> {
    /// Returns the environment in its volume. Builds it first if it is not complete.
    fn in_volume(&self, context: &mut BuildContext) -> Result<Environment> {
        let volume = Volume {
            name: volume_name(&self.key, context.cache),
            folder: format!("{FOLDER}/{}", self.key),
        };
        let folder = context.cache.join("images");
        // This file is written last: without it, the volume is not complete.
        let complete = folder.join(&self.key);
        std::fs::create_dir_all(&folder)
            .map_err(|why| Error::io("make the folder", &folder, why))?;
        let _lock = lock(&complete.with_extension("lock"), context.cancel)?;
        if !(complete.exists() && self.engine.has_volume(&volume.name)) {
            let step = format!("make the environment {} from {}", volume.name, self.image);
            (context.progress)(&step);
            self.engine.replace_volume(&volume.name)?;
            self.run(&volume, context)
                .inspect_err(|_| self.engine.remove_volume(&volume.name))?;
            std::fs::write(&complete, &volume.name)
                .map_err(|why| Error::io("write", &complete, why))?;
        }
        let interpreter = Interpreter::Image {
            image: self.image.to_owned(),
            python: format!("{}/bin/python", volume.folder),
            volume: Some(volume),
        };
        Ok(Environment::new(
            interpreter,
            format!("docker {}", self.key),
        ))
    }

    /// Builds the virtual environment in a volume.
    fn run(&self, volume: &Volume, context: &mut BuildContext) -> Result<()> {
        let places = Places {
            python: "python3",
            folder: &volume.folder,
            build: BUILD,
            project: PROJECT,
            sees_packages: self.own_pytest,
        };
        let script = script(self.requirements, &places) + REMOVAL;
        let files = self.files(context.cancel)?;
        let container = BuildContainer::create(self.engine, &self.id, &script, Some(volume))?;
        let ended = container.run(files, context)?;
        if ended.code == 0 {
            return Ok(());
        }
        let why = ended
            .reason
            .unwrap_or_else(|| format!("exit code {}", ended.code));
        let image = self.image;
        Err(
            Error::sandbox(format!("cannot build the environment on {image}: {why}"))
                .hint("name other packages or another image in evoscope.toml"),
        )
    }

    /// The files for the build container, as a tar archive: the scripts with their input, this machine's certificates
    /// for pip, and the project if there are setup commands.
    fn files(&self, cancel: &Cancel) -> Result<Vec<u8>> {
        let named = ["PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"]
            .iter()
            .find_map(std::env::var_os);
        let path = named.unwrap_or_else(|| "/etc/ssl/certs/ca-certificates.crt".into());
        let certificates = std::fs::read(path).unwrap_or_default();
        let sources = own_sources(self.requirements, cancel)?;
        let request = install_request(self.requirements, self.own_pytest);
        let mut archive = Archive::new();
        let inputs = [
            ("certificates.pem", certificates.as_slice()),
            ("sources", sources.as_bytes()),
            ("request.json", request.as_bytes()),
        ];
        let scripts = SCRIPTS.map(|(name, text)| (name, text.as_bytes()));
        for (name, content) in inputs.into_iter().chain(scripts) {
            let folder = Path::new(BUILD.trim_start_matches('/'));
            archive.add(folder.join(name), content, false)?;
        }
        if !self.requirements.setup.is_empty() {
            archive.add_project(&project(self.requirements, cancel)?)?;
        }
        archive.finish()
    }
}

/// The name of an environment's volume. Each cache has its own volumes, so that two caches on one engine do not replace
/// each other's volumes.
pub(super) fn volume_name(key: &str, cache: &Path) -> String {
    let cache = Sha256::digest(cache.as_os_str().as_encoded_bytes());
    format!("evoscope-env-{key}-{}", hex(&cache[..4]))
}

/// The key of the environment in a volume, or another volume's name between `evoscope-` and the hash of the cache. `None`
/// if the volume belongs to another cache.
pub(super) fn volume_key<'a>(name: &'a str, cache: &Path) -> Option<&'a str> {
    let own = volume_name("", cache);
    let (_, after) = own.split_at("evoscope-env-".len());
    let key = name.strip_prefix("evoscope-")?.strip_suffix(after)?;
    Some(key.strip_prefix("env-").unwrap_or(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_python_of_an_image_is_read() {
        let read = |answer: &str| {
            let python = ImagePython::parsed(answer);
            (python.version, python.pytest)
        };
        assert_eq!(read("3.11 pytest\n"), ("3.11".to_owned(), true));
        assert_eq!(read("3.9 "), ("3.9".to_owned(), false));
        assert_eq!(read(""), (String::new(), false));
    }

    #[test]
    fn two_caches_on_one_engine_have_their_own_volumes() {
        let here = volume_name("k", Path::new("/home/a/cache"));
        assert_eq!(here, volume_name("k", Path::new("/home/a/cache")));
        assert_ne!(here, volume_name("k", Path::new("/home/b/cache")));
        assert_eq!(volume_key(&here, Path::new("/home/a/cache")), Some("k"));
        assert_eq!(volume_key(&here, Path::new("/home/b/cache")), None);
        let other = here.replace("env-k", "uv");
        assert_eq!(volume_key(&other, Path::new("/home/a/cache")), Some("uv"));
    }
}
