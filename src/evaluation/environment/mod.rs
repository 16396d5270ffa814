//! Environments: the Python and the packages that a project's tests need, built once and kept by content.

mod container;
mod host;
mod needs;

use std::path::Path;

use sha2::{Digest, Sha256};

pub use container::container_environment;
pub use host::{find_pytest, host_environment, host_python};
pub use needs::{Needs, find_needs};

/// The pytest that is installed where a project does not name one: the last line that the benchmarks' projects were
/// written for.
const PYTEST: &str = "pytest<8";

/// The identity of an environment with these needs, on this foundation.
fn key(needs: &Needs, foundation: &str) -> String {
    let mut hash = Sha256::new();
    let text = format!(
        "1\n{foundation}\n{PYTEST}\n{:?}\n{:?}\n{:?}",
        needs.packages, needs.found, needs.setup
    );
    hash.update(text);
    let [a, b, c, ..] = *hash.finalize().as_chunks::<4>().0 else {
        return String::new();
    };
    format!(
        "{:08x}{:08x}{:08x}",
        u32::from_be_bytes(a),
        u32::from_be_bytes(b),
        u32::from_be_bytes(c)
    )
}

/// What an environment is built with: where it lies, what is told of each step, and the flag that ends it.
pub struct Building<'a> {
    /// The folder that environments are kept in.
    pub cache: &'a Path,
    /// Hears each step.
    pub progress: &'a mut dyn FnMut(&str),
    /// Ends the building.
    pub cancel: &'a crate::error::Cancel,
}
