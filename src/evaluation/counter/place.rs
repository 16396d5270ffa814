//! Where the tests stand that ids name.

use super::super::subject::Subject;
use crate::benchmark::RepoPath;

/// An id without its parameters.
pub(super) fn without_parameters(id: &str) -> &str {
    id.split('[').next().unwrap_or(id)
}

/// The file and the names of an id, parameters left out: `tests/a.py`, `[Class, test]`.
fn parts(id: &str) -> Option<(RepoPath, Vec<&str>)> {
    let mut parts = without_parameters(id).split("::");
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
        let text = subject.source(path).unwrap_or_default();
        names
            .last()
            .is_some_and(|name| text.contains(&format!("def {name}(")))
    });
    if let Some(place) = told {
        return Some(owned(place));
    }
    let entry = subject.entry_of(id).map_or(id, String::as_str);
    parts(entry).map(owned)
}

/// Whether a task's list asks for a function with whatever parameters it has, and names none of a test in its file.
pub(super) fn asks_for_all(subject: &Subject, function: &str) -> bool {
    let file = |id: &str| id.split("::").next().unwrap_or(id).to_owned();
    let names_parameters = |entry: &String| entry.contains('[') && file(entry) == file(function);
    let covers = |entry: &String| {
        let rest = function.strip_prefix(entry.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    !subject.tests.iter().any(names_parameters) && subject.tests.iter().any(covers)
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

    #[test]
    fn a_list_asks_for_whole_functions_unless_it_names_parameters_in_their_file() {
        let mut subject = Subject::of_tests(&["a.py", "b.py::T", "c.py::test_x", "d.py::test_y"]);
        let asks = |subject: &Subject, function| asks_for_all(subject, function);
        for function in ["a.py::test", "b.py::T::test", "c.py::test_x"] {
            assert!(asks(&subject, function), "{function}");
        }
        assert!(!asks(&subject, "c.py::test_xy") && !asks(&subject, "e.py::test"));
        subject.tests.push("d.py::test_z[2-4]".to_owned());
        assert!(!asks(&subject, "d.py::test_y") && asks(&subject, "c.py::test_x"));
    }

    #[test]
    fn a_renamed_test_stands_where_the_lists_entry_says() {
        let subject = Subject::of_tests(&["long/folder/a.py::test_a", "b.py::test_ab"]);
        let (path, names) = place("b.py::test_ab_sqlite", &subject).unwrap();
        assert_eq!((path.as_str(), names), ("b.py", vec!["test_ab".to_owned()]));
    }
}
