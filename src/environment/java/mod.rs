//! Environments for Java: a JDK, libraries, the compiled runner, and an archive of the classes that every run loads.
//!
//! A shell script builds each environment once, on this machine or in a volume of a container engine. An environment
//! has copies of the libraries, so that a package update on this machine does not change the environment.

mod container;
mod host;
mod installed;
pub(super) mod jdk;
pub(super) mod missing_library;
mod pom;
mod runner_sources;
mod script;

use std::fs;
use std::path::PathBuf;

use serde::Serialize;
use sha2::{Digest, Sha256};

pub use self::container::container_java;
pub use self::host::host_java;
pub use self::installed::installed_jars;
pub use self::pom::pom_jars;
use super::build_context::hex;
use crate::error::{Error, Result};

/// What the tests of a Java project need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JavaRequirements {
    /// The release of the JDK: `17`. `None` for any release.
    pub jdk: Option<String>,
    /// The libraries, as files of this machine, in their order on the class path. If there are none, the `JUnit` 4 of
    /// this machine is used.
    pub class_path: Vec<PathBuf>,
    /// Further arguments of the compiler.
    pub javac_args: Vec<String>,
    /// Further arguments of the JVM that runs tests.
    pub jvm_args: Vec<String>,
    /// The folders of main sources, relative to the project's root. Empty for the main sources of the target's
    /// module.
    pub source_roots: Vec<String>,
    /// The folders of test sources, relative to the project's root. Empty for the test sources of the target's
    /// module.
    pub test_roots: Vec<String>,
    /// The container image, if `evoscope.toml` names one.
    pub image: Option<String>,
}

/// (name, text) of a Java source of the runner.
type RunnerSource = (&'static str, &'static str);

/// The Java part of an environment, in the form that is sent to the test runner in the sandbox. All paths are paths
/// inside the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JavaEnvironment {
    java: String,
    runner: String,
    archive: String,
    class_path: Vec<String>,
    javac_args: Vec<String>,
    jvm_args: Vec<String>,
    source_roots: Vec<String>,
    test_roots: Vec<String>,
}

impl JavaEnvironment {
    /// The environment in `folder` with the JVM at the path `java`.
    fn new(
        folder: &str,
        java: String,
        requirements: &JavaRequirements,
        libraries: &[Library],
    ) -> Self {
        let class_path = libraries
            .iter()
            .map(|library| format!("{folder}/{}", library.name));
        Self {
            java,
            runner: format!("{folder}/runner.jar"),
            archive: format!("{folder}/classes.jsa"),
            class_path: class_path.collect(),
            javac_args: requirements.javac_args.clone(),
            jvm_args: requirements.jvm_args.clone(),
            source_roots: plain(&requirements.source_roots),
            test_roots: plain(&requirements.test_roots),
        }
    }
}

/// The paths without `./` at the beginning and `/` at the end.
fn plain(roots: &[String]) -> Vec<String> {
    let roots = roots.iter();
    let plain = roots.map(|root| root.trim_start_matches("./").trim_end_matches('/'));
    plain.map(str::to_owned).collect()
}

/// A library in an environment.
struct Library {
    /// The path in the environment's folder: `lib/00-junit4.jar`. The number is the position on the class path and
    /// makes the names unique.
    name: String,
    data: Vec<u8>,
}

/// Reads the libraries or, if the requirements name no libraries, `JUnit` 4 of this machine. Errors if a library cannot
/// be read, or if `JUnit` 4 is needed but missing.
fn libraries(requirements: &JavaRequirements) -> Result<Vec<Library>> {
    let named = &requirements.class_path;
    let class_path = if named.is_empty() {
        installed::junit()?
    } else {
        named.clone()
    };
    let read = |(number, path): (usize, &PathBuf)| {
        let data = fs::read(path).map_err(|why| {
            Error::io("read the library", path, why).hint(
                "name files of this machine in evoscope.toml: classpath = [\"/usr/share/java/junit4.jar\"]; Debian's \
                 package of JUnit is junit4",
            )
        })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Library {
            name: format!("lib/{number:02}-{name}"),
            data,
        })
    };
    class_path.iter().enumerate().map(read).collect()
}

/// The key of an environment: a hash of the script's version, the JDK (`base`), the libraries and the runner's sources.
fn key(base: &str, libraries: &[Library], sources: &[RunnerSource]) -> String {
    let mut hash = Sha256::new();
    hash.update(script::VERSION);
    hash.update(base);
    for library in libraries {
        hash.update(&library.name);
        hash.update(Sha256::digest(&library.data));
    }
    for (name, text) in sources {
        hash.update(format!("\n{name}\n{text}"));
    }
    hex(&hash.finalize()[..12])
}

/// The text that identifies an environment. It depends on the contents of the environment (`key`), and on the arguments
/// and source folders of the requirements.
fn identity(kind: &str, key: &str, requirements: &JavaRequirements) -> String {
    let used = format!(
        "{:?} {:?} {:?} {:?}",
        requirements.javac_args,
        requirements.jvm_args,
        requirements.source_roots,
        requirements.test_roots
    );
    let used = hex(&Sha256::digest(used)[..6]);
    format!("{kind} java {key} {used}")
}
