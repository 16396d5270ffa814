//! Tests of the Java sample.

use std::collections::BTreeSet;

use super::*;
use crate::benchmark::{Language, ParameterTypes, Task, TaskId};

/// The id of the newest commit. Every `base_commit` in the sample is an ancestor of this commit.
const NEWEST: &str = "4eb23ae7acee1c9854ce901d01d2068352502a29";

fn opened() -> (tempfile::TempDir, Workspace) {
    let cache = tempfile::tempdir().unwrap();
    let root = materialize_java(cache.path()).unwrap();
    let open = Workspace::open(&[root], &OpenOptions::default()).unwrap();
    (cache, open)
}

#[test]
fn the_repository_has_the_same_ids_every_time() {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("dunlin.git");
    assert_eq!(
        build_repository(&patches_of(&JAVA), &target).unwrap(),
        NEWEST
    );
    let repository = git2::Repository::open_bare(target).unwrap();
    assert_eq!(repository.tag_names(None).unwrap().len(), 3);
}

#[test]
fn the_sample_opens_without_faults() {
    let (_cache, open) = opened();
    let formats: Vec<_> = open
        .benchmarks()
        .iter()
        .map(OpenBenchmark::format)
        .collect();
    assert_eq!(formats, [Format::HumanEvo, Format::CoderEval]);
    open.index_completions(&Cancel::default(), &|_, _| {})
        .unwrap();
    for (at, task) in open.tasks() {
        assert_eq!(task.language, Language::Java);
        let anchor = open.source_text(at).unwrap().anchor(task);
        assert_eq!(anchor.state, AnchorState::Exact, "{}", task.id);
        assert!(open.repository(at).unwrap().is_some());
        let samples = open.completions(at).unwrap().len();
        let expected = match open.benchmark(at).format() {
            Format::HumanEvo => 3,
            _ => 4,
        };
        assert_eq!(samples, expected, "{}", task.id);
    }
    let faults = open.diagnostics().map(ToString::to_string);
    assert_eq!(faults.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn the_tasks_cover_constructors_static_methods_and_nested_classes() {
    let (_cache, open) = opened();
    let shown = |task: &Task| {
        let parameters = task.parameters.as_ref().map(ParameterTypes::shown);
        format!("{}{}", task.namespace, parameters.unwrap_or_default())
    };
    let names: BTreeSet<_> = open.tasks().map(|(_, task)| shown(task)).collect();
    let expected = [
        "dunlin.Count.Count(String)",
        "dunlin.Count.Count(String, int)",
        "dunlin.Counts.total(List)",
        "dunlin.Counts.total(List, String)",
        "dunlin.Place.label()",
        "dunlin.Place.of(String)",
        "dunlin.Ranking.best(Map, int)",
        "dunlin.Roost.Tally.share()",
        "dunlin.Roost.Tally.total()",
        "dunlin.Tide.height(double, double, double)",
    ];
    assert_eq!(names, BTreeSet::from(expected.map(str::to_owned)));
}

#[test]
fn the_table_of_expected_verdicts_lists_every_completion_once() {
    let (_cache, open) = opened();
    open.index_completions(&Cancel::default(), &|_, _| {})
        .unwrap();
    let mut found = BTreeSet::new();
    for (at, task) in open.tasks() {
        for completion in open.completions(at).unwrap() {
            let set = &open.completion_sets()[completion.set as usize];
            found.insert(row(&task.id, &set.setting, &set.model, completion.sample));
        }
    }
    let table = EMBEDDED.get_file("java/expected_verdicts.csv").unwrap();
    let mut expected = BTreeSet::new();
    for line in table.contents_utf8().unwrap().lines().skip(1) {
        let (start, verdict) = line.rsplit_once(',').unwrap();
        assert!(verdict.parse::<Verdict>().is_ok(), "{line}");
        assert!(expected.insert(start.to_owned()), "{line} occurs twice");
    }
    assert_eq!(found, expected);
}

fn row(task: &TaskId, setting: &str, model: &str, sample: u32) -> String {
    format!("{task},{setting},{model},{sample}")
}

#[test]
fn an_unknown_sample_is_an_error_and_other_paths_are_not_changed() {
    let unknown = named_path(Path::new("sample:ruby")).unwrap_err();
    assert_eq!(unknown.to_string(), "there is no sample 'ruby'");
    assert!(unknown.advice().unwrap().contains("sample:java"));
    let path = Path::new("some/folder");
    assert_eq!(named_path(path).unwrap(), path);
}
