//! The file that describes a complete environment. It is written last: without it, an environment is not complete.

use std::fs::File;
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::build::Contents;
use crate::error::{Error, Result};
use crate::files::{read, replace};

/// The largest size of the file, in bytes.
const LARGEST: u64 = 1 << 20;

/// What is known of a complete environment. The time of the file's last modification is the time of the environment's
/// last use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct About {
    #[serde(flatten)]
    pub(super) contents: Contents,
    /// The projects that use the environment.
    #[serde(default)]
    pub projects: Vec<String>,
}

impl About {
    /// The name of the file in the environment's folder.
    pub const NAME: &str = "about.json";

    pub(super) fn new(contents: &Contents, project: Option<&str>) -> Self {
        Self {
            contents: contents.clone(),
            projects: project.into_iter().map(str::to_owned).collect(),
        }
    }

    /// Reads the file. `None` if it does not exist or is not such a file.
    pub fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&read(path, LARGEST).ok()?).ok()
    }

    /// Reads the file because the environment is used now, by a project.
    pub fn read_used(path: &Path, project: Option<&str>) -> Option<Self> {
        let mut about = Self::read(path)?;
        // Only `cache` needs the time and the projects, so that an environment on a read-only disk still works.
        match project.filter(|project| !about.projects.iter().any(|known| known == project)) {
            Some(project) => {
                about.projects.push(project.to_owned());
                let _ = about.write(path);
            }
            None => {
                let _ = File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
            }
        }
        Some(about)
    }

    /// Writes the file as a whole.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(self)
            .map_err(|why| Error::internal(format!("cannot write JSON: {why}")))?;
        replace(path, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_added_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(About::NAME);
        assert!(About::read(&path).is_none());
        let contents = Contents {
            python: "3.9.18".to_owned(),
            packages: vec!["six==1.16.0".to_owned()],
            modules: vec!["six".to_owned()],
        };
        About::new(&contents, Some("a")).write(&path).unwrap();
        for project in [Some("b"), Some("a"), None] {
            About::read_used(&path, project).unwrap();
        }
        let about = About::read(&path).unwrap();
        assert_eq!(
            (about.contents, about.projects),
            (contents, vec!["a".to_owned(), "b".to_owned()])
        );
    }
}
