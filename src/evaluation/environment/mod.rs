//! Environments: the Python and the packages that a project's tests need, built once and kept by content.

mod container;
mod host;
mod needs;
mod step;

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::project::{ProjectFiles, is_python};
use crate::error::{Cancel, Error, Result};

pub use container::container_environment;
pub use host::{find_pytest, host_environment, host_python};
pub(crate) use needs::FIXTURES;
pub use needs::{Needs, find_needs};

/// The pytest that is installed where a project does not rule it out: the last line that the benchmarks' projects were
/// written for.
const PYTEST: &str = "pytest<8";

/// How often it is looked whether the run is cancelled, while a step of building goes on.
const LOOK: Duration = Duration::from_millis(100);

/// The lock at `path`, taken once no other process has it.
///
/// Errors when it cannot be made, and when the run is cancelled meanwhile.
fn locked(path: &Path, cancel: &Cancel) -> Result<File> {
    let file = File::create(path).map_err(|why| Error::io("write", path, why))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {
                cancel.check()?;
                thread::park_timeout(LOOK);
            }
            Err(TryLockError::Error(why)) => return Err(Error::io("lock", path, why)),
        }
    }
}

/// The identity of an environment with these needs, on this foundation.
///
/// What `setup` does depends on the project's files, so they count where there is such a command; otherwise their names.
fn key(needs: &Needs, foundation: &str, cancel: &Cancel) -> Result<String> {
    let mut hash = Sha256::new();
    if !needs.setup.is_empty() {
        hash.update(project(needs, cancel)?.content_hash(cancel)?);
    } else if !(needs.packages.is_empty() && needs.found.is_empty()) {
        // A package may bring the project itself along, and that is taken out again.
        hash.update(own_sources(needs, cancel)?);
    }
    let text = format!(
        "3\n{foundation}\n{}\n{:?}\n{:?}\n{:?}",
        needs.pytest(),
        needs.packages,
        needs.found,
        needs.setup
    );
    hash.update(text);
    let [a, b, c, ..] = *hash.finalize().as_chunks::<4>().0 else {
        return Ok(String::new());
    };
    Ok(format!(
        "{:08x}{:08x}{:08x}",
        u32::from_be_bytes(a),
        u32::from_be_bytes(b),
        u32::from_be_bytes(c)
    ))
}

/// The project that the commands of `setup` are run for.
fn project(needs: &Needs, cancel: &Cancel) -> Result<ProjectFiles> {
    ProjectFiles::list("project", &needs.root, &[], cancel)
}

/// Takes the project's own modules out of an environment; run there, with a file that holds [`own_sources`].
const TAKE_OUT_COPIES: &str = concat!(include_str!("required.py"), include_str!("take_out.py"));

/// Installs what is needed into a container's environment, run there; its own text says how it is told.
const INSTALL: &str = concat!(include_str!("required.py"), include_str!("install.py"));

/// The project's Python files, a line each.
fn own_sources(needs: &Needs, cancel: &Cancel) -> Result<String> {
    let files = project(needs, cancel)?.files;
    let paths = files.iter().map(|file| file.path.as_str());
    Ok(paths
        .filter(|path| is_python(path))
        .collect::<Vec<_>>()
        .join("\n"))
}

/// Prints which packages an environment's interpreter has loaded when it has loaded pytest, as a hash over all of them.
const LOADED_WITH_PYTEST: &str = "
import hashlib, sys
import pytest
from _pytest import config
config.get_config([], [])
loaded = hashlib.sha256(sys.version.encode())
for name, module in sorted(sys.modules.items()):
    file = getattr(module, '__file__', None) or ''
    if ('site-packages' in file or 'dist-packages' in file) and name != '_distutils_hack':
        with open(file, 'rb') as source:
            text = source.read()
        loaded.update(('%s %d ' % (name, len(text))).encode() + text)
print('evoscope-loaded ' + loaded.hexdigest()[:32])
";

/// The hash in what that program has printed.
fn loaded_with_pytest(printed: &str) -> Option<&str> {
    printed
        .lines()
        .find_map(|line| line.strip_prefix("evoscope-loaded "))
}

/// What an environment is built with: where it lies, what is told of each step, and the flag that ends it.
pub struct Building<'a> {
    /// The folder that environments are kept in.
    pub cache: &'a Path,
    /// Hears each step.
    pub progress: &'a mut dyn FnMut(&str),
    /// Ends the building.
    pub cancel: &'a Cancel,
}
