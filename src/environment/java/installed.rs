//! Finds Java libraries on this machine: the jars that a task's record names, and `JUnit` 4 for projects that name no
//! libraries.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use indexmap::IndexSet;

use crate::error::{Error, Result};

/// The folders in which Linux packages and local installations store jars.
const SYSTEM: [&str; 3] = [
    "/usr/share/java",
    "/usr/share/java/hamcrest",
    "/usr/local/share/java",
];

/// The maximum number of folders that [`newest_first`] searches.
const LOOKED_INTO: usize = 200;

/// The jar of `JUnit` 4, and the jar of Hamcrest, which `JUnit` needs. They come from the variable `CLASSPATH`, from
/// installed packages, or from the repositories of Maven and Gradle. If a jar is missing, the error states what to
/// install.
pub(super) fn junit() -> Result<Vec<PathBuf>> {
    let jars = jars();
    let junit = jars.iter().find(|jar| is_junit(jar));
    let hamcrest = jars.iter().find(|jar| is_hamcrest(jar));
    match (junit, hamcrest) {
        (Some(junit), Some(hamcrest)) => Ok(vec![junit.clone(), hamcrest.clone()]),
        (junit, _) => {
            let missing = if junit.is_none() {
                "JUnit 4"
            } else {
                "Hamcrest, which JUnit 4 needs"
            };
            Err(Error::sandbox(format!("this machine has no {missing}")).hint(
                "install it (Debian: apt install junit4; Maven: mvn dependency:get -Dartifact=junit:junit:4.13.2), or \
                 name its jars in CLASSPATH or in evoscope.toml: classpath = [\"…\"]",
            ))
        }
    }
}

/// Finds jars by `names`. A name is an absolute path, or the name of a file in the folders of installed packages.
/// Returns each jar once, in the order of `names`. A missing jar is skipped without an error: if a test needs it, javac
/// reports the missing package.
pub fn installed_jars(names: &[String]) -> Vec<PathBuf> {
    let found = names.iter().filter_map(|name| {
        let mut paths = SYSTEM.iter().map(|folder| Path::new(folder).join(name));
        paths.find(|path| path.is_file())
    });
    found.collect::<IndexSet<_>>().into_iter().collect()
}

/// Files that may be the jars of `JUnit` 4 and Hamcrest, the most preferred first.
fn jars() -> Vec<PathBuf> {
    let class_path = env::var_os("CLASSPATH").unwrap_or_default();
    let mut found: Vec<PathBuf> = env::split_paths(&class_path)
        .filter(|path| path.is_file())
        .collect();
    for folder in SYSTEM {
        let mut here = entries(Path::new(folder));
        // Prefer junit4.jar to junit.jar, which may be JUnit 3.
        here.sort_by_key(|path| (!path.ends_with("junit4.jar"), path.clone()));
        found.extend(here);
    }
    let home = env::home_dir().unwrap_or_default();
    for repository in [
        ".m2/repository/junit/junit",
        ".m2/repository/org/hamcrest",
        ".gradle/caches/modules-2/files-2.1/junit/junit",
        ".gradle/caches/modules-2/files-2.1/org.hamcrest",
    ] {
        found.extend(newest_first(&home.join(repository)));
    }
    found
}

/// The files below a folder, sorted by the version in the file name. The highest version comes first.
fn newest_first(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    let mut looked_into = 0;
    while let Some(folder) = folders.pop() {
        looked_into += 1;
        if looked_into > LOOKED_INTO {
            break;
        }
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort_by_key(|path| std::cmp::Reverse(numbers(&stem(path))));
    files
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// The numbers in a name: 4, 13 and 2 for `junit-4.13.2`.
pub(super) fn numbers(name: &str) -> Vec<u32> {
    let parts = name.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// The file name without `.jar`. Empty for a file with another extension.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(".jar").unwrap_or_default().to_owned()
}

fn is_junit(path: &Path) -> bool {
    let name = stem(path);
    ["junit4", "junit"].contains(&name.as_str())
        || is_version(&name, "junit-4")
        || is_version(&name, "junit4-4")
}

fn is_hamcrest(path: &Path) -> bool {
    let name = stem(path);
    ["hamcrest", "hamcrest-core", "core"].contains(&name.as_str())
        || is_version(&name, "hamcrest-")
        || is_version(&name, "hamcrest-core-")
}

/// Whether a name is `start` and a version, without a suffix such as `-sources` or `-javadoc`.
fn is_version(name: &str, start: &str) -> bool {
    let rest = name.strip_prefix(start);
    rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jars_are_recognised_by_their_names() {
        for name in [
            "junit4.jar",
            "junit.jar",
            "junit-4.13.2.jar",
            "junit-4.12.jar",
        ] {
            assert!(is_junit(Path::new(name)), "{name}");
        }
        for name in [
            "junit-4.13.2-sources.jar",
            "junit-3.8.2.jar",
            "junit-jupiter-api.jar",
            "junit4.pom",
        ] {
            assert!(!is_junit(Path::new(name)), "{name}");
        }
        for name in [
            "hamcrest.jar",
            "hamcrest-core.jar",
            "hamcrest-core-1.3.jar",
            "hamcrest-2.2.jar",
        ] {
            assert!(is_hamcrest(Path::new(name)), "{name}");
        }
        assert!(!is_hamcrest(Path::new("hamcrest-library-1.3.jar")));
    }

    #[test]
    fn a_repeated_jar_is_found_once_and_a_missing_jar_is_skipped() {
        let place = tempfile::tempdir().unwrap();
        let jar = place.path().join("own.jar");
        fs::write(&jar, "").unwrap();
        let path = jar.to_str().unwrap().to_owned();
        let names = [path.clone(), "absent.jar".to_owned(), path];
        assert_eq!(installed_jars(&names), [jar]);
    }

    #[test]
    fn the_highest_version_in_a_repository_is_first() {
        let place = tempfile::tempdir().unwrap();
        for version in ["4.9", "4.13.2", "4.12"] {
            let folder = place.path().join(version);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("junit-{version}.jar")), "").unwrap();
        }
        let found = newest_first(place.path());
        let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap()).collect();
        assert_eq!(
            names,
            ["junit-4.13.2.jar", "junit-4.12.jar", "junit-4.9.jar"]
        );
    }
}
