//! Images for the container sandbox, made from what this machine has: a Python or a JDK, the libraries that it needs, a
//! shell and a few tools. So an evaluation in containers needs no registry.
//!
//! An image gets its name when it is complete and its programs have run in it. Until then, it has a label with the
//! process that makes it, and the next build removes it if that process has ended.

mod build;
mod jdk;
mod libraries;
mod python;
mod root_tree;
mod system;

use std::str::FromStr;

use self::build::{ImageParts, LAYOUT, build, build_on};
use self::python::HostPython;
use super::build_context::{BuildContext, lock};
use super::engine::labels::{IMAGE_LABEL, JDK_LABEL, PYTHON_LABEL};
use super::engine::{ContainerEngine, OWN_IMAGES, StoredImage};
use crate::error::{Error, Result};

/// The version of Python in an image if nothing says which one it must have.
pub const DEFAULT_PYTHON: &str = "3.11";

/// What an image must have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImageRequest {
    /// The version of Python: `3.9` or `3.9.18`. `None`: any Python 3, for an image with a JDK.
    pub python: Option<String>,
    /// The release of a JDK: `17`.
    pub jdk: Option<String>,
    /// The image to which the Python is added. `None`: the image has nothing else but a shell and tools.
    pub base: Option<String>,
    /// The name of the image. `None`: [`python_image_name`] or [`jdk_image_name`].
    pub name: Option<String>,
    /// Whether to make the image even if there is one.
    pub force: bool,
}

/// Where an image comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageOrigin {
    /// The engine had it.
    Found,
    /// It was pulled.
    Pulled,
    /// It was made from this machine's files.
    Built,
}

/// An image that can be used.
#[derive(Debug, Clone)]
pub struct ReadyImage {
    /// The name: `evoscope/python:3.9`.
    pub name: String,
    /// Where it comes from.
    pub origin: ImageOrigin,
    /// What the engine knows about it.
    pub stored: StoredImage,
}

impl ReadyImage {
    /// The full version of its Python. `None` if Evoscope did not make the image.
    pub fn python(&self) -> Option<&str> {
        self.stored.labels.get(PYTHON_LABEL).map(String::as_str)
    }

    /// The full version of its JDK. `None` if it has none, or if Evoscope did not make the image.
    pub fn jdk(&self) -> Option<&str> {
        self.stored.labels.get(JDK_LABEL).map(String::as_str)
    }
}

/// The name of the image with this Python: `evoscope/python:3.9`.
pub fn python_image_name(version: &str) -> String {
    format!("{OWN_IMAGES}python:{version}")
}

/// The name of the image with this JDK: `evoscope/jdk:17`.
pub fn jdk_image_name(release: &str) -> String {
    format!("{OWN_IMAGES}jdk:{release}")
}

/// The name of the image with this Python on top of an image with this id: `evoscope/python:3.9-on-0123456789ab`.
fn name_on(version: &str, base: &str) -> String {
    let digits = base.rsplit(':').next().unwrap_or(base);
    let short = digits.get(..12).unwrap_or(digits);
    format!("{}-on-{short}", python_image_name(version))
}

/// The name of an image with exactly this Python, such as `3.9` or `3.9.18`. The first of these that is possible: an
/// existing `python:3.9-slim`, an existing `evoscope/python:3.9`, `python:3.9-slim` from a registry, an image made from
/// this machine's Python 3.9. An error of kind sandbox says what to install.
pub fn python_image(
    engine: &ContainerEngine,
    version: &str,
    context: &mut BuildContext,
) -> Result<String> {
    let request = ImageRequest {
        python: Some(version.to_owned()),
        ..ImageRequest::default()
    };
    image(engine, &request, context).map(|image| image.name)
}

/// The name of an image that is `base` with exactly this Python, from this machine. It is made if it does not exist.
/// An error of kind sandbox says why the Python does not work on `base`.
pub fn python_image_on(
    engine: &ContainerEngine,
    base: &str,
    version: &str,
    context: &mut BuildContext,
) -> Result<String> {
    let request = ImageRequest {
        python: Some(version.to_owned()),
        base: Some(base.to_owned()),
        ..ImageRequest::default()
    };
    image(engine, &request, context).map(|image| image.name)
}

/// The name of an image with a JDK of this release, such as `17`, and a Python, both from this machine. It is made if it
/// does not exist. Without a release, it has the JDK that [`host_java`](super::host_java) uses.
pub fn jdk_image(
    engine: &ContainerEngine,
    release: Option<&str>,
    context: &mut BuildContext,
) -> Result<String> {
    let release = release.map_or_else(jdk::usual_release, |release| Ok(release.to_owned()))?;
    let request = ImageRequest {
        jdk: Some(release),
        ..ImageRequest::default()
    };
    image(engine, &request, context).map(|image| image.name)
}

/// The image that the request describes: one that exists or can be pulled, or else one made from this machine's files.
/// [`python_image`] has the order.
pub fn image(
    engine: &ContainerEngine,
    request: &ImageRequest,
    context: &mut BuildContext,
) -> Result<ReadyImage> {
    check_versions(request)?;
    let base = match &request.base {
        Some(base) => engine.image(&engine.image_id(base, context.cancel)?),
        None => None,
    };
    let usual = usual_name(request, base.as_ref())?;
    let name = request.name.clone().map_or(usual, with_tag);
    if let Some(found) = existing(engine, request, &name, context)? {
        return Ok(found);
    }
    let folder = context.cache.join("images");
    std::fs::create_dir_all(&folder).map_err(|why| Error::io("make the folder", &folder, why))?;
    let _lock = lock(&folder.join("build.lock"), context.cancel)?;
    // Another process may have made it while this one waited.
    if let Some(found) = own(engine, request, &name).filter(|_| !request.force) {
        return Ok(ready(name, ImageOrigin::Found, found));
    }
    make(engine, request, base.as_ref(), name, context)
}

/// The name of the image if the request names none.
fn usual_name(request: &ImageRequest, base: Option<&StoredImage>) -> Result<String> {
    match (&request.jdk, &request.python, base) {
        (Some(release), _, _) => Ok(jdk_image_name(release)),
        (None, Some(version), Some(base)) => Ok(name_on(version, &base.id)),
        (None, Some(version), None) => Ok(python_image_name(version)),
        (None, None, _) => Err(Error::user("an image needs a Python or a JDK")),
    }
}

/// Makes the image, and then gives it its name.
fn make(
    engine: &ContainerEngine,
    request: &ImageRequest,
    base: Option<&StoredImage>,
    name: String,
    context: &mut BuildContext,
) -> Result<ReadyImage> {
    engine.remove_stale()?;
    engine.remove_unfinished_images()?;
    let parts = ImageParts {
        python: HostPython::find(request.python.as_deref())?,
        jdk: request.jdk.as_deref().map(jdk::find).transpose()?,
    };
    (context.progress)(&format!(
        "make the image {name} from {} of this machine",
        parts.title()
    ));
    let id = match (&request.base, &base) {
        (Some(base_name), Some(base)) => build_on(engine, (base_name, base), &parts, context)?,
        _ => build(engine, &parts, context)?,
    };
    let before = engine.image(&name);
    engine.tag_image(&id, &name)?;
    // The image that had this name. It stays if it has other names, or if a container uses it.
    let before = before.filter(|before| before.labels.contains_key(IMAGE_LABEL));
    let before = before.and_then(|before| engine.image(&before.id));
    if let Some(before) = before.filter(|before| before.names.is_empty()) {
        let _ = engine.remove_image(&before.id);
    }
    let stored = engine.image(&id).unwrap_or_default();
    Ok(ready(name, ImageOrigin::Built, stored))
}

/// An image that need not be made: one with the name, or an official one.
fn existing(
    engine: &ContainerEngine,
    request: &ImageRequest,
    name: &str,
    context: &mut BuildContext,
) -> Result<Option<ReadyImage>> {
    if request.force {
        return Ok(None);
    }
    let official = match (&request.python, &request.jdk, &request.base) {
        (Some(version), None, None) => Some(format!("python:{version}-slim")),
        _ => None,
    };
    let official = official.as_deref();
    let named = |official: &str, origin, found: StoredImage| match &request.name {
        Some(_) => engine
            .tag_image(&found.id, name)
            .map(|()| ready(name.to_owned(), origin, found)),
        None => Ok(ready(official.to_owned(), origin, found)),
    };
    if let Some((official, found)) = official.and_then(|name| Some((name, engine.image(name)?))) {
        return named(official, ImageOrigin::Found, found).map(Some);
    }
    if let Some(found) = own(engine, request, name) {
        return Ok(Some(ready(name.to_owned(), ImageOrigin::Found, found)));
    }
    let Some(official) = official else {
        return Ok(None);
    };
    (context.progress)(&format!("pull {official}"));
    if let Err(why) = engine.image_id(official, context.cancel) {
        context.cancel.check()?;
        (context.progress)(why.what());
        return Ok(None);
    }
    let Some(found) = engine.image(official) else {
        return Ok(None);
    };
    named(official, ImageOrigin::Pulled, found).map(Some)
}

/// The image with this name, if this version of Evoscope would make the same.
fn own(engine: &ContainerEngine, request: &ImageRequest, name: &str) -> Option<StoredImage> {
    engine.image(name).filter(|image| fits(image, request))
}

fn fits(image: &StoredImage, request: &ImageRequest) -> bool {
    let has = |label: &str, version: Option<&String>| {
        version.is_none_or(|version| {
            let own = image.labels.get(label).map_or("", String::as_str);
            let version = version.strip_prefix("1.").unwrap_or(version);
            let own = own.strip_prefix("1.").unwrap_or(own);
            let rest = own.strip_prefix(version);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_', '+']))
        })
    };
    image
        .labels
        .get(IMAGE_LABEL)
        .is_some_and(|layout| layout == LAYOUT)
        && has(PYTHON_LABEL, request.python.as_ref())
        && has(JDK_LABEL, request.jdk.as_ref())
}

fn ready(name: String, origin: ImageOrigin, stored: StoredImage) -> ReadyImage {
    ReadyImage {
        name,
        origin,
        stored,
    }
}

/// The name with the tag `latest`, if it has no tag.
fn with_tag(name: String) -> String {
    let last = name.rsplit('/').next().unwrap_or(&name);
    if last.contains(':') {
        name
    } else {
        format!("{name}:latest")
    }
}

fn check_versions(request: &ImageRequest) -> Result<()> {
    let numbers = |text: &str| {
        let parts = text.split('.');
        parts
            .map(|part| u16::from_str(part).is_ok())
            .collect::<Vec<_>>()
    };
    if let Some(version) = &request.python {
        let numbers = numbers(version);
        if !version.starts_with("3.")
            || !(2..=3).contains(&numbers.len())
            || numbers.contains(&false)
        {
            return Err(
                Error::user(format!("'{version}' is no version of Python 3"))
                    .hint("give a version such as 3.9 or 3.9.18"),
            );
        }
    }
    if let Some(release) = &request.jdk
        && numbers(release).contains(&false)
    {
        return Err(Error::user(format!("'{release}' is no release of a JDK"))
            .hint("give a release such as 17"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_named_after_what_they_have() {
        assert_eq!(python_image_name("3.9"), "evoscope/python:3.9");
        assert_eq!(jdk_image_name("17"), "evoscope/jdk:17");
        let id = "sha256:0123456789abcdef";
        assert_eq!(name_on("3.9", id), "evoscope/python:3.9-on-0123456789ab");
        assert_eq!(with_tag("a.b:5000/c".to_owned()), "a.b:5000/c:latest");
        assert_eq!(with_tag("c:d".to_owned()), "c:d");
    }

    #[test]
    fn an_image_with_another_version_or_layout_does_not_fit() {
        let image = |layout: &str, python: &str| StoredImage {
            labels: [
                (IMAGE_LABEL, layout),
                (PYTHON_LABEL, python),
                (JDK_LABEL, "1.8.0_392"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
            ..StoredImage::default()
        };
        let request = |python: &str, jdk: &str| ImageRequest {
            python: Some(python.to_owned()),
            jdk: Some(jdk.to_owned()),
            ..ImageRequest::default()
        };
        let own = image(LAYOUT, "3.10.2");
        assert!(fits(&own, &request("3.10", "8")) && fits(&own, &request("3.10.2", "1.8")));
        assert!(fits(&own, &ImageRequest::default()));
        assert!(!fits(&own, &request("3.1", "8")) && !fits(&own, &request("3.10", "17")));
        assert!(!fits(&image("0", "3.10.2"), &request("3.10", "8")));
        assert!(!fits(&StoredImage::default(), &ImageRequest::default()));
    }

    #[test]
    fn only_versions_are_accepted() {
        let checked = |python: &str| {
            check_versions(&ImageRequest {
                python: Some(python.to_owned()),
                ..ImageRequest::default()
            })
        };
        for version in ["3.9", "3.13.0"] {
            checked(version).unwrap();
        }
        for version in ["2.7", "3", "3.x", "3.9-slim", "3.9.1.2", ""] {
            assert!(checked(version).is_err(), "{version}");
        }
    }
}
