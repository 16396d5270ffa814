//! Tests of every reader on valid, faulty and arbitrary files.

mod faults;
mod formats;
mod properties;

use std::path::PathBuf;

use tempfile::TempDir;

use super::{
    Diagnostic, Format, ProjectFolders, Task, TaskDetail, TaskFile, read_detail, read_tasks,
};
use crate::error::Cancel;

/// A file in a temporary folder. The folder is deleted when this value is dropped.
struct Fixture {
    path: PathBuf,
    _folder: TempDir,
}

fn fixture(bytes: impl AsRef<[u8]>) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.jsonl");
    std::fs::write(&path, bytes).unwrap();
    Fixture {
        path,
        _folder: folder,
    }
}

impl Fixture {
    fn tasks(&self, format: Format) -> (Vec<Task>, Vec<Diagnostic>) {
        let projects = ProjectFolders::default();
        let source = TaskFile {
            path: &self.path,
            file: 3,
            format,
            projects: &projects,
        };
        let (mut tasks, mut faults) = (Vec::new(), Vec::new());
        read_tasks(source, &Cancel::default(), |batch| {
            tasks.extend(batch.tasks);
            faults.extend(batch.faults);
        })
        .unwrap();
        (tasks, faults)
    }

    fn only(&self, format: Format) -> (Task, TaskDetail) {
        let (mut tasks, faults) = self.tasks(format);
        assert!(faults.is_empty(), "{faults:?}");
        let task = tasks.pop().unwrap();
        assert!(tasks.is_empty());
        let detail = read_detail(&self.path, format, &task).unwrap();
        (task, detail)
    }
}

/// The faults, one on each line, without the path of the file's folder.
fn said(faults: &[Diagnostic]) -> String {
    let line = |fault: &Diagnostic| {
        let text = fault.to_string();
        text[text.find("data.jsonl").unwrap_or(0)..].to_owned()
    };
    faults.iter().map(line).collect::<Vec<_>>().join("\n")
}

const DEVEVAL: &str = r#"{"namespace": "mistune.toc.add_toc_hook", "type": "function", "project_path": "Text-Processing/mistune", "completion_path": "Text-Processing/mistune/src/mistune/toc.py", "signature_position": [4, 4], "body_position": [23, 44], "dependency": {"intra_class": [], "intra_file": ["mistune.toc.normalize"], "cross_file": ["mistune.util.a", "mistune.util.b"]}, "requirement": {"Functionality": "Adds a hook.", "Arguments": ":param md: Markdown."}, "tests": ["tests/test_hooks.py::TestTocHook::test_it"], "indent": 4}"#;
