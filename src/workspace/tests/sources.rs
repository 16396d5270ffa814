use super::*;
use crate::benchmark::{LineSpan, RepoPath};
use crate::code::AnchorState;
use crate::error::Cancel;

fn with_source(bytes: &[u8]) -> (InputFolder, Workspace) {
    let input = InputFolder::new();
    input.write("data.jsonl", lines(&[task("a.b.f")]));
    input.write("Source_Code/T/p/a/b.py", bytes);
    let open = input.open(&[""]).unwrap();
    (input, open)
}

#[test]
fn crlf_bom_and_bytes_that_are_not_utf_8_do_not_change_the_line_numbers() {
    let (_input, open) =
        with_source(b"\xef\xbb\xbfimport os\r\n\r\ndef f():\r\n    return '\xe9'\r\n");
    let at = open.find("a.b.f").unwrap();
    let source = open.source_text(at).unwrap();
    assert_eq!(
        (source.line_count(), source.line(4)),
        (4, "    return '\u{fffd}'")
    );
    assert_eq!(
        source.lines(LineSpan::new(3, 4).unwrap()),
        "def f():\n    return '\u{fffd}'"
    );
    assert_eq!(source.notes().len(), 2);
    assert_eq!(
        (
            source.line(0),
            source.line(5),
            source.lines(LineSpan::line(9))
        ),
        ("", "", "")
    );
    let anchors = open.anchors(0, &Cancel::default()).unwrap();
    assert_eq!(anchors[0].state, Some(AnchorState::Moved));
    assert_eq!(anchors[0].position.unwrap().body, LineSpan::line(4));
}

#[test]
fn an_empty_file_a_line_of_300_000_characters_and_nul_bytes_are_read_as_text() {
    for bytes in [&b""[..], b"\0\0\0\n", &vec![b'x'; 300_000], b"def f(:\n"] {
        let (_input, open) = with_source(bytes);
        let at = open.find("a.b.f").unwrap();
        let source = open.source_text(at).unwrap();
        assert_eq!(
            (source.line_count(), source.line(1).len()),
            (1, bytes.len() - usize::from(bytes.ends_with(b"\n")))
        );
        assert_eq!(open.anchors(0, &Cancel::default()).unwrap().len(), 1);
    }
}

#[test]
fn a_source_that_cannot_be_read_is_a_fault_at_the_line_of_the_tasks_record() {
    let input = InputFolder::new();
    input.write("data.jsonl", lines(&[task("a.b.f"), task("a.b.g")]));
    std::fs::create_dir_all(input.path("Source_Code/T/p/a/b.py")).unwrap();
    let open = input.open(&[""]).unwrap();
    let anchors = open.anchors(0, &Cancel::default()).unwrap();
    assert!(
        anchors
            .iter()
            .all(|anchor| anchor.state == Some(AnchorState::Missing))
    );
    let faults = faults_of(&open, input.0.path());
    assert!(
        faults[1].starts_with(
            "data.jsonl:2: field 'completion_path': the source of 'a.b.g': cannot read"
        ),
        "{faults:?}"
    );
    assert!(open.source_text(open.find("a.b.f").unwrap()).is_err());
}

#[test]
fn a_path_that_leaves_its_project_is_an_error() {
    let input = InputFolder::new();
    let mut record = task("a.b.f");
    record["completion_path"] = json!("T/p/../../../secret.py");
    input.write("data.jsonl", record.to_string());
    input.write("secret.py", "def f(): pass");
    std::fs::create_dir_all(input.path("Source_Code/T/p")).unwrap();
    let open = input.open(&[""]).unwrap();
    let at = open.find("a.b.f").unwrap();
    assert!(
        open.source_text(at)
            .unwrap_err()
            .what()
            .contains("leaves its project")
    );
    assert!(
        open.project_file(at, &RepoPath::new("a/../../x.py"))
            .is_err()
    );
}

#[test]
fn the_hint_for_missing_sources_names_their_folder() {
    let input = InputFolder::new();
    input.write("data.jsonl", lines(&[task("a.b.f")]));
    let open = input.open(&[""]).unwrap();
    let at = open.find("a.b.f").unwrap();
    let why = open.source_text(at).unwrap_err();
    assert_eq!(why.what(), "the sources of 'T/p' are not here");
    assert!(why.advice().unwrap().contains("Source_Code/T/p"));
    assert_eq!(open.anchors(0, &Cancel::default()).unwrap()[0].state, None);
    assert!(open.repository(at).unwrap().is_none());
    assert!(open.newest(at, &Cancel::default()).is_err());
}

#[test]
fn a_source_folder_that_is_a_repository_has_its_last_commit_as_the_newest_tree() {
    let input = InputFolder::new();
    input.write("data.jsonl", lines(&[task("a.b.f")]));
    let root = input.path("Source_Code/T/p");
    let repository = git2::Repository::init(&root).unwrap();
    input.write("Source_Code/T/p/a/b.py", "def f():\n    return 1\n");
    let mut index = repository.index().unwrap();
    index.add_path(Path::new("a/b.py")).unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let author =
        git2::Signature::new("A", "a@example.org", &git2::Time::new(1_700_000_000, 0)).unwrap();
    repository
        .commit(Some("HEAD"), &author, &author, "First", &tree, &[])
        .unwrap();
    input.write("Source_Code/T/p/a/b.py", "changed, not committed\n");
    let open = input.open(&[""]).unwrap();
    let at = open.find("a.b.f").unwrap();
    assert!(open.repository(at).unwrap().is_some());
    let newest = open.newest(at, &Cancel::default()).unwrap();
    let text = newest.read_path(&RepoPath::new("a/b.py")).unwrap().unwrap();
    assert_eq!(&*text, b"def f():\n    return 1\n");
}

#[test]
fn a_project_with_only_a_repository_is_read_from_the_newest_tree_of_the_repository() {
    let input = InputFolder::new();
    input.write("data.jsonl", lines(&[task("a.b.f")]));
    let work = input.path("work");
    let repository = git2::Repository::init(&work).unwrap();
    input.write("work/a/b.py", "\ndef f():\n    return 1\n");
    let mut index = repository.index().unwrap();
    index.add_path(Path::new("a/b.py")).unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let author = git2::Signature::new("A", "a@example.org", &git2::Time::new(1, 0)).unwrap();
    repository
        .commit(Some("HEAD"), &author, &author, "First", &tree, &[])
        .unwrap();
    input.write(
        "evoscope.toml",
        "[project.'T/p']\nrepository = 'work/.git'\n",
    );
    let open = input.open(&[""]).unwrap();
    let at = open.find("a.b.f").unwrap();
    let source = open.source_text(at).unwrap();
    assert_eq!((source.line(2), source.on_disk()), ("def f():", None));
    let anchors = open.anchors(0, &Cancel::default()).unwrap();
    assert_eq!(anchors[0].state, Some(AnchorState::Moved));
    let why = open.project_file(at, &RepoPath::new("a/c.py")).unwrap_err();
    assert!(why.what().contains("no such file"), "{why}");
}

#[test]
fn an_interrupted_official_run_is_named_and_its_task_is_not_evaluated() {
    let input = InputFolder::new();
    input.write("data.jsonl", lines(&[task("a.b.f")]));
    input.write(
        "Source_Code/T/p/a/b.py",
        "import os\n\ndef f():\n    return 2\n",
    );
    input.write(
        "Source_Code/T/p/a/tmp_b.py",
        "import os\n\ndef f():\n    return 1\n",
    );
    let open = input.open(&[""]).unwrap();
    let at = open.find("a.b.f").unwrap();
    let cancel = Cancel::default();
    open.anchors(0, &cancel).unwrap();
    let faults: Vec<String> = open.diagnostics().map(ToString::to_string).collect();
    assert!(
        faults[0].contains("the original is in a/tmp_b.py"),
        "{faults:?}"
    );
    let why = crate::workspace::Subjects::new(&open, &cancel)
        .subject(at)
        .unwrap_err();
    assert!(
        why.what().contains("the original is in a/tmp_b.py"),
        "{why}"
    );
    assert!(why.advice().unwrap().contains("mv a/tmp_b.py a/b.py"));
}
