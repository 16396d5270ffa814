use super::*;

#[test]
fn several_threads_can_open_a_new_store_at_the_same_time() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verdicts.sqlite");
        let barrier = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            let open = || {
                barrier.wait();
                VerdictStore::open(&path).map(|_| ())
            };
            let opened: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            for one in opened {
                one.join().unwrap().unwrap();
            }
        });
    }
}

#[test]
fn a_record_that_cannot_be_read_counts_as_missing_and_can_be_recorded_again() {
    let store = VerdictStore::in_memory().unwrap();
    let key = ContentKey::over(&[b"task"]);
    let task = TaskId::new("p.f");
    store
        .record_baseline(key, &task, &Baseline::default())
        .unwrap();
    assert_eq!(store.baseline(key).unwrap(), Some(Baseline::default()));
    for value in ["x'ff00'", "'{'", "12"] {
        let damage = format!("UPDATE baselines SET baseline = {value}");
        store.lock().execute(&damage, []).unwrap();
        assert_eq!(store.baseline(key).unwrap(), None, "{value}");
        store
            .record_baseline(key, &task, &Baseline::default())
            .unwrap();
        assert_eq!(
            store.baseline(key).unwrap(),
            Some(Baseline::default()),
            "{value}"
        );
    }
}

#[test]
fn a_store_of_a_later_version_or_with_a_view_is_refused_with_its_path() {
    for (change, word) in [
        ("PRAGMA user_version = 2", "version 2, newer than 1"),
        (
            "DROP TABLE latest; CREATE VIEW latest AS SELECT 1 AS completion, 't' AS task, 1 AS key",
            "contains 'latest'",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verdicts.sqlite");
        let store = VerdictStore::open(&path).unwrap();
        store.lock().execute_batch(change).unwrap();
        drop(store);
        let why = VerdictStore::open(&path).err().unwrap().to_string();
        assert!(
            why.contains(word) && why.contains("verdicts.sqlite"),
            "{why}"
        );
    }
}

#[test]
fn an_error_after_opening_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let store = VerdictStore::open(&path).unwrap();
    store.lock().execute_batch("DROP TABLE verdicts").unwrap();
    let why = store.len().unwrap_err();
    assert_eq!(why.place().map(|place| &place.file), Some(&path));
}

#[test]
fn the_first_verdict_under_a_key_stays() {
    let store = VerdictStore::in_memory().unwrap();
    let (key, task) = (ContentKey::over(&[b"completion"]), TaskId::new("p.f"));
    let verdict = |verdict| {
        let official = crate::benchmark::OfficialResult::Pass;
        let kind = super::super::sandbox::SandboxKind::Local;
        CompletionVerdict::new(verdict, String::new(), kind, official)
    };
    for found in [Verdict::Pass, Verdict::Fail] {
        store.record(key, "run", &task, &verdict(found)).unwrap();
    }
    let other = ContentKey::over(&[b"another completion"]);
    let mut stored = Vec::new();
    store
        .verdicts(&[other, key], |index, found| {
            stored.push((index, found.verdict));
        })
        .unwrap();
    assert_eq!(stored, [(1, Verdict::Pass)]);
}

/// Records a pass as the latest verdict on a completion. The verdict and the completion have the same key: the hash
/// of `name`.
fn recorded(store: &VerdictStore, name: &str) -> ContentKey {
    let (key, task) = (ContentKey::over(&[name.as_bytes()]), TaskId::new(name));
    let official = crate::benchmark::OfficialResult::Pass;
    let kind = super::super::sandbox::SandboxKind::Local;
    let judgement = CompletionVerdict::new(Verdict::Pass, String::new(), kind, official);
    store.record(key, "run", &task, &judgement).unwrap();
    store.note(key, &task, key).unwrap();
    key
}

#[test]
fn a_damaged_row_does_not_hide_the_latest_verdicts_of_other_rows() {
    let store = VerdictStore::in_memory().unwrap();
    let keys = ["p.f", "p.g", "p.h"].map(|name| recorded(&store, name));
    for (damage, known) in [
        (
            "UPDATE verdicts SET verdict = x'ff00' WHERE task = 'p.f'",
            2,
        ),
        (
            "UPDATE latest SET task = CAST(x'ff00' AS TEXT) WHERE task = 'p.g'",
            1,
        ),
    ] {
        store.lock().execute(damage, []).unwrap();
        let latest = store.latest().unwrap();
        let found = keys.iter().filter(|key| latest.verdict(**key).is_some());
        assert_eq!(found.count(), known, "{damage}");
    }
}

#[test]
fn tables_with_missing_columns_are_renamed_and_created_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let other = Connection::open(&path).unwrap();
    let tables =
        "CREATE TABLE verdicts (id INTEGER, text TEXT); INSERT INTO verdicts VALUES (1, 'mine');
        CREATE TABLE latest (a); CREATE TABLE baselines (key BLOB)";
    other.execute_batch(tables).unwrap();
    drop(other);
    for _ in 0..2 {
        let store = VerdictStore::open(&path).unwrap();
        let key = recorded(&store, "p.f");
        let baseline = Baseline::default();
        store
            .record_baseline(key, &TaskId::new("p.f"), &baseline)
            .unwrap();
        assert!(store.verdict(key).unwrap().is_some());
        assert_eq!(store.latest().unwrap().verdict(key), Some(Verdict::Pass));
        let aside =
            "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%\\_unreadable\\_%' ESCAPE '\\'";
        let count: u32 = store.lock().query_row(aside, [], |row| row.get(0)).unwrap();
        assert_eq!(count, 3);
    }
}
