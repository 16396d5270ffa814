//! What tests in some languages need in addition to the runner (the Python program that runs the tests).

use serde::Serialize;

use super::java::{self, JavaEnvironment};

/// The compiler and the libraries for tests that do not run in the runner's Python interpreter. The runner receives
/// them in a field with the name of the language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Toolchain {
    /// A JDK with its class path.
    Java(JavaEnvironment),
}

/// The fix for a missing library in the output of a compiler or test runner. `None` if the output shows no missing
/// library.
pub fn missing_library_fix(output: &str) -> Option<String> {
    java::missing_library::fix(output)
}
