//! Where the tests stand that ids name.

use super::super::subject::Subject;
use crate::benchmark::RepoPath;

pub(super) fn source(subject: &Subject, path: &RepoPath) -> Option<String> {
    String::from_utf8(subject.project.read(path).ok()?).ok()
}

/// An id without its parameters.
pub(super) fn plain(id: &str) -> &str {
    id.split('[').next().unwrap_or(id)
}

/// The file and the names of an id, parameters left out: `tests/a.py`, `[Class, test]`.
fn parts(id: &str) -> Option<(RepoPath, Vec<&str>)> {
    let mut parts = plain(id).split("::");
    let path = RepoPath::new(parts.next()?);
    let names: Vec<&str> = parts.collect();
    (!names.is_empty()).then_some((path, names))
}

/// Where a test with that id stands: as the id says, or, where a plugin has renamed it, as the entry of the task's list
/// says whose function the id still names.
pub(super) fn place(id: &str, subject: &Subject) -> Option<(RepoPath, Vec<String>)> {
    let owned = |(path, names): (RepoPath, Vec<&str>)| {
        (path, names.into_iter().map(str::to_owned).collect())
    };
    let told = parts(id).filter(|(path, names)| {
        let text = source(subject, path).unwrap_or_default();
        names
            .last()
            .is_some_and(|name| text.contains(&format!("def {name}(")))
    });
    if let Some(place) = told {
        return Some(owned(place));
    }
    let named = |entry: &&String| {
        parts(entry).is_some_and(|(_, names)| names.last().is_some_and(|name| id.contains(name)))
    };
    let entry = subject
        .tests
        .iter()
        .filter(named)
        .max_by_key(|entry| entry.len());
    parts(entry.map_or(id, String::as_str)).map(owned)
}

/// Whether a task's list asks for a function with whatever parameters it has.
pub(super) fn asks_for_all(subject: &Subject, function: &str) -> bool {
    subject.tests.iter().any(|entry| {
        let rest = function.strip_prefix(entry.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_a_file_and_a_function() {
        let (path, names) = parts("tests/a.py::T::test_x[a::b-1]").unwrap();
        assert_eq!((path.as_str(), names), ("tests/a.py", vec!["T", "test_x"]));
        assert!(parts("tests/a.py").is_none());
    }
}
