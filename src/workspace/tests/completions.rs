use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;

use super::*;
use crate::benchmark::Verdict;
use crate::error::Cancel;

#[test]
fn completions_get_the_verdicts_of_the_result_file_in_the_same_folder() {
    let input = InputFolder::new();
    input.write("data.jsonl", lines(&[task("p.f"), task("p.g")]));
    let set = "model_completion/local/m";
    let texts = [
        completion("p.f", "é"),
        completion("p.f", "2"),
        completion("p.g", "é"),
    ];
    input.write(&format!("{set}/completion.jsonl"), lines(&texts));
    let results = [
        r#"{"namespace": "p.f", "completion": "\u00e9", "Result": "Pass"}"#,
        r#"{"namespace": "p.f", "completion": "2", "Result": "TimeOut"}"#,
        r#"{"namespace": "p.f", "completion": "other", "Result": "Pass"}"#,
    ];
    input.write(&format!("{set}/log.jsonl"), results.join("\n"));
    input.write(
        "alone/x/result.jsonl",
        r#"{"namespace": "p.g", "completion": "z", "Result": "Fail"}"#,
    );
    let open = input.open(&["", "alone/x/result.jsonl"]).unwrap();
    let verdicts = |id: &str| -> Vec<_> {
        let completions = open.completions(open.find(id).unwrap()).unwrap();
        completions
            .iter()
            .map(|completion| (completion.sample, completion.released))
            .collect()
    };
    assert_eq!(
        verdicts("p.f"),
        [(0, Some(Verdict::Pass)), (1, Some(Verdict::Timeout))]
    );
    assert_eq!(verdicts("p.g"), [(0, None), (0, Some(Verdict::Fail))]);
    let counts = open.indexed().unwrap().counts();
    assert_eq!(
        (
            counts[0].completions,
            counts[0].tasks,
            counts[0].evaluated,
            counts[0].passed
        ),
        (3, 2, 2, 1)
    );
}

#[test]
fn completions_of_two_benchmarks_with_the_same_tasks_are_not_mixed() {
    let input = InputFolder::new();
    let set = "model_completion/local/m";
    for (folder, verdict) in [("one", "Pass"), ("two", "Fail")] {
        input.write(&format!("{folder}/data.jsonl"), task("p.f").to_string());
        input.write(
            &format!("{folder}/{set}/completion.jsonl"),
            completion("p.f", "1").to_string(),
        );
        input.write(
            &format!("{folder}/{set}/results.csv"),
            format!("namespace,verdict\np.f,{verdict}\n"),
        );
    }
    let folders = input.open(&["one", "two"]).unwrap();
    let files = ["data.jsonl", set].map(|part| [format!("one/{part}"), format!("two/{part}")]);
    let files: Vec<&str> = files.iter().flatten().map(String::as_str).collect();
    let files = input.open(&files).unwrap();
    for open in [folders, files] {
        for (id, verdict) in [
            ("deveval/p.f", Verdict::Pass),
            ("deveval-2/p.f", Verdict::Fail),
        ] {
            let completions = open.completions(open.find(id).unwrap()).unwrap();
            let verdicts: Vec<_> = completions.iter().map(|one| one.released).collect();
            assert_eq!(verdicts, [Some(verdict)], "{id}");
        }
    }
}

#[test]
fn result_files_may_contain_several_sets_and_tables_give_verdicts_to_open_completions() {
    let input = InputFolder::new();
    input.write("data.jsonl", lines(&[task("p.f"), task("p.g")]));
    let texts = [completion("p.f", "1"), completion("p.f", "2")];
    input.write("model_completion/local/m/completion.jsonl", lines(&texts));
    let results = [
        r#"{"namespace": "p.f", "completion": "3", "verdict": "fail", "model": "a", "setting": "s"}"#,
        r#"{"namespace": "p.f", "completion": "4", "verdict": "pass", "model": "b", "setting": "s"}"#,
        r#"{"namespace": "p.g", "completion": "5", "verdict": "pass", "model": "a", "setting": "s"}"#,
    ];
    input.write("given/several.jsonl", results.join("\n"));
    let table =
        "namespace,verdict,model,setting\np.f,Error,m,local\np.f,Pass,m,local\np.f,Pass,a,s\n";
    input.write("given/table.csv", table);
    input.write("given/other.csv", "namespace,verdict\np.f,Pass\n");
    let open = input
        .open(&[
            "given/table.csv",
            "given/other.csv",
            "given/several.jsonl",
            "",
        ])
        .unwrap();
    let sets: Vec<_> = open
        .completion_sets()
        .iter()
        .map(|set| &*set.model)
        .collect();
    assert_eq!(sets, ["m", "a", "b"]);
    let found = |id: &str| -> Vec<_> {
        let at = open.find(id).unwrap();
        let completions = open.completions(at).unwrap().iter();
        completions
            .map(|found| {
                (
                    found.set,
                    open.completion_text(at, found).unwrap(),
                    found.released,
                )
            })
            .collect()
    };
    let (fail, pass) = (Some(Verdict::Fail), Some(Verdict::Pass));
    let named = |set, text: &str, verdict| (set, text.to_owned(), verdict);
    let expected = [
        named(0, "1", fail),
        named(0, "2", pass),
        named(1, "3", fail),
        named(2, "4", pass),
    ];
    assert_eq!(found("p.f"), expected);
    assert_eq!(found("p.g"), [named(1, "5", pass)]);
    let completions = open.completions(open.find("p.f").unwrap()).unwrap();
    let files = open.results_next_to(&completions[0]);
    assert!(
        files.len() == 1 && files[0].ends_with("table.csv"),
        "{files:?}"
    );
    assert!(open.results_next_to(&completions[2]).is_empty());
    let faults: Vec<_> = open
        .diagnostics()
        .map(|fault| fault.what.as_str())
        .collect();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(
        faults[0].starts_with("no completions of 'other · "),
        "{faults:?}"
    );
}

#[test]
fn a_file_of_several_sets_is_read_once() {
    let input = InputFolder::new();
    input.write("data.jsonl", lines(&[task("p.f")]));
    let row = |model: &str| {
        format!(
            r#"{{"namespace": "p.f", "completion": "1", "verdict": "pass", "model": "{model}", "setting": "s"}}"#
        )
    };
    let rows = [row("a"), row("b"), "{broken".to_owned(), row("c")];
    input.write("given/several.jsonl", rows.join("\n"));
    let open = input.open(&["given/several.jsonl", ""]).unwrap();
    let completions = open.completions(open.find("p.f").unwrap()).unwrap();
    assert_eq!(completions.len(), 3);
    let broken = open.diagnostics().filter(|fault| fault.leaves_out);
    assert_eq!(broken.count(), 1);
}

#[test]
fn codereval_samples_of_several_models_share_their_tasks() {
    let input = InputFolder::new();
    let sample = |codes: &[&str]| {
        let results: Vec<Value> = codes
            .iter()
            .map(|code| json!({"generate_code": code, "is_pass": true}))
            .collect();
        json!({"_id": "1", "name": "f", "project": "p", "level": "file_runnable", "file_path": "a.py", "generate_results": results})
    };
    input.write("one/Raw.jsonl", lines(&[sample(&["a", "b"])]));
    input.write("two/Raw.jsonl", lines(&[sample(&["c"])]));
    let own = json!({"_id": "1", "name": "f", "project": "p", "level": "file_runnable", "file_path": "a.py", "human_label": "H"});
    input.write("tasks.json", json!({"RECORDS": [own]}).to_string());
    let open = input
        .open(&["tasks.json", "one/Raw.jsonl", "two/Raw.jsonl"])
        .unwrap();
    assert_eq!(faults_of(&open, input.0.path()), Vec::<String>::new());
    assert_eq!(ids(&open), ["codereval/1"]);
    let at = open.find("1").unwrap();
    assert_eq!(open.detail(at).unwrap().requirement.texts[0].text, "H");
    let texts: Vec<String> = open
        .completions(at)
        .unwrap()
        .iter()
        .map(|found| open.completion_text(at, found).unwrap())
        .collect();
    assert_eq!(texts, ["a", "b", "c"]);
}

#[test]
fn indexing_reports_progress_and_can_be_cancelled_and_repeated() {
    let input = InputFolder::new();
    input.write("data.jsonl", lines(&[task("p.f")]));
    let texts: Vec<Value> = (0..5000).map(|_| completion("p.f", "some text")).collect();
    input.write("model_completion/s/m/completion.jsonl", lines(&texts));
    let open = input.open(&[""]).unwrap();
    let cancel = Cancel::default();
    cancel.raise();
    assert!(open.index_completions(&cancel, &|_, _| {}).is_err());
    let (seen, total) = (AtomicU64::new(0), AtomicU64::new(0));
    let progress = |read, all| {
        seen.fetch_max(read, Ordering::Relaxed);
        total.store(all, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                open.index_completions(&Cancel::default(), &progress)
                    .unwrap()
                    .len()
            });
        }
    });
    assert_eq!(open.indexed().unwrap().len(), 5000);
    assert_eq!(seen.load(Ordering::Relaxed), total.load(Ordering::Relaxed));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_index_contains_every_completion_of_a_known_task_in_file_order(
        sets in proptest::collection::vec(proptest::collection::vec((0usize..6, "[a-z]{0,4}"), 0..12), 1..4),
    ) {
        let input = InputFolder::new();
        let tasks: Vec<Value> = (0..5).map(|n| task(&format!("p.f{n}"))).collect();
        input.write("data.jsonl", lines(&tasks));
        for (set, texts) in sets.iter().enumerate() {
            let texts: Vec<Value> = texts.iter().map(|(at, text)| completion(&format!("p.f{at}"), text)).collect();
            input.write(&format!("model_completion/s/m{set}/completion.jsonl"), lines(&texts));
        }
        let open = input.open(&[""]).unwrap();
        for at in 0..5 {
            let task = open.find(&format!("p.f{at}")).unwrap();
            let found = open.completions(task).unwrap();
            let found: Vec<(u32, u32, String)> = found
                .iter()
                .map(|found| (found.set, found.sample, open.completion_text(task, found).unwrap()))
                .collect();
            let mut expected = Vec::new();
            for (set, texts) in (0u32..).zip(&sets) {
                let own = texts.iter().filter(|(task, _)| *task == at);
                expected.extend((0u32..).zip(own).map(|(sample, (_, text))| (set, sample, text.clone())));
            }
            prop_assert_eq!(found, expected);
        }
    }
}
