//! Finds the file and the function that a test id names.

use super::task::TestedTask;
use crate::benchmark::{Language, LanguageFeature, RepoPath};
use crate::code::{Sources, support, without_parameters};

/// Splits a test id into (file, names). The names are the classes around the test function, and then the function:
/// `tests/a.py::T::test_x[1]` gives `tests/a.py` and `[T, test_x]`. `None` if the id has no `::`.
fn parts(id: &str) -> Option<(RepoPath, Vec<String>)> {
    let mut parts = without_parameters(id).split("::");
    let path = RepoPath::new(parts.next()?);
    let names: Vec<String> = parts.map(str::to_owned).collect();
    (!names.is_empty()).then_some((path, names))
}

/// (file, names) of the test with this id. The names are as in [`parts`]. If a plugin has renamed the test, the file
/// and the names come from the list entry that [`entry_of`] finds.
pub(super) fn place(
    id: &str,
    task: &TestedTask,
    sources: &dyn Sources,
) -> Option<(RepoPath, Vec<String>)> {
    if task.language.has(LanguageFeature::TestsInClasses) {
        return support(task.language).class_test_place(id, sources);
    }
    let entries = task.entries;
    let named = parts(id).filter(|(path, names)| {
        let text = sources.text(path).unwrap_or_default();
        let name = names.last();
        name.is_some_and(|name| text.contains(&format!("def {name}(")))
    });
    named.or_else(|| parts(entry_of(task.language, id, entries).map_or(id, String::as_str)))
}

/// The entry in the task's list of tests (`entries`) that the test with this id belongs to: the longest entry that the
/// id starts with. In Python, the next character of the id must not be `_`. In Java, the id must end there, or continue
/// with `[`, `#` or `$`. If there is no such entry, a plugin may have renamed the test. Then the result is the entry
/// with the longest function name that occurs in the id. `None` if no function name occurs.
pub fn entry_of<'a>(language: Language, id: &str, entries: &'a [String]) -> Option<&'a String> {
    let holds = |entry: &&String| {
        let rest = id.strip_prefix(entry.as_str());
        rest.is_some_and(|rest| {
            if language.has(LanguageFeature::TestsInClasses) {
                rest.is_empty() || rest.starts_with(['[', '#', '$'])
            } else {
                !rest.starts_with('_')
            }
        })
    };
    let function = |entry: &'a String| {
        let name = entry.rsplit("::").next().unwrap_or(entry);
        without_parameters(name)
    };
    let held = entries.iter().filter(holds).max_by_key(|entry| entry.len());
    held.or_else(|| {
        let named = entries.iter().filter(|entry| id.contains(function(entry)));
        named.max_by_key(|entry| function(entry).len())
    })
}

/// Whether a test of `function` still runs if a changed parameter gives the test a new id. This is so if `entries` (the
/// task's list) include the function with all its parameters, and no entry for the same file names parameters.
pub(super) fn asks_for_all(entries: &[String], function: &str) -> bool {
    let file = |id: &str| id.split("::").next().unwrap_or(id).to_owned();
    let names_parameters = |entry: &String| entry.contains('[') && file(entry) == file(function);
    let covers = |entry: &String| {
        let rest = function.strip_prefix(entry.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    !entries.iter().any(names_parameters) && entries.iter().any(covers)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoSources;

    impl Sources for NoSources {
        fn text(&self, _: &RepoPath) -> Option<String> {
            None
        }
        fn files_in(&self, _: &str) -> Vec<RepoPath> {
            Vec::new()
        }
    }

    fn owned(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn an_id_is_split_into_a_file_and_names() {
        let (path, names) = parts("tests/a.py::T::test_x[a::b-1]").unwrap();
        assert_eq!(
            (path.as_str(), names),
            ("tests/a.py", owned(&["T", "test_x"]))
        );
        assert!(parts("tests/a.py").is_none());
    }

    #[test]
    fn a_function_may_get_new_ids_unless_the_list_names_parameters_in_its_file() {
        let mut entries = owned(&["a.py", "b.py::T", "c.py::test_x", "d.py::test_y"]);
        for function in ["a.py::test", "b.py::T::test", "c.py::test_x"] {
            assert!(asks_for_all(&entries, function), "{function}");
        }
        assert!(!asks_for_all(&entries, "c.py::test_xy") && !asks_for_all(&entries, "e.py::test"));
        entries.push("d.py::test_z[2-4]".to_owned());
        assert!(!asks_for_all(&entries, "d.py::test_y") && asks_for_all(&entries, "c.py::test_x"));
    }

    #[test]
    fn a_renamed_test_belongs_to_the_entry_with_its_function_name() {
        let entries = owned(&["a.py::A::test_b", "a.py::A::test_bc", "a.py::test_d"]);
        let entry = |id| entry_of(Language::Python, id, &entries).map(String::as_str);
        assert_eq!(entry("a.py::A::test_b[1]"), Some("a.py::A::test_b"));
        assert_eq!(entry("a.py::A_sqlite+3::test_bc"), Some("a.py::A::test_bc"));
        assert_eq!(entry("a.py > test_d (D)"), Some("a.py::test_d"));
        assert_eq!(entry("b.py::test_x"), None);
        let java = owned(&["p.ATest#b"]);
        let entry = |id| entry_of(Language::Java, id, &java);
        assert!(entry("p.ATest#b[1]").is_some() && entry("p.BTest#b").is_none());
        let task = TestedTask {
            language: Language::Python,
            entries: &entries,
            expected: &[],
            flaky: &[],
            target: "",
            stub: &super::super::task::Outcomes::default(),
        };
        let (path, names) = place("a.py > test_d (D)", &task, &NoSources).unwrap();
        assert_eq!((path.as_str(), names), ("a.py", owned(&["test_d"])));
    }
}
