//! Reads any bytes as a task file of every format, as completions, as released samples and as results.

use evoscope::benchmark::{
    Format, ProjectFolders, TaskFile, detect, read_completion, read_detail, read_evaluated,
    read_tasks, scan_completions, scan_samples,
};
use evoscope::error::Cancel;

/// Runs the checks, and panics if one fails.
pub fn check(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder for the input");
    let path = folder.path().join("input.jsonl");
    std::fs::write(&path, bytes).expect("the input is written");
    let cancel = Cancel::default();
    let projects = ProjectFolders::default();
    let _ = detect(&path);
    for &format in Format::ALL {
        let source = TaskFile {
            path: &path,
            file: 0,
            format,
            projects: &projects,
        };
        let mut tasks = Vec::new();
        let _ = read_tasks(source, &cancel, |mut batch| tasks.append(&mut batch.tasks));
        for task in &tasks {
            let _ = read_detail(&path, format, task);
        }
    }
    let mut found = Vec::new();
    let _ = scan_completions(
        &path,
        &cancel,
        |_| {},
        |each| found.push((each.text(), each.record)),
    );
    for (text, record) in found {
        assert_eq!(
            Some(text.unwrap_or_default()),
            read_completion(&path, record).ok(),
            "a completion read again has another text"
        );
    }
    let _ = scan_samples(&path, &cancel, |_| {}, |_| {});
    let _ = read_evaluated(&path, |_| Ok(()));
}
