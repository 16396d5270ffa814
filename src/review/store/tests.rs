use super::*;
use crate::review::{Answer, Decision, Question};

fn answer(answer: Answer) -> Change {
    Change::Answer {
        question: Question::Complete,
        answer: Some(answer),
    }
}

fn add(store: &mut Store, annotator: &str, task: &str, change: Change, at: i64) -> Event {
    let subject = Subject::Requirement;
    store
        .append(annotator, &TaskId::new(task), &subject, change, at, 1.0)
        .unwrap()
}

#[test]
fn what_is_appended_is_there_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/review.sqlite");
    let event = add(
        &mut Store::open(&path).unwrap(),
        "ana",
        "t",
        answer(Answer::Yes),
        5,
    );
    assert_eq!(Store::open(&path).unwrap().events().unwrap(), [event]);
}

#[test]
fn undo_walks_all_the_way_back_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("review.sqlite");
    let mut expected = Vec::new();
    for number in 0..20 {
        let mut store = Store::open(&path).unwrap();
        let name = if number % 4 == 0 { "ben" } else { "ana" };
        let event = add(
            &mut store,
            name,
            &format!("t{number}"),
            Change::Note("x".into()),
            number,
        );
        if name == "ana" {
            expected.push(event);
        }
    }
    let mut undone = Vec::new();
    while let Some(event) = Store::open(&path).unwrap().undo("ana", 100).unwrap() {
        undone.push(event.change);
    }
    undone.reverse();
    let expected: Vec<_> = expected
        .into_iter()
        .map(|event| Change::Undo(event.uid))
        .collect();
    assert_eq!(undone, expected);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(
        store
            .judgements()
            .unwrap()
            .annotators()
            .into_iter()
            .collect::<Vec<_>>(),
        ["ben"]
    );
    let again = add(&mut store, "ana", "t", Change::Decide(Decision::Flag), 0);
    assert_eq!(again.at, 100, "time never goes back for one annotator");
    assert_eq!(
        store.undo("ana", 0).unwrap().unwrap().change,
        Change::Undo(again.uid)
    );
}

#[test]
fn nothing_that_stands_can_be_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("r")).unwrap();
    add(&mut store, "ana", "t", answer(Answer::No), 1);
    for change in ["UPDATE event SET annotator = 'x'", "DELETE FROM event"] {
        let error = store.connection.execute(change, []).unwrap_err();
        assert!(error.to_string().contains("append-only"), "{error}");
    }
}

#[test]
fn files_are_merged_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut ana = Store::open(&folder.path().join("ana")).unwrap();
    let mut ben = Store::open(&folder.path().join("ben")).unwrap();
    add(&mut ana, "ana", "t", answer(Answer::Yes), 1);
    add(&mut ben, "ben", "t", answer(Answer::No), 2);
    add(&mut ben, "ben", "u", answer(Answer::No), 3);
    ben.undo("ben", 4).unwrap();
    let theirs = ben.events().unwrap();
    assert_eq!(ana.merge(&theirs).unwrap(), 3);
    assert_eq!(ana.merge(&theirs).unwrap(), 0);
    let judgements = ana.judgements().unwrap();
    let judged: Vec<_> = judgements
        .iter()
        .map(|(task, _, by)| (task.as_str(), by.len()))
        .collect();
    assert_eq!(judged, [("t", 2)]);
}

#[test]
fn a_file_that_is_no_log_or_a_newer_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    std::fs::write(
        &text,
        "not a database, but long enough to be looked at as one".repeat(10),
    )
    .unwrap();
    let error = Store::open(&text).unwrap_err();
    assert!(error.what().contains("not a database"), "{error}");
    let newer = folder.path().join("newer");
    Store::open(&newer)
        .unwrap()
        .connection
        .pragma_update(None, "user_version", 9)
        .unwrap();
    assert!(
        Store::open(&newer)
            .unwrap_err()
            .what()
            .contains("version 9")
    );
}

#[test]
fn the_plan_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("r")).unwrap();
    assert_eq!(store.plan().unwrap(), None);
    let plan = Plan {
        annotators: vec!["ana".into()],
        ..Plan::everything(vec![TaskId::new("t")])
    };
    store.set_plan(&plan).unwrap();
    assert_eq!(store.plan().unwrap(), Some(plan));
}
