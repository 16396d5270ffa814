//! Finds the project in a `completion_path` of EvoCodeBench. In the released data, the path begins with the project's
//! folder: `litdata/…`. In EvoCodeBench's README, the folder of a topic comes first:
//! `Text-Processing/python-benedict/…`.

use std::path::Path;

use rustc_hash::FxHashSet;

/// The topics in DevEval's data and in EvoCodeBench's README. They are named after `PyPI` classifiers.
const TOPICS: [&str; 10] = [
    "Communications",
    "Database",
    "Internet",
    "Multimedia",
    "Scientific-Engineering",
    "Security",
    "Software-Development",
    "System",
    "Text-Processing",
    "Utilities",
];

/// The topics: the folders under `Source_Code` that contain the folders of projects.
#[derive(Debug, Clone)]
pub struct ProjectFolders {
    topics: FxHashSet<Box<str>>,
}

impl Default for ProjectFolders {
    /// The known topics.
    fn default() -> Self {
        Self {
            topics: TOPICS.into_iter().map(Into::into).collect(),
        }
    }
}

impl ProjectFolders {
    /// The known topics, corrected by the folders in `source_root`. A folder that contains only folders is a topic. A
    /// folder that contains a file or `.git`, or is empty, is a project. Other hidden entries do not count. If
    /// `source_root` cannot be read, returns the known topics.
    pub fn of(source_root: &Path) -> Self {
        let mut topics = Self::default().topics;
        let Ok(entries) = std::fs::read_dir(source_root) else {
            return Self { topics };
        };
        for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
            let name = entry.file_name().to_string_lossy().into_owned();
            if holds_only_folders(&entry.path()) {
                topics.insert(name.into());
            } else {
                topics.remove(name.as_str());
            }
        }
        Self { topics }
    }

    /// Splits a `completion_path` into (project, path inside the project). The project is empty if the path has no
    /// folder.
    pub fn split<'p>(&self, completion_path: &'p str) -> (&'p str, &'p str) {
        let mut slashes = completion_path.match_indices('/').map(|(at, _)| at);
        let Some(first) = slashes.next() else {
            return ("", completion_path);
        };
        let end = match slashes.next() {
            Some(second) if self.topics.contains(&completion_path[..first]) => second,
            _ => first,
        };
        (&completion_path[..end], &completion_path[end + 1..])
    }
}

fn holds_only_folders(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    let mut folders = 0;
    for entry in entries.flatten() {
        let hidden = entry.file_name().as_encoded_bytes().first() == Some(&b'.');
        if hidden && entry.file_name() != ".git" {
            continue;
        }
        if entry.file_name() == ".git" || !entry.path().is_dir() {
            return false;
        }
        folders += 1;
    }
    folders > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_the_first_folder_that_is_not_a_topic() {
        let known = ProjectFolders::default();
        assert_eq!(known.split("litdata/src/a.py"), ("litdata", "src/a.py"));
        assert_eq!(
            known.split("Text-Processing/python-benedict/b/a.py"),
            ("Text-Processing/python-benedict", "b/a.py")
        );
        assert_eq!(known.split("a.py"), ("", "a.py"));
        assert_eq!(known.split("Database/a.py"), ("Database", "a.py"));
    }

    #[test]
    fn the_source_folder_shows_which_folders_are_topics() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["Games/chess/src", "System/src"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        std::fs::write(root.path().join("System/setup.py"), "").unwrap();
        let seen = ProjectFolders::of(root.path());
        assert_eq!(
            seen.split("Games/chess/src/a.py"),
            ("Games/chess", "src/a.py")
        );
        assert_eq!(seen.split("System/src/a.py"), ("System", "src/a.py"));
    }
}
