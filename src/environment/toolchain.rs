//! What the runs of a language need in addition to the interpreter of the runner.

use serde::Serialize;

use super::java::{self, JavaEnvironment};

/// The compiler and the libraries for tests that do not run in the runner's own interpreter. The runner receives them
/// in a field with the name of the language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Toolchain {
    /// A JDK with its class path.
    Java(JavaEnvironment),
}

/// How to add the missing library that the output of a compiler or test runner shows. `None` if it shows none.
pub fn missing_library_fix(output: &str) -> Option<String> {
    java::missing_library::fix(output)
}
