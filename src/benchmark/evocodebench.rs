//! EvoCodeBench's `data.jsonl`: DevEval's shape without `project_path`, with a `domain`.
//!
//! Its README says that `body_position` starts from 0; its code uses it 1-based and inclusive, as DevEval does, and so
//! does this reader. The project is the first folder of `completion_path` in the released data, and the second, after a
//! topic folder, in the README's example: [`ProjectFolders`] decides which.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::deveval;
use super::fields::Row;
use super::interner::Interner;
use super::task::{Record, Task};

/// The topic folders that `PyPI`'s classifiers give DevEval and EvoCodeBench's README.
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

/// Which folders under `Source_Code` hold projects instead of being one.
#[derive(Debug, Clone)]
pub struct ProjectFolders {
    topics: FxHashSet<Box<str>>,
}

impl Default for ProjectFolders {
    /// The known topic folders, for when no sources are at hand.
    fn default() -> Self {
        Self {
            topics: TOPICS.into_iter().map(Into::into).collect(),
        }
    }
}

impl ProjectFolders {
    /// As the source root shows it: a folder that holds nothing but folders is a topic; a known topic's name is one
    /// unless the folder there holds files.
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

    /// Parts a `completion_path` into the project and the path inside it.
    pub fn part<'p>(&self, completion_path: &'p str) -> (&'p str, &'p str) {
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

/// The task of a row; `None` (with a fault in the row) when it has no namespace.
pub(crate) fn task(
    row: &mut Row<'_>,
    record: Record,
    names: &mut Interner,
    projects: &ProjectFolders,
) -> Option<Task> {
    let mut task = deveval::shared(row, record, names)?;
    let path = row.needed_text(
        &["completion_path"],
        "give the source file's path under Source_Code",
    );
    let path = path.unwrap_or_default();
    let (project, inside) = projects.part(path.trim_start_matches('/'));
    task.project = names.name(project);
    task.path = names.path(inside);
    task.domain = row.text(&["domain"]).map(|domain| names.name(&domain));
    Some(task)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_the_first_folder_or_the_one_after_a_topic() {
        let known = ProjectFolders::default();
        assert_eq!(known.part("litdata/src/a.py"), ("litdata", "src/a.py"));
        assert_eq!(
            known.part("Text-Processing/python-benedict/b/a.py"),
            ("Text-Processing/python-benedict", "b/a.py")
        );
        assert_eq!(known.part("a.py"), ("", "a.py"));
        assert_eq!(known.part("Database/a.py"), ("Database", "a.py"));
    }

    #[test]
    fn the_source_root_decides_where_it_is_at_hand() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["Games/chess/src", "System/src"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        std::fs::write(root.path().join("System/setup.py"), "").unwrap();
        let seen = ProjectFolders::of(root.path());
        assert_eq!(
            seen.part("Games/chess/src/a.py"),
            ("Games/chess", "src/a.py")
        );
        assert_eq!(seen.part("System/src/a.py"), ("System", "src/a.py"));
    }
}
