use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::*;

fn text(path: &str) -> &'static str {
    EMBEDDED.get_file(path).unwrap().contents_utf8().unwrap()
}

fn lines(path: &str) -> Vec<Value> {
    let rows = text(path)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    rows.collect()
}

fn codereval() -> Vec<Value> {
    let file: Value = serde_json::from_str(text("codereval/CoderEval4Python.json")).unwrap();
    file["RECORDS"].as_array().unwrap().clone()
}

fn word<'a>(record: &'a Value, field: &str) -> &'a str {
    record[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} in {record}"))
}

/// The contents of the files in the newest tree, by path.
fn sources() -> BTreeMap<PathBuf, String> {
    let place = tempfile::tempdir().unwrap();
    build_repository(&patches(), &place.path().join("git")).unwrap();
    let tree = place.path().join("tree");
    repository::write_newest_tree(&place.path().join("git"), &tree).unwrap();
    let files = tree_of(&tree).into_iter();
    files
        .map(|(path, contents)| (path, String::from_utf8(contents).unwrap()))
        .collect()
}

/// (path in the project, dotted name that begins with the module) of a target. The records of all formats contain both.
fn target(path: &str, class: &str, name: &str) -> (String, String) {
    let module = path
        .trim_start_matches("src/")
        .trim_end_matches(".py")
        .replace('/', ".");
    let parts = [module.as_str(), class, name];
    let named = parts.into_iter().filter(|part| !part.is_empty());
    (path.to_owned(), named.collect::<Vec<_>>().join("."))
}

fn by_namespace(file: &str, project: &str) -> BTreeSet<(String, String)> {
    let rows = lines(file);
    let targets = rows.iter().map(|row| {
        let path = word(row, "completion_path").strip_prefix(project).unwrap();
        (path.to_owned(), word(row, "namespace").to_owned())
    });
    targets.collect()
}

#[test]
fn the_four_formats_have_the_same_tasks() {
    let evocodebench = by_namespace("evocodebench/data.jsonl", "siskin/");
    let deveval = by_namespace("deveval/data.jsonl", "Scientific-Engineering/siskin/");
    let humanevo: BTreeSet<_> = lines("humanevo/HumanEvo_Python.jsonl")
        .iter()
        .map(|row| {
            target(
                word(row, "file_path"),
                word(row, "class_name"),
                word(row, "function_name"),
            )
        })
        .collect();
    let codereval: BTreeSet<_> = codereval()
        .iter()
        .map(|row| {
            target(
                word(row, "file_path"),
                word(row, "class_name"),
                word(row, "name"),
            )
        })
        .collect();
    assert!(evocodebench.len() >= 24);
    assert_eq!(evocodebench, deveval);
    // HumanEvo's records describe each target at the commit that added it. At that commit, six targets had another path
    // or name.
    assert_eq!(evocodebench.len(), humanevo.len());
    assert_eq!(evocodebench.difference(&humanevo).count(), 6);
    assert_eq!(evocodebench, codereval);
}

#[test]
fn positions_match_the_functions_in_the_sources() {
    let sources = sources();
    for row in lines("deveval/data.jsonl") {
        let path = word(&row, "completion_path").strip_prefix("Scientific-Engineering/siskin/");
        let source: Vec<_> = sources[Path::new(path.unwrap())].lines().collect();
        let line =
            |field: &str, end: usize| usize::try_from(row[field][end].as_u64().unwrap()).unwrap();
        let (first, last) = (line("signature_position", 0), line("signature_position", 1));
        let name = word(&row, "namespace").rsplit('.').next().unwrap();
        let declared = source[first - 1].trim_start().trim_start_matches("async ");
        assert!(declared.starts_with(&format!("def {name}(")), "{row}");
        assert!(source[last - 1].ends_with(':'), "{row}");
        let (start, end) = (line("body_position", 0), line("body_position", 1));
        assert!(last < start && start <= end, "{row}");
        let indent = usize::try_from(row["indent"].as_u64().unwrap()).unwrap();
        let body = &source[start - 1..end];
        assert_eq!(body[0].len() - body[0].trim_start().len(), indent, "{row}");
        assert!(
            body.iter()
                .all(|line| line.is_empty() || line.starts_with(&" ".repeat(indent)))
        );
        let after = source[end..].iter().find(|line| !line.trim().is_empty());
        assert!(
            after.is_none_or(|line| !line.starts_with(&" ".repeat(indent))),
            "{row}"
        );
    }
}

#[test]
fn tests_and_labelled_dependencies_are_in_the_newest_tree() {
    let sources = sources();
    for row in lines("deveval/data.jsonl") {
        for test in row["tests"].as_array().unwrap() {
            let (file, name) = test.as_str().unwrap().split_once("::").unwrap();
            assert!(
                sources[Path::new(file)].contains(&format!("def {name}(")),
                "{test}"
            );
        }
        for kind in ["intra_class", "intra_file", "cross_file"] {
            for dependency in row["dependency"][kind].as_array().unwrap() {
                let path = module_of(&sources, dependency.as_str().unwrap());
                let own = word(&row, "completion_path").ends_with(path.to_str().unwrap());
                assert_eq!(own, kind != "cross_file", "{dependency} of {row}");
            }
        }
    }
}

/// The file of the module that defines the dependency `name`. Panics if there is no such file, or if the last component
/// of `name` is not a word in the file.
fn module_of(sources: &BTreeMap<PathBuf, String>, name: &str) -> PathBuf {
    let mut module = name;
    while let Some((outer, _)) = module.rsplit_once('.') {
        module = outer;
        let path = PathBuf::from(format!("src/{}.py", module.replace('.', "/")));
        if let Some(source) = sources.get(&path) {
            let last = name.rsplit('.').next().unwrap();
            let mut words = source.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            assert!(words.any(|word| word == last), "{name}");
            return path;
        }
    }
    panic!("no module for {name}")
}

#[test]
fn every_dependency_type_and_every_level_occurs() {
    let rows = lines("evocodebench/data.jsonl");
    for kind in ["intra_class", "intra_file", "cross_file"] {
        assert!(
            rows.iter()
                .any(|row| !row["dependency"][kind].as_array().unwrap().is_empty())
        );
    }
    let levels = |rows: Vec<Value>, field: &str| -> BTreeSet<String> {
        rows.iter().map(|row| word(row, field).to_owned()).collect()
    };
    assert_eq!(levels(codereval(), "level").len(), 6);
    assert_eq!(
        levels(lines("humanevo/HumanEvo_Python.jsonl"), "dependency_level").len(),
        3
    );
}

#[test]
fn the_patches_of_a_record_apply_to_its_base_commit() {
    let place = tempfile::tempdir().unwrap();
    build_repository(&patches(), place.path()).unwrap();
    let repository = git2::Repository::open_bare(place.path()).unwrap();
    for row in lines("humanevo/HumanEvo_Python.jsonl") {
        let base = repository
            .revparse_single(word(&row, "base_commit"))
            .unwrap();
        let tree = base.peel_to_tree().unwrap();
        for field in ["patch", "test_patch"] {
            let diff = git2::Diff::from_buffer(word(&row, field).as_bytes()).unwrap();
            assert!(
                repository.apply_to_tree(&tree, &diff, None).is_ok(),
                "{row}"
            );
        }
        let project = tree.get_path(Path::new("pyproject.toml")).unwrap();
        let project = project
            .to_object(&repository)
            .unwrap()
            .peel_to_blob()
            .unwrap();
        let version = format!("version = \"{}\"", word(&row, "version"));
        assert!(
            String::from_utf8_lossy(project.content()).contains(&version),
            "{row}"
        );
    }
}

#[test]
fn the_table_of_expected_verdicts_lists_every_completion_once() {
    let mut expected = BTreeSet::new();
    for line in text("expected_verdicts.csv").lines().skip(1) {
        let fields: Vec<_> = line.split(',').collect();
        let verdict = fields[4].parse::<crate::benchmark::Verdict>();
        assert!(verdict.is_ok(), "{line}");
        assert!(
            expected.insert(fields[..4].join(",")),
            "{line} occurs twice"
        );
    }
    for root in [
        "evocodebench/model_completion",
        "deveval/Experiments/model_prediction",
    ] {
        let mut found = BTreeSet::new();
        let files = PYTHON.files().into_iter();
        for file in files.filter(|file| file.path.starts_with(root)) {
            let set = file.path.strip_prefix(root).unwrap().parent().unwrap();
            let set = set.to_str().unwrap().replace('/', ",");
            let mut samples: BTreeMap<String, usize> = BTreeMap::new();
            for row in lines(file.path.to_str().unwrap()) {
                assert!(row["completion"].is_string());
                let sample = samples
                    .entry(word(&row, "namespace").to_owned())
                    .or_default();
                found.insert(format!("{},{set},{sample}", word(&row, "namespace")));
                *sample += 1;
            }
        }
        assert_eq!(found, expected, "{root}");
    }
}

#[test]
fn the_sample_files_of_codereval_have_the_same_tasks_as_its_task_file() {
    let ids = |rows: &[Value]| -> BTreeSet<String> {
        rows.iter().map(|row| word(row, "_id").to_owned()).collect()
    };
    let tasks = ids(&codereval());
    for (file, samples) in [
        ("python_jackdaw-chat_original", 5),
        ("python_heron-70b_original", 1),
    ] {
        let rows = lines(&format!("codereval/{file}.jsonl"));
        assert_eq!(ids(&rows), tasks);
        for row in &rows {
            assert_eq!(row["generate_results"].as_array().unwrap().len(), samples);
        }
    }
}

#[test]
fn the_embedded_samples_are_smaller_than_1_500_000_bytes() {
    let files = SAMPLES.iter().flat_map(|sample| sample.files());
    let size: usize = files.map(|file| file.contents.len()).sum();
    assert!(size < 1_500_000, "{size} bytes");
}
