//! A project's environment: the Python interpreter on this machine or in a container image, and the installed packages.

use std::path::PathBuf;

use super::toolchain::Toolchain;

/// A Python interpreter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Interpreter {
    /// A Python in an image.
    Image {
        /// The image's reference: `python:3.11-slim`.
        image: String,
        /// The interpreter's path in the container, or its name.
        python: String,
        /// The volume with the virtual environment of the interpreter. `None` if the image contains all packages.
        volume: Option<Volume>,
    },
    /// A Python on this machine.
    Host {
        /// The absolute path of the interpreter.
        python: PathBuf,
        /// The folder of the interpreter's virtual environment, if it has one.
        environment: Option<PathBuf>,
        /// Further folders that the interpreter needs, in addition to the system's folders and the virtual environment.
        folders: Vec<PathBuf>,
    },
}

/// A volume of a container engine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Volume {
    /// The name of the volume.
    pub name: String,
    /// The folder in the container where the volume is mounted.
    pub folder: String,
}

/// The environment of a project: an interpreter with the installed packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// The interpreter.
    pub interpreter: Interpreter,
    /// Identifies the interpreter and the requested packages. Machines that share a cache and have the same interpreter
    /// give equal identities for equal packages.
    pub identity: String,
    /// The version of Python, such as `3.11`, if it is known.
    pub python: Option<String>,
    /// What a run needs in addition to the interpreter. `None` for Python tests.
    pub toolchain: Option<Toolchain>,
}

impl Environment {
    pub(super) fn new(interpreter: Interpreter, identity: String) -> Self {
        Self {
            interpreter,
            identity,
            python: None,
            toolchain: None,
        }
    }

    /// Sets `python` to the first two numbers of `version`: `3.11` for `3.11.4`.
    pub(super) fn with_python(self, version: &str) -> Self {
        let numbers: Vec<&str> = version.trim().splitn(3, '.').take(2).collect();
        Self {
            python: Some(numbers.join(".")),
            ..self
        }
    }

    pub(super) fn with_toolchain(
        interpreter: Interpreter,
        identity: String,
        toolchain: Toolchain,
    ) -> Self {
        Self {
            toolchain: Some(toolchain),
            ..Self::new(interpreter, identity)
        }
    }
}
