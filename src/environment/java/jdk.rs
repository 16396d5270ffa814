//! Finds the JDKs of this machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A JDK on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::environment) struct Jdk {
    /// The folder of the JDK.
    pub home: PathBuf,
    /// The version of the JDK: `17.0.15`.
    pub version: String,
}

impl Jdk {
    /// The first JDK of this machine with this release, for example `17`. Without a release, the first JDK. The error
    /// states what to install.
    pub fn find(release: Option<&str>) -> Result<Self> {
        let mut found = candidates().into_iter().filter_map(|home| Self::at(&home));
        let wanted = |jdk: &Self| release.is_none_or(|release| jdk.is_release(release));
        found.find(wanted).ok_or_else(|| {
            let release = release.map_or_else(String::new, |release| format!(" {release}"));
            let package = match release.trim() {
                "" => "default-jdk-headless".to_owned(),
                number => format!("openjdk-{number}-jdk-headless"),
            };
            Error::sandbox(format!("this machine has no JDK{release}")).hint(format!(
                "install one (Debian: apt install {package}), set JAVA_HOME, or use --sandbox docker with an image \
                 that has one"
            ))
        })
    }

    /// The JDK in a folder. `None` if the folder has no compiler, or no `release` file with a version.
    fn at(home: &Path) -> Option<Self> {
        let home = home.canonicalize().ok()?;
        if !home.join("bin/javac").is_file() {
            return None;
        }
        let text = fs::read_to_string(home.join("release")).ok()?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
        Some(Self {
            home,
            version: line.trim().trim_matches('"').to_owned(),
        })
    }

    fn is_release(&self, release: &str) -> bool {
        let own = self.version.strip_prefix("1.").unwrap_or(&self.version);
        let release = release.strip_prefix("1.").unwrap_or(release);
        own.strip_prefix(release)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_', '+']))
    }

    /// The folder of the JDK, and the other folders that symbolic links below `conf` and `lib` lead to. For example,
    /// Debian stores the configuration below `/etc`.
    pub fn folders(&self) -> Vec<PathBuf> {
        let mut found = vec![self.home.clone()];
        let mut waiting = vec![self.home.join("conf"), self.home.join("lib")];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if !path.is_symlink() {
                    if path.is_dir() {
                        waiting.push(path);
                    }
                    continue;
                }
                let Ok(target) = path.canonicalize() else {
                    continue;
                };
                let folder = if target.is_dir() {
                    target.as_path()
                } else {
                    target.parent().unwrap_or(&target)
                };
                if !found.iter().any(|known| folder.starts_with(known)) {
                    found.push(folder.to_owned());
                }
            }
        }
        found
    }
}

/// Folders that may contain a JDK: `JAVA_HOME`, the JDK of each `javac` on the search path, and the folders in which
/// the system and SDKMAN install JDKs.
fn candidates() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    let search_path = env::var_os("PATH").unwrap_or_default();
    for folder in env::split_paths(&search_path) {
        let compiler = folder.join("javac").canonicalize();
        found.extend(
            compiler
                .ok()
                .and_then(|file| Some(file.parent()?.parent()?.to_owned())),
        );
    }
    let home = env::home_dir().unwrap_or_default();
    for folder in [
        PathBuf::from("/usr/lib/jvm"),
        home.join(".sdkman/candidates/java"),
    ] {
        let mut here: Vec<PathBuf> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        here.sort();
        found.extend(here);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jdk(version: &str) -> Jdk {
        Jdk {
            home: PathBuf::new(),
            version: version.to_owned(),
        }
    }

    #[test]
    fn a_release_covers_its_versions() {
        assert!(jdk("17.0.15").is_release("17") && jdk("17").is_release("17"));
        assert!(jdk("1.8.0_392").is_release("8") && jdk("1.8.0_392").is_release("1.8"));
        assert!(!jdk("17.0.15").is_release("1") && !jdk("11.0.2").is_release("17"));
    }

    #[test]
    fn the_hint_of_a_missing_jdk_names_the_package_to_install() {
        let error = Jdk::find(Some("4")).unwrap_err();
        assert_eq!(error.what(), "this machine has no JDK 4");
        assert!(error.advice().unwrap().contains("openjdk-4-jdk-headless"));
    }
}
