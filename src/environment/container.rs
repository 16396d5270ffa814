//! Virtual environments in volumes of a container engine, for the container sandbox.

mod build_container;
mod machine;
mod site;

use sha2::{Digest, Sha256};
use std::path::Path;

pub(super) use self::build_container::BuildContainer;
use self::machine::ContainerTool;
use self::site::{ContainerSite, contents_of_image, is_enough};
use super::build::{Built, first_that_works};
use super::build_context::{BuildContext, hex};
use super::engine::ContainerEngine;
use super::interpreter::{Environment, Interpreter, Volume};
use super::requirements::Requirements;
use crate::error::{Error, Result};

/// Returns the environment for these requirements on an image. If the image has pytest, nothing else is required, and the
/// image does not hold the project itself, the environment is the unchanged image. Otherwise, the environment is a
/// virtual environment in a volume, which does not see the packages of the image. A container with network access builds
/// it once. Changes that setup commands make outside of the volume are lost.
///
/// Errors if the image has another Python than `python`, which is `3.9` or `3.9.18`. If the build fails, the error
/// contains the reason.
pub fn container_environment(
    engine: &ContainerEngine,
    image: &str,
    requirements: &Requirements,
    python: Option<&str>,
    context: &mut BuildContext,
) -> Result<Environment> {
    let id = engine.image_id(image, context.cancel)?;
    let own = contents_of_image(engine, &id, context)?;
    if python.is_some_and(|wanted| !own.is_python(wanted)) {
        return Err(other_python(image, &own.python, python.unwrap_or_default()));
    }
    if is_enough(&own, requirements) {
        let interpreter = Interpreter::Image {
            image: image.to_owned(),
            python: "python3".to_owned(),
            volume: None,
        };
        let environment = Environment::new(interpreter, format!("docker {id}"));
        let built = Built {
            key: id,
            contents: own,
            notes: Vec::new(),
        };
        return Ok(environment.with(built, requirements.as_of, Some(image)));
    }
    let tool = ContainerTool::find(requirements.as_of, context)?;
    let site = [ContainerSite::new(engine, id, own.python, tool, context.cache)];
    let (site, built) = first_that_works(&site, requirements, context)?;
    let volume = site.volume(&built.key);
    let interpreter = Interpreter::Image {
        image: image.to_owned(),
        python: format!("{}/bin/python", volume.folder),
        volume: Some(volume),
    };
    let environment = Environment::new(interpreter, format!("docker {}", built.key));
    Ok(environment.with(built, requirements.as_of, Some(image)))
}

fn other_python(image: &str, found: &str, wanted: &str) -> Error {
    let found = if found.is_empty() { "no Python 3" } else { found };
    Error::sandbox(format!("the image '{image}' has {found}, not Python {wanted}"))
        .hint(format!("make one with `evoscope image --python {wanted}`, or name another image"))
}

/// The folder with the virtual environments, in a container.
const FOLDER: &str = "/opt/evoscope";

/// The volume of the environment with this key.
fn volume_of(key: &str, cache: &Path) -> Volume {
    Volume {
        name: volume_name(key, cache),
        folder: format!("{FOLDER}/{key}"),
    }
}

/// The name of an environment's volume. Each cache has its own volumes, so that two caches on one engine do not replace
/// each other's volumes.
pub(super) fn volume_name(key: &str, cache: &Path) -> String {
    let cache = Sha256::digest(cache.as_os_str().as_encoded_bytes());
    format!("evoscope-env-{key}-{}", hex(&cache[..4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_caches_on_one_engine_have_their_own_volumes() {
        let here = volume_name("k", Path::new("/home/a/cache"));
        assert_eq!(here, volume_name("k", Path::new("/home/a/cache")));
        assert_ne!(here, volume_name("k", Path::new("/home/b/cache")));
    }

    #[test]
    fn an_image_with_another_python_is_refused() {
        let why = other_python("a:b", "3.11.2", "3.9").to_string();
        assert!(why.contains("'a:b' has 3.11.2, not Python 3.9"), "{why}");
    }
}
