use std::hash::{BuildHasher, BuildHasherDefault};

use rustc_hash::FxHasher;

use super::super::repository::tests::History;
use super::*;

/// Finds functions by `def` and classes by `class`. An indented function belongs to the last class.
fn functions(_: BlobId, bytes: &[u8]) -> Arc<[FunctionFingerprint]> {
    let mut found: Vec<FunctionFingerprint> = Vec::new();
    let mut class = String::new();
    for line in std::str::from_utf8(bytes).unwrap().lines() {
        let bare = line.trim();
        let inner = line.starts_with(' ');
        if let Some(name) = bare.strip_prefix("class ") {
            class = name.trim_end_matches(':').to_owned();
        } else if let Some(rest) = bare.strip_prefix("def ") {
            let name = rest.split('(').next().unwrap();
            let qualname = if inner {
                format!("{class}.{name}")
            } else {
                name.to_owned()
            };
            found.push(FunctionFingerprint {
                qualname,
                body: Vec::new(),
            });
        } else if !bare.is_empty()
            && let Some(last) = found.last_mut()
        {
            last.body
                .push(BuildHasherDefault::<FxHasher>::default().hash_one(bare));
        }
    }
    found.into()
}

const BODY: &str =
    "    total = 0\n    for value in values:\n        total += value\n    return total\n";
const OTHER: &str = "    text = str(values)\n    return text.strip()\n";

fn find(history: &History, path: &str, qualname: &str) -> Result<BaseFinding> {
    let repository = history.open();
    let newest = repository.resolve("HEAD").unwrap();
    let target = TargetFunction {
        path: RepoPath::new(path),
        qualname: qualname.to_owned(),
    };
    repository.find_base(
        newest,
        &target,
        &functions,
        &mut |_, _| {},
        &Cancel::default(),
    )
}

#[test]
fn the_base_is_the_parent_of_the_commit_that_adds_the_function() {
    let history = History::new();
    let one = history.commit(&[("a.py", "x = 1\n")], &[], "start");
    let two = history.commit(
        &[("a.py", &format!("def f(values):\n{BODY}"))],
        &[one],
        "add f",
    );
    history.commit(
        &[("a.py", &format!("y = 2\ndef f(values):\n{BODY}"))],
        &[two],
        "more",
    );
    let found = find(&history, "a.py", "f").unwrap();
    assert_eq!((found.commit, found.added), (one, Some(two)));
    assert!(found.doubts.is_empty(), "{found:?}");
}

#[test]
fn a_function_that_was_moved_and_rewritten_is_followed_with_a_doubt() {
    let history = History::new();
    let one = history.commit(&[("z.py", "z = 1\n")], &[], "start");
    let old = format!("def f(values):\n{OTHER}");
    let two = history.commit(&[("z.py", "z = 1\n"), ("old/a.py", &old)], &[one], "add f");
    let new = format!("import os\n\ndef f(values):\n{BODY}");
    history.commit(
        &[("z.py", "z = 1\n"), ("new/b.py", &new)],
        &[two],
        "rewrite",
    );
    let found = find(&history, "new/b.py", "f").unwrap();
    assert_eq!(found.commit, one);
    assert!(found.how.contains("moved from old/a.py"), "{found:?}");
    assert!(found.doubts[0].contains("rewritten"), "{found:?}");
}

#[test]
fn a_renamed_function_is_followed_with_a_doubt() {
    let history = History::new();
    let one = history.commit(&[("a.py", "x = 1\n")], &[], "start");
    let two = history.commit(
        &[("a.py", &format!("def total(values):\n{BODY}"))],
        &[one],
        "add",
    );
    history.commit(
        &[("a.py", &format!("def sum_up(values):\n{BODY}"))],
        &[two],
        "rename",
    );
    let found = find(&history, "a.py", "sum_up").unwrap();
    assert_eq!(found.commit, one);
    assert!(found.doubts[0].contains("'total'"), "{found:?}");
}

#[test]
fn a_function_that_moved_to_another_class_is_followed() {
    let history = History::new();
    let body = BODY.replace("    ", "        ");
    let one = history.commit(&[("a.py", "x = 1\n")], &[], "start");
    let before = format!(
        "class A:\n    def f(values):\n{body}class B:\n    def g(values):\n        return 1\n"
    );
    let two = history.commit(&[("a.py", &before)], &[one], "add");
    let after = format!(
        "class A:\n    pass\nclass B:\n    def f(values):\n{body}    def g(values):\n        return 1\n"
    );
    history.commit(&[("a.py", &after)], &[two], "move");
    let found = find(&history, "a.py", "B.f").unwrap();
    assert_eq!(found.commit, one);
    assert!(found.how.contains("was 'A.f'"), "{found:?}");
    assert!(found.doubts.is_empty(), "{found:?}");
}

#[test]
fn the_base_of_a_merged_function_is_the_first_parent_of_the_merge() {
    let history = History::new();
    let one = history.commit(&[("a.py", "x = 1\n")], &[], "start");
    let mut branch = one;
    for step in 0..20 {
        let text = format!("x = 1\ndef f(values):\n{BODY}\nstep = {step}\n");
        branch = history.commit(&[("a.py", &text)], &[branch], "on the branch");
    }
    let two = history.commit(
        &[("a.py", "x = 1\n"), ("b.py", "y = 2\n")],
        &[one],
        "meanwhile",
    );
    let merged = format!("x = 1\ndef f(values):\n{BODY}\nstep = 19\n");
    let merge = history.commit(
        &[("a.py", &merged), ("b.py", "y = 2\n")],
        &[two, branch],
        "merge",
    );
    let found = find(&history, "a.py", "f").unwrap();
    assert_eq!((found.commit, found.added), (two, Some(merge)));
    assert!(found.how.contains("merge"), "{found:?}");
}

#[test]
fn the_base_of_a_restored_function_is_before_its_first_appearance() {
    let history = History::new();
    let with = format!("def f(values):\n{BODY}");
    let one = history.commit(&[("a.py", "x = 1\n")], &[], "start");
    let two = history.commit(&[("a.py", &with)], &[one], "add");
    let three = history.commit(&[("a.py", "x = 1\n")], &[two], "remove");
    history.commit(&[("a.py", &with)], &[three], "restore");
    let found = find(&history, "a.py", "f").unwrap();
    assert_eq!(found.commit, one);
    assert!(found.doubts[0].contains("gone"), "{found:?}");
    let four = history.commit(&[("c.py", "x = 1\n")], &[two], "remove the file");
    let five = history.commit(&[("c.py", "x = 2\n")], &[four], "between");
    history.commit(
        &[("c.py", "x = 2\n"), ("b.py", &with)],
        &[five],
        "restore elsewhere",
    );
    let found = find(&history, "b.py", "f").unwrap();
    assert_eq!(found.commit, one);
}

#[test]
fn a_removed_function_with_the_same_name_in_another_class_is_not_followed() {
    let history = History::new();
    let body = BODY.replace("    ", "        ");
    let one = history.commit(&[("z.py", "z = 1\n")], &[], "start");
    let other = format!("class A:\n    def get(values):\n{body}");
    let two = history.commit(&[("a.py", &other)], &[one], "add A.get");
    let three = history.commit(&[("a.py", "class A:\n    pass\n")], &[two], "drop it");
    let four = history.commit(&[("a.py", "class A:\n    x = 1\n")], &[three], "between");
    let new = format!("class B:\n    def get(values):\n{body}");
    let files = [("a.py", "class A:\n    x = 1\n"), ("b.py", &new)];
    let five = history.commit(&files, &[four], "add B.get");
    let found = find(&history, "b.py", "B.get").unwrap();
    assert_eq!((found.commit, found.added), (four, Some(five)));
    assert!(found.doubts.is_empty(), "{found:?}");
}

#[test]
fn a_copied_function_is_followed_with_a_doubt_if_the_original_was_removed_later() {
    let history = History::new();
    let text = format!("def f(values):\n{BODY}");
    let one = history.commit(&[("p/z.py", "z = 1\n")], &[], "start");
    let two = history.commit(&[("p/a.py", &text)], &[one], "add f");
    let both = [("p/a.py", text.as_str()), ("p/b.py", text.as_str())];
    let three = history.commit(&both, &[two], "copy it");
    history.commit(&[("p/b.py", &text)], &[three], "take it away there");
    let found = find(&history, "p/b.py", "f").unwrap();
    assert_eq!((found.commit, found.added), (one, Some(two)));
    assert!(
        found.doubts[0].contains("p/a.py had the function before"),
        "{found:?}"
    );
    let elsewhere = [("p/a.py", text.as_str()), ("q/b.py", text.as_str())];
    let four = history.commit(&elsewhere, &[two], "the same in another folder");
    let found = find(&history, "q/b.py", "f").unwrap();
    assert_eq!((found.commit, found.added), (two, Some(four)));
}

#[test]
fn a_function_of_the_first_commit_has_no_base() {
    let history = History::new();
    history.commit(
        &[("a.py", &format!("def f(values):\n{BODY}"))],
        &[],
        "start",
    );
    assert!(
        find(&history, "a.py", "f")
            .unwrap_err()
            .to_string()
            .contains("first commit")
    );
    assert!(
        find(&history, "a.py", "g")
            .unwrap_err()
            .to_string()
            .contains("no function 'g'")
    );
}

#[test]
fn a_base_in_a_history_that_ends_early_is_doubtful() {
    let history = History::new();
    let gone = history.commit(&[("a.py", &format!("def f(values):\n{BODY}"))], &[], "f");
    let removed = history.commit(&[("a.py", "x = 1\n")], &[gone], "revert");
    let text = format!("x = 1\ndef f(values):\n{BODY}");
    history.commit(&[("a.py", &text)], &[removed], "add f again");
    let id = gone.to_string();
    let object = history
        .folder
        .path()
        .join(format!("objects/{}/{}", &id[..2], &id[2..]));
    std::fs::remove_file(object).unwrap();
    let found = find(&history, "a.py", "f").unwrap();
    assert_eq!(found.commit, removed);
    assert!(
        found.doubts[0].contains("git fetch --unshallow"),
        "{found:?}"
    );
}

#[test]
fn a_missing_blob_stops_the_search() {
    let history = History::new();
    let lost = format!("def f(values):\n{BODY}");
    let one = history.commit(&[("b.py", &lost)], &[], "f");
    history.commit(
        &[("a.py", &format!("def f(values):\n{BODY}# end\n"))],
        &[one],
        "move f",
    );
    let id = BlobId::of(lost.as_bytes()).unwrap().to_string();
    let object = history
        .folder
        .path()
        .join(format!("objects/{}/{}", &id[..2], &id[2..]));
    std::fs::remove_file(object).unwrap();
    let why = find(&history, "a.py", "f").unwrap_err();
    assert!(why.advice().unwrap().contains("refetch"), "{why}");
}
