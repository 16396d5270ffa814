//! The interpreter that runs a project's tests, on this machine or in an image, with its packages.

use std::path::PathBuf;

use super::java::JavaEnvironment;

/// A Python interpreter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Interpreter {
    /// A Python in an image.
    Image {
        /// The image's reference: `python:3.11-slim`.
        image: String,
        /// The interpreter's path or name in the image.
        python: String,
        /// The volume with its virtual environment, if that is not part of the image.
        volume: Option<Volume>,
    },
    /// A Python on this machine.
    Host {
        /// Its absolute path.
        python: PathBuf,
        /// The virtual environment that it belongs to, if any.
        environment: Option<PathBuf>,
        /// Folders that it needs, in addition to the system's own and the virtual environment.
        folders: Vec<PathBuf>,
    },
}

/// A volume of a container engine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Volume {
    /// Its name.
    pub name: String,
    /// Where it is mounted in a container.
    pub folder: String,
}

/// The environment of a project: an interpreter with the installed packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// The interpreter.
    pub interpreter: Interpreter,
    /// Identifies the interpreter and the requested packages. It is the same on every machine that uses the same cache.
    pub identity: String,
    /// The version of Python, such as `3.11`, if it is known.
    pub python: Option<String>,
    /// What Java runs need in addition to the interpreter. `None` for Python tests.
    pub java: Option<JavaEnvironment>,
}

impl Environment {
    pub(super) fn new(interpreter: Interpreter, identity: String) -> Self {
        Self {
            interpreter,
            identity,
            python: None,
            java: None,
        }
    }

    /// The same environment, with the first two numbers of its Python version.
    pub(super) fn with_python(self, version: &str) -> Self {
        let numbers: Vec<&str> = version.trim().splitn(3, '.').take(2).collect();
        Self {
            python: Some(numbers.join(".")),
            ..self
        }
    }

    pub(super) fn with_java(
        interpreter: Interpreter,
        identity: String,
        java: JavaEnvironment,
    ) -> Self {
        Self {
            java: Some(java),
            ..Self::new(interpreter, identity)
        }
    }
}
