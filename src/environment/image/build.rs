//! Makes an image from files of this machine: on its own, or on top of another image.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::jdk;
use super::libraries::libraries;
use super::python::HostPython;
use super::root_tree::RootTree;
use super::system::{add_shared_data, add_system};
use crate::environment::build_context::BuildContext;
use crate::environment::container::BuildContainer;
use crate::environment::engine::labels::{
    BUILDER_LABEL, IMAGE_LABEL, JDK_LABEL, PYTHON_LABEL, VERSION_LABEL,
};
use crate::environment::engine::{ContainerEngine, EngineKind, OWNER_LABEL, StoredImage};
use crate::environment::java::jdk::Jdk;
use crate::environment::process_identity::ProcessIdentity;
use crate::environment::scripts::quoted;
use crate::error::{Error, Result};

/// The version of what an image contains. Change it whenever the files or the configuration change.
pub(super) const LAYOUT: &str = "1";
/// The folder in a container in which the files wait until those that the image lacks are copied.
const WAITING: &str = "/evoscope-image";
const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What an image is made of.
pub(super) struct ImageParts {
    pub python: HostPython,
    pub jdk: Option<Jdk>,
}

impl ImageParts {
    /// What the image contains, for messages: `Python 3.9.18`.
    pub fn title(&self) -> String {
        let python = format!("Python {}", self.python.version);
        match &self.jdk {
            Some(jdk) => format!("JDK {} and {python}", jdk.version),
            None => python,
        }
    }

    /// The folders with the programs. They come first on the image's search path.
    fn programs(&self) -> Vec<PathBuf> {
        let jdk = self.jdk.as_ref().map(jdk::programs);
        let python = self.python.executable.parent().map(Path::to_owned);
        let usual = |folder: &PathBuf| {
            USUAL_PATH
                .split(':')
                .any(|usual| folder == Path::new(usual))
        };
        jdk.into_iter()
            .chain(python)
            .filter(|folder| !usual(folder))
            .collect()
    }

    fn add_to(&self, tree: &mut RootTree) {
        self.python.add_to(tree);
        if let Some(jdk) = &self.jdk {
            jdk::add_to(jdk, tree);
        }
    }

    /// Adds links by which the programs are found in the usual folders.
    fn add_links(&self, tree: &mut RootTree) {
        for folder in ["/usr/bin", "/usr/local/bin"] {
            for name in self.python.names() {
                tree.add_link(&Path::new(folder).join(name), &self.python.executable);
            }
            for programs in self.jdk.iter().map(jdk::programs) {
                for name in ["java", "javac", "jar"] {
                    tree.add_link(&Path::new(folder).join(name), &programs.join(name));
                }
            }
        }
    }

    /// The labels and the search path of the image, as lines of a Dockerfile. `path` is the rest of the search path.
    fn changes(&self, path: &str) -> Vec<String> {
        let programs = self.programs();
        let mut folders: Vec<String> = programs
            .iter()
            .map(|folder| folder.display().to_string())
            .collect();
        folders.push(path.to_owned());
        let mut labels = vec![
            (IMAGE_LABEL, LAYOUT),
            (VERSION_LABEL, env!("CARGO_PKG_VERSION")),
            (PYTHON_LABEL, &self.python.version),
            // A container's label would otherwise stay on an image that is made of it. It marks what may be removed.
            (OWNER_LABEL, ""),
        ];
        if let Some(jdk) = &self.jdk {
            labels.push((JDK_LABEL, &jdk.version));
        }
        let labels = labels
            .iter()
            .map(|(name, value)| format!("LABEL {name}={}", dockerfile_word(value)));
        let mut changes: Vec<String> = labels.collect();
        changes.push(builder_label());
        changes.push(format!("ENV PATH={}", dockerfile_word(&folders.join(":"))));
        // It replaces the script of a container that the image is made of. An empty one would not.
        changes.push("ENTRYPOINT [\"/usr/bin/env\"]".to_owned());
        changes.push("CMD [\"python3\"]".to_owned());
        changes
    }

    /// The shell commands that fail, with a reason, unless the programs work.
    fn check(&self) -> String {
        let java = self.jdk.iter().map(|_| format!("{}\n", jdk::CHECK));
        let java: String = java.collect();
        format!("set -e\n{java}{}", self.python.check())
    }
}

/// Makes an image of `parts` and of this machine's shell and tools. The image has no name yet. Returns its id.
pub(super) fn build(
    engine: &ContainerEngine,
    parts: &ImageParts,
    context: &mut BuildContext,
) -> Result<String> {
    let mut tree = RootTree::default();
    add_system(&mut tree);
    parts.add_to(&mut tree);
    add_libraries(&mut tree)?;
    parts.add_links(&mut tree);
    let (cancel, tree) = (context.cancel.clone(), Arc::new(tree));
    let mut changes = parts.changes(USUAL_PATH);
    changes.push("ENV LANG=\"C.UTF-8\"".to_owned());
    let first = match engine.kind() {
        EngineKind::Docker => changes.clone(),
        // Podman applies only one change at an import, and all of them when it stores a container.
        EngineKind::Podman => vec![builder_label()],
    };
    let imported = engine.import_image(
        first,
        move |out| tree.write(Path::new(""), out, &cancel),
        context.cancel,
    )?;
    let made =
        checked(engine, &imported, parts, context).and_then(|container| match engine.kind() {
            EngineKind::Docker => Ok(imported.clone()),
            EngineKind::Podman => engine.commit(container.id(), &changes),
        });
    if made.as_ref().ok() != Some(&imported) {
        let _ = engine.remove_image(&imported);
    }
    made
}

/// Starts a container of the new image and runs the check in it. Returns the container.
fn checked(
    engine: &ContainerEngine,
    id: &str,
    parts: &ImageParts,
    context: &mut BuildContext,
) -> Result<BuildContainer> {
    let script = format!("exec 2>&1\n{}", parts.check());
    let container = BuildContainer::plain(engine, id, &script)?;
    let ended = container.run(Vec::new(), context)?;
    if ended.success {
        return Ok(container);
    }
    let why = ended.reason;
    Err(Error::sandbox(format!(
        "{} of this machine does not work in an image: {why}",
        parts.title()
    ))
    .hint("name an image that has it (image = \"…\" in evoscope.toml, or --image)"))
}

/// The label with the process that makes the image, as a line of a Dockerfile.
fn builder_label() -> String {
    let builder = ProcessIdentity::current().to_string();
    format!("LABEL {BUILDER_LABEL}={}", dockerfile_word(&builder))
}

/// Makes an image of the image `base` and a Python of this machine. Files that `base` has already are kept, except for
/// the links in `/usr/local/bin` by which `python3` is started. The image has no name yet. Returns its id.
pub(super) fn build_on(
    engine: &ContainerEngine,
    (base_name, base): (&str, &StoredImage),
    parts: &ImageParts,
    context: &mut BuildContext,
) -> Result<String> {
    let mut tree = RootTree::default();
    parts.add_to(&mut tree);
    add_shared_data(&mut tree);
    add_libraries(&mut tree)?;
    let path = base.path.as_deref().unwrap_or(USUAL_PATH);
    let container = BuildContainer::plain(engine, &base.id, &script_on(parts, path))?;
    let (cancel, tree) = (context.cancel.clone(), Arc::new(tree));
    let place = Path::new(WAITING.trim_start_matches('/'));
    engine.upload(
        container.id(),
        move |out| tree.write(place, out, &cancel),
        context.cancel,
    )?;
    let ended = container.run(Vec::new(), context)?;
    if !ended.success {
        let why = ended.reason;
        let title = parts.title();
        return Err(Error::sandbox(format!(
            "{title} of this machine does not work on {base_name}: {why}"
        ))
        .hint(format!(
            "name an image that has Python {}, or one with a C library that is as new as this machine's",
            parts.python.minor()
        )));
    }
    engine.commit(container.id(), &parts.changes(path))
}

/// The script that copies the files that an image lacks, and then checks the interpreter. `path` is the search path of
/// the image.
fn script_on(parts: &ImageParts, path: &str) -> String {
    let python = &parts.python;
    let mut lines = vec![
        "exec 2>&1".to_owned(),
        // `cp` fails if it skips a file.
        format!("cp -an {WAITING}/. / 2>/dev/null; rm -rf {WAITING}"),
        "ldconfig 2>/dev/null".to_owned(),
        "mkdir -p /usr/local/bin".to_owned(),
    ];
    let executable = &python.executable;
    for folder in executable.ancestors().skip(1) {
        lines.push(format!(
            "chmod a+x {}",
            quoted(&folder.display().to_string())
        ));
    }
    for name in python.names() {
        let link = Path::new("/usr/local/bin").join(name);
        if link != *executable {
            let target = quoted(&executable.display().to_string());
            lines.push(format!("ln -sfn {target} {}", link.display()));
        }
    }
    let programs = parts.programs();
    let first = programs
        .iter()
        .map(|folder| format!("{}:", folder.display()));
    let path = first.collect::<String>() + path;
    lines.push(format!("export PATH={}", quoted(&path)));
    lines.push(parts.check());
    lines.join("\n")
}

/// Quotes `word` for a line of a Dockerfile.
fn dockerfile_word(word: &str) -> String {
    let escaped = ['\\', '"', '$']
        .iter()
        .fold(word.to_owned(), |text, special| {
            text.replace(*special, &format!("\\{special}"))
        });
    format!("\"{escaped}\"")
}

/// Adds the libraries that the added files need.
fn add_libraries(tree: &mut RootTree) -> Result<()> {
    for path in libraries(tree.files().filter(|path| may_need_libraries(path)))? {
        tree.add(&path);
    }
    Ok(())
}

/// Whether a file may be a program or a library. The command line of `ldd` cannot name all files.
fn may_need_libraries(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_default();
    name.ends_with(".so") || name.contains(".so.") || is_in_bin(path)
}

fn is_in_bin(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|folder| folder == "bin" || folder == "sbin")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> ImageParts {
        let python = HostPython::find(None).unwrap();
        ImageParts { python, jdk: None }
    }

    #[test]
    fn an_image_has_labels_and_a_search_path() {
        let parts = parts();
        let changes = parts.changes("/rest");
        let has = |line: &str| changes.iter().any(|change| change == line);
        assert!(has(&format!(
            "LABEL evoscope.python=\"{}\"",
            parts.python.version
        )));
        assert!(has("LABEL evoscope.owner=\"\""), "{changes:?}");
        let path = changes
            .iter()
            .find(|change| change.starts_with("ENV PATH="));
        assert!(path.unwrap().ends_with("/rest\""), "{changes:?}");
        assert_eq!(dockerfile_word(r#"a\b"$c"#), r#""a\\b\"\$c""#);
    }

    #[test]
    fn on_another_image_everybody_may_enter_the_folders_of_the_interpreter() {
        let mut parts = parts();
        parts.python.executable = PathBuf::from("/home/a b/bin/python3.9");
        let script = script_on(&parts, "/usr/bin");
        assert!(script.contains("chmod a+x '/home/a b'\n"), "{script}");
        assert!(script.contains("PATH='/home/a b/bin:/usr/bin'"), "{script}");
        assert!(script.contains("ln -sfn '/home/a b/bin/python3.9' /usr/local/bin/python3\n"));
    }

    #[test]
    fn programs_and_libraries_are_searched_for_further_libraries() {
        for path in ["/usr/bin/git", "/l/_ssl.cpython-39.so", "/l/libssl.so.3"] {
            assert!(may_need_libraries(Path::new(path)), "{path}");
        }
        assert!(!may_need_libraries(Path::new("/l/os.py")));
    }
}
