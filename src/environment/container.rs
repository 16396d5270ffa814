//! Virtual environments in volumes of a container engine, for the container sandbox.

mod build_container;
mod machine;
mod site;

use std::collections::BTreeSet;
use std::path::Path;

use sha2::{Digest, Sha256};
use time::UtcDateTime;

pub(super) use self::build_container::BuildContainer;
use self::machine::ContainerTool;
use self::site::{ContainerSite, contents_of_image, is_enough};
use super::as_of::AsOf;
use super::build::{Built, Contents};
use super::build_context::{BuildContext, hex};
use super::engine::ContainerEngine;
use super::image::{DEFAULT_PYTHON, python_image, python_image_name, python_image_on};
use super::interpreter::{Environment, Interpreter, Volume};
use super::interpreters::{InstalledPythons, pythons_to_try};
use super::python_support::{PythonMinor, PythonSupport};
use super::requirements::Requirements;
use super::trials::first_that_works;
use crate::error::{Error, Result};

/// Returns the environment for these requirements. If the image has pytest, nothing else is required, and the image does
/// not hold the project itself, the environment is the unchanged image. Otherwise, the environment is a virtual
/// environment in a volume, which does not see the packages of the image. A container with network access builds it
/// once. Changes that setup commands make outside of the volume are lost.
///
/// `image` is a named image. If it has another Python than the required one, the required one is added to it. Without a
/// named image, the images with the Pythons that the project supports are tried, and made if they do not exist.
///
/// If the build fails, the error contains the reason.
pub fn container_environment(
    engine: &ContainerEngine,
    image: Option<&str>,
    requirements: &Requirements,
    context: &mut BuildContext,
) -> Result<Environment> {
    let (images, note) = match image {
        Some(named) => (vec![Image::Named(named)], None),
        None => images_to_try(engine, requirements),
    };
    let first = images[0].ready(engine, requirements, context)?;
    if is_enough(&first.contents, requirements) {
        return Ok(first.unchanged());
    }
    let tool = ContainerTool::find(requirements, context)?;
    let requirements = &tool.on_machine().possible(requirements);
    let cache = context.cache;
    let site = |number: usize, context: &mut BuildContext| {
        let image = images[number].ready(engine, requirements, context)?;
        Ok(ContainerSite::new(engine, image, tool.clone(), cache))
    };
    let (site, mut built) = first_that_works(images.len(), site, requirements, context)?;
    built.notes.splice(0..0, note);
    let volume = site.volume(&built.key);
    let interpreter = Interpreter::Image {
        image: site.image.name.clone(),
        python: format!("{}/bin/python", volume.folder),
        volume: Some(volume),
    };
    let environment = Environment::new(interpreter, format!("docker {}", built.key));
    Ok(environment.with(built, requirements.as_of, Some(&site.image.name)))
}

/// An image to build an environment on.
enum Image<'a> {
    /// The image that the user names.
    Named(&'a str),
    /// An image with this version of Python.
    Python(String),
}

/// An image that exists.
struct BaseImage {
    name: String,
    /// The hash of the image's content.
    id: String,
    /// What its Python is, and what is installed for it.
    contents: Contents,
}

impl Image<'_> {
    /// The image, which is pulled or made if it does not exist.
    fn ready(
        &self,
        engine: &ContainerEngine,
        requirements: &Requirements,
        context: &mut BuildContext,
    ) -> Result<BaseImage> {
        let name = match self {
            Self::Named(name) => (*name).to_owned(),
            Self::Python(version) => python_image(engine, version, context)?,
        };
        let image = BaseImage::of(engine, name, context)?;
        match &requirements.python {
            Some(version) if !image.contents.is_python(version) => {
                let name = python_image_on(engine, &image.name, version, context)?;
                BaseImage::of(engine, name, context)
            }
            _ => Ok(image),
        }
    }
}

impl BaseImage {
    fn of(engine: &ContainerEngine, name: String, context: &mut BuildContext) -> Result<Self> {
        let id = engine.image_id(&name, context.cancel)?;
        let contents = contents_of_image(engine, &id, context)?;
        if contents.python.is_empty() {
            return Err(
                Error::sandbox(format!("the image '{name}' has no Python 3 that runs"))
                    .hint("name another image, or make one: `evoscope image --python 3.11`"),
            );
        }
        Ok(Self { name, id, contents })
    }

    /// The environment that is the image itself.
    fn unchanged(self) -> Environment {
        let interpreter = Interpreter::Image {
            image: self.name.clone(),
            python: "python3".to_owned(),
            volume: None,
        };
        let environment = Environment::new(interpreter, format!("docker {}", self.id));
        let built = Built {
            key: self.id,
            contents: self.contents,
            notes: Vec::new(),
        };
        environment.with(built, AsOf::Newest, Some(&self.name))
    }
}

/// The images to try, and a note that the result must contain: those with the required Python, or with the Pythons that
/// the project supports, among those that this machine has itself or as an image.
fn images_to_try<'a>(
    engine: &ContainerEngine,
    requirements: &Requirements,
) -> (Vec<Image<'a>>, Option<String>) {
    if let Some(version) = &requirements.python {
        return (vec![Image::Python(version.clone())], None);
    }
    let installed = InstalledPythons::find();
    let has_image = |minor: &PythonMinor| {
        let names = [
            python_image_name(&minor.to_string()),
            format!("python:{minor}-slim"),
        ];
        names.iter().any(|name| engine.has_image(name))
    };
    let images: BTreeSet<PythonMinor> = PythonMinor::known().filter(has_image).collect();
    let date = requirements.as_of.moment().map(UtcDateTime::unix_timestamp);
    let support = PythonSupport::read(&requirements.tree);
    let (pythons, note) = pythons_to_try(&support, date, &installed, &images);
    let pythons = pythons.into_iter();
    let mut images: Vec<Image> = pythons
        .map(|python| Image::Python(python.candidate.minor.to_string()))
        .collect();
    if images.is_empty() {
        images.push(Image::Python(DEFAULT_PYTHON.to_owned()));
    }
    (images, note)
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
