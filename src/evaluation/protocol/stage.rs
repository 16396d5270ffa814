//! What stands around every run of a task, and which files come with it.

use super::super::subject::Subject;
use super::Footing;
use crate::benchmark::RepoPath;

/// What all runs of a task have in common around them.
pub(super) struct Stage {
    pub import_roots: Vec<String>,
    pub renewed: Vec<RepoPath>,
}

impl Stage {
    pub fn of(subject: &Subject, footing: &Footing) -> Self {
        let named = subject
            .tests
            .iter()
            .map(|test| RepoPath::new(test.split("::").next().unwrap_or(test)));
        let changed = footing.counter.iter().flat_map(|mutant| &mutant.files);
        let mut renewed: Vec<RepoPath> =
            named.chain(changed.map(|(path, _)| path.clone())).collect();
        renewed.sort();
        renewed.dedup();
        Self {
            import_roots: subject.project.import_roots(&subject.path),
            renewed,
        }
    }
}

/// The files that come with a run: `files`, and those of the tests, `changed` or not. They come with every run in the same
/// order, so that nothing of how they came tells the counter-test, and so that the warden never has them.
pub(super) fn brought(
    subject: &Subject,
    files: &[(RepoPath, Vec<u8>)],
    stage: &Stage,
    changed: &[(RepoPath, String)],
) -> Vec<(RepoPath, Vec<u8>)> {
    let mut brought = files.to_vec();
    for path in &stage.renewed {
        if !brought.iter().any(|(other, _)| other == path)
            && let Ok(text) = subject.project.read(path)
        {
            brought.push((path.clone(), text));
        }
    }
    for (path, text) in changed {
        let text = text.clone().into_bytes();
        match brought.iter_mut().find(|(other, _)| other == path) {
            Some(file) => file.1 = text,
            None => brought.push((path.clone(), text)),
        }
    }
    brought
}
