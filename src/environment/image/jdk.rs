//! A JDK of this machine, as a part of an image.

use std::path::{Path, PathBuf};

use super::root_tree::RootTree;
use crate::environment::java::jdk::Jdk;
use crate::error::Result;

/// Parts of a JDK that neither a compiler nor a run needs: the modules are also in `lib/modules`.
const LEFT_OUT: [&str; 7] = [
    "demo", "docs", "include", "jmods", "legal", "man", "src.zip",
];

/// The JDK of this machine with this release.
pub(super) fn find(release: &str) -> Result<Jdk> {
    Jdk::find(Some(release)).map_err(|why| {
        why.hint(format!(
            "install JDK {release} on this machine (Debian: apt install openjdk-{release}-jdk-headless) or set \
             JAVA_HOME, or name an image with it and python3 (image = \"…\" in evoscope.toml, or --image)"
        ))
    })
}

/// The programs of the JDK.
pub(super) fn programs(jdk: &Jdk) -> PathBuf {
    jdk.home.join("bin")
}

/// Adds the JDK. Libraries of the system are not added.
pub(super) fn add_to(jdk: &Jdk, tree: &mut RootTree) {
    let skip = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        LEFT_OUT.contains(&name)
            && path
                .parent()
                .is_some_and(|folder| is_top(folder, &jdk.home))
    };
    for folder in jdk.folders() {
        tree.add_folder(&folder, &skip);
    }
}

/// Whether a folder is the JDK's folder or its subfolder `lib`.
fn is_top(folder: &Path, home: &Path) -> bool {
    folder == home || folder == home.join("lib")
}

/// A shell command that fails unless the JDK works.
pub(super) const CHECK: &str = "java -version && javac -version && jar --version";
