mod java;
mod records;

use std::collections::BTreeMap;

use super::*;
use crate::benchmark::Format;
use crate::code::AnchorState;
use crate::error::Cancel;
use crate::workspace::{OpenBenchmark, OpenOptions, Workspace};

/// The id of the newest commit of the Python sample. If a patch of the sample's history changes, update this id and the
/// `base_commit` fields in the sample.
const NEWEST: &str = "fdbb296d27d324a25f1887e86e50143b9bcfec41";

fn patches() -> Vec<(&'static Path, &'static [u8])> {
    patches_of(&PYTHON)
}

fn patches_of(sample: &Sample) -> Vec<(&'static Path, &'static [u8])> {
    let files = sample.files().into_iter();
    let patches = files.filter(|file| file.path.starts_with(HISTORY));
    patches.map(|file| (file.path, file.contents)).collect()
}

fn tree_of(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn the_repository_has_the_same_ids_every_time() {
    let place = tempfile::tempdir().unwrap();
    for name in ["one", "other"] {
        let target = place.path().join(name);
        assert_eq!(build_repository(&patches(), &target).unwrap(), NEWEST);
    }
    let repository = git2::Repository::open_bare(place.path().join("one")).unwrap();
    assert_eq!(
        repository.head().unwrap().target().unwrap().to_string(),
        NEWEST
    );
    let commit = repository.find_commit(NEWEST.parse().unwrap()).unwrap();
    assert!(repository.find_tree(commit.tree_id()).is_ok());
}

#[test]
fn the_history_has_tags_merges_and_a_commit_that_is_older_than_its_parent() {
    let place = tempfile::tempdir().unwrap();
    build_repository(&patches(), place.path()).unwrap();
    let repository = git2::Repository::open_bare(place.path()).unwrap();
    let mut walk = repository.revwalk().unwrap();
    walk.push_head().unwrap();
    let commits: Vec<_> = walk
        .map(|id| repository.find_commit(id.unwrap()).unwrap())
        .collect();
    assert!(commits.len() >= 40, "{}", commits.len());
    assert!(repository.tag_names(None).unwrap().len() >= 6);
    assert_eq!(
        commits
            .iter()
            .filter(|commit| commit.parent_count() == 2)
            .count(),
        2
    );
    let backwards = commits
        .iter()
        .filter(|commit| commit.parents().any(|parent| parent.time() > commit.time()));
    assert_eq!(backwards.count(), 1);
    let side = repository.revparse_single("v0.2.1^{commit}").unwrap().id();
    assert!(!commits.iter().any(|commit| commit.id() == side));
}

#[test]
fn the_error_for_a_patch_that_does_not_apply_names_the_patch() {
    let place = tempfile::tempdir().unwrap();
    let (path, first) = patches()[0];
    let text = std::str::from_utf8(first).unwrap();
    for (number, text, what) in [
        (
            1,
            text.replace("\nBranch:", "\nParents: 0007\nBranch:"),
            "no patch 0007",
        ),
        (
            2,
            text.replace("+++ b/README.md", "--- nonsense"),
            "does not apply",
        ),
    ] {
        let target = place.path().join(number.to_string());
        let error = build_repository(&[(path, text.as_bytes())], &target).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
        assert_eq!(error.place().unwrap().file, path);
    }
}

#[test]
fn the_sample_is_written_completely_and_only_once() {
    let cache = tempfile::tempdir().unwrap();
    let root = materialize(cache.path()).unwrap();
    for file in PYTHON.files() {
        let written = root.join(file.path);
        assert_eq!(written.exists(), !file.path.starts_with(HISTORY));
    }
    let before = tree_of(cache.path());
    assert_eq!(materialize(cache.path()).unwrap(), root);
    assert!(tree_of(cache.path()) == before);
    assert_eq!(
        fs::read_dir(cache.path().join("sample")).unwrap().count(),
        1
    );
}

#[test]
fn the_sources_are_the_newest_tree() {
    let cache = tempfile::tempdir().unwrap();
    let root = materialize(cache.path()).unwrap();
    let repository = git2::Repository::open_bare(root.join(PYTHON.repository)).unwrap();
    let tree = repository
        .revparse_single("main")
        .unwrap()
        .peel_to_tree()
        .unwrap();
    for source in PYTHON.sources {
        let files = tree_of(&root.join(source));
        assert!(files.len() > 30);
        for (path, contents) in &files {
            let blob = tree.get_path(path).unwrap().id();
            assert_eq!(
                git2::Oid::hash_object(git2::ObjectType::Blob, contents).unwrap(),
                blob
            );
        }
    }
    assert_eq!(
        tree_of(&root.join(PYTHON.sources[0])),
        tree_of(&root.join(PYTHON.sources[1]))
    );
}

#[test]
fn several_threads_that_write_the_sample_get_the_same_folder() {
    let cache = tempfile::tempdir().unwrap();
    let roots: Vec<_> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| materialize(cache.path()).unwrap()))
            .collect();
        starts
            .into_iter()
            .map(|start| start.join().unwrap())
            .collect()
    });
    assert!(roots.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(
        fs::read_dir(cache.path().join("sample")).unwrap().count(),
        1
    );
}

#[test]
fn the_hint_for_a_cache_that_cannot_be_written_names_evoscope_home() {
    let place = tempfile::NamedTempFile::new().unwrap();
    let error = materialize(place.path()).unwrap_err();
    assert!(error.advice().unwrap().contains("EVOSCOPE_HOME"));
}

#[test]
fn the_sample_opens_without_faults() {
    let cache = tempfile::tempdir().unwrap();
    let root = materialize(cache.path()).unwrap();
    let open = Workspace::open(&[root], &OpenOptions::default()).unwrap();
    let files: Vec<_> = open
        .benchmarks()
        .iter()
        .map(OpenBenchmark::format)
        .collect();
    assert_eq!(files, *Format::ALL);
    for (at, task) in open.tasks() {
        let anchor = open.source_text(at).unwrap().anchor(task);
        assert_eq!(anchor.state, AnchorState::Exact, "{}", task.id);
        assert!(open.repository(at).unwrap().is_some());
    }
    open.index_completions(&Cancel::default(), &|_, _| {})
        .unwrap();
    for (at, task) in open.tasks() {
        let samples = open.completions(at).unwrap().len();
        let expected = match open.benchmark(at).format() {
            Format::EvoCodeBench | Format::DevEval => 18,
            Format::CoderEval => 6,
            Format::HumanEvo => 0,
        };
        assert_eq!(samples, expected, "{}", task.id);
    }
    assert_eq!(
        open.diagnostics()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        [""; 0]
    );
}
