//! A JDK of this machine, as a part of an image.

use std::path::{Path, PathBuf};

use super::root_tree::RootTree;
use crate::environment::java::jdk::Jdk;
use crate::error::Result;

/// Parts of a JDK that neither a compiler nor a run needs: the modules are also in `lib/modules`.
const LEFT_OUT: [&str; 7] = [
    "demo", "docs", "include", "jmods", "legal", "man", "src.zip",
];

/// The hint of a missing JDK.
const HINT: &str = "install one on this machine (Debian: apt install default-jdk-headless) or set JAVA_HOME, or name \
                    an image that has it and python3 (image = \"…\" in evoscope.toml, or --image)";

/// The JDK of this machine with this release.
pub(super) fn find(release: &str) -> Result<Jdk> {
    Jdk::find(Some(release)).map_err(|why| why.hint(HINT))
}

/// The release of the first JDK of this machine: `17`.
pub(super) fn usual_release() -> Result<String> {
    let jdk = Jdk::find(None).map_err(|why| why.hint(HINT))?;
    let version = jdk.version.strip_prefix("1.").unwrap_or(&jdk.version);
    let digits = version.split(|c: char| !c.is_ascii_digit()).next();
    Ok(digits.unwrap_or(version).to_owned())
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

/// Shell commands that end the script, with a reason, unless the JDK works.
pub(super) const CHECK: &str = "\
for program in 'java -version' 'javac -version' 'jar --version'; do
    said=$($program 2>&1) || { echo \"ERROR: $program: $said\"; exit 1; }
done";
