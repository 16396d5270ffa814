//! Where the review log of a benchmark is stored. Each benchmark has its own file, named by the hash of its data, so
//! that judgements, plans and agreement of different benchmarks are never mixed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{AppDirs, OpenBenchmark, TaskRef, Workspace};
use crate::benchmark::TaskId;
use crate::error::{Error, Result};
use crate::files;

/// A benchmark's review log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewLog {
    /// The file; it need not exist yet.
    pub path: PathBuf,
    /// The benchmark's name and the start of its data's hash: `deveval 1a2b3c4d5e6f`.
    pub name: String,
}

/// How many digits of the hash are in names and on screens.
const DIGITS: usize = 12;

impl Workspace {
    /// The log of the open benchmarks. Errors when a task file cannot be read again.
    pub fn review_log(&self, places: &AppDirs) -> Result<ReviewLog> {
        let hash = self.data_hash()?;
        let names: Vec<&str> = self.benchmarks().iter().map(OpenBenchmark::name).collect();
        let name = format!("{} {}", names.join("+"), &hash[..DIGITS]);
        let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let file: String = name.chars().map(safe).collect();
        Ok(ReviewLog {
            path: folder(places).join(format!("{file}.sqlite")),
            name,
        })
    }

    /// The task's id in a review. If an earlier benchmark has a task with the same id, the benchmark's name and a slash
    /// precede it, so that [`Workspace::find`] returns this task.
    pub fn review_id(&self, task: TaskRef) -> TaskId {
        let id = &self.task(task).id;
        match self.find(id.as_str()) {
            Ok(found) if found == task => id.clone(),
            _ => TaskId::new(&format!("{}/{id}", self.benchmark(task).name())),
        }
    }

    /// The SHA-256 of the task files. If all tasks come from completions only, that of the sorted task ids.
    fn data_hash(&self) -> Result<String> {
        let mut hash = Sha256::new();
        let bare = self.benchmarks().iter().all(OpenBenchmark::lacks_task_data);
        if bare {
            let ids: BTreeSet<&str> = self.tasks().map(|(_, task)| task.id.as_str()).collect();
            for id in ids {
                hash.update(id);
                hash.update([0]);
            }
        } else {
            let places = self.tasks().map(|(task, _)| self.record_place(task).0);
            let paths: BTreeSet<&Path> = places.collect();
            let mut buffer = vec![0; 1 << 16];
            for path in paths {
                let mut file = files::open(path)?;
                loop {
                    let read = file.read(&mut buffer);
                    let read = read.map_err(|why| Error::io("read", path, why))?;
                    if read == 0 {
                        break;
                    }
                    hash.update(&buffer[..read]);
                }
            }
        }
        let digest = hash.finalize();
        let hex = digest.iter().fold(String::new(), |mut hex, byte| {
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        Ok(hex)
    }
}

/// The existing logs, in the order of their names.
pub fn review_logs(places: &AppDirs) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder(places)).into_iter().flatten();
    let paths = entries.flatten().map(|entry| entry.path());
    let is_log = |path: &PathBuf| path.extension().is_some_and(|end| end == "sqlite");
    let mut logs: Vec<PathBuf> = paths.filter(is_log).collect();
    logs.sort();
    logs
}

fn folder(places: &AppDirs) -> PathBuf {
    places.state.join("reviews")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::OpenOptions;

    #[test]
    fn each_task_has_an_id_of_its_own() {
        let workspace = Workspace::sample().unwrap();
        for (task, _) in workspace.tasks() {
            let id = workspace.review_id(task);
            assert_eq!(workspace.find(id.as_str()).unwrap(), task, "{id}");
        }
    }

    #[test]
    fn a_log_belongs_to_the_data_and_not_to_its_folder() {
        let home = tempfile::tempdir().unwrap();
        let log = |folder: &str, name: &str| {
            let folder = home.path().join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            let task = serde_json::json!({
                "namespace": format!("pack.{name}"), "type": "function", "project_path": "Topic/pack",
                "completion_path": "Topic/pack/pack.py", "signature_position": [1, 1], "body_position": [2, 2],
                "dependency": {"intra_class": [], "intra_file": [], "cross_file": []},
                "requirement": {"Functionality": "Do it.", "Arguments": ""}, "tests": [], "indent": 4,
            });
            std::fs::write(folder.join("data.jsonl"), format!("{task}\n")).unwrap();
            let workspace = Workspace::open(&[folder], &OpenOptions::default()).unwrap();
            workspace.review_log(&AppDirs::under(home.path())).unwrap()
        };
        let first = log("a/deveval", "one");
        assert_eq!(log("b/deveval", "one"), first);
        assert_ne!(log("c/deveval", "two").path, first.path);
        assert!(first.path.ends_with(format!(
            "state/reviews/{}.sqlite",
            first.name.replace(' ', "-")
        )));
    }
}
