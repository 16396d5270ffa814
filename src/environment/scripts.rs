//! The Python programs that run in an environment while it is built. They need Python 3.7 or later and no packages.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::requirements::{Requirements, USUAL_PYTEST};
use crate::error::{Error, Result};

/// The files of the programs, which import each other and stay in one folder.
pub(super) const SCRIPTS: [(&str, &str); 3] = [
    ("distributions.py", include_str!("python/distributions.py")),
    ("install.py", include_str!("python/install.py")),
    ("remove_copies.py", include_str!("python/remove_copies.py")),
];

/// Writes the programs into a folder.
pub(super) fn write_scripts(folder: &Path) -> Result<()> {
    for (name, text) in SCRIPTS {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|why| Error::io("write", &path, why))?;
    }
    Ok(())
}

/// The request that `install.py` reads. `own_pytest` says that the interpreter sees a pytest of its image.
pub(super) fn install_request(requirements: &Requirements, own_pytest: bool) -> String {
    json!({
        "packages": requirements.packages,
        "found": requirements.found,
        "pytest": requirements.pytest(),
        "own_pytest": own_pytest && requirements.pytest() == USUAL_PYTEST,
    })
    .to_string()
}
