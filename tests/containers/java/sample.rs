//! `evaluate` gives each completion of the Java sample the verdict in `expected_verdicts.csv`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use evoscope::evaluation::SandboxKind;
use evoscope::workspace::sample::materialize_java;
use libtest_mimic::Trial;
use serde_json::Value;

use super::fixture::IMAGE;
use crate::fixture::lines;

/// The files with CoderEval's completions. HumanEvo's completions are given as a folder.
const SAMPLES: [&str; 2] = [
    "codereval/java_heron-70b_original.jsonl",
    "codereval/java_jackdaw-chat_original.jsonl",
];

struct Place {
    home: tempfile::TempDir,
    sample: PathBuf,
}

impl Place {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let sample = materialize_java(home.path()).unwrap();
        Self { home, sample }
    }

    fn file(&self, name: &str) -> String {
        self.home.path().join(name).display().to_string()
    }

    fn evaluate(&self, kind: SandboxKind, completions: &[String], more: &[&str]) {
        let run = Command::new(env!("CARGO_BIN_EXE_evoscope"))
            .args(["evaluate", "sample:java", "--timeout=10", "--image", IMAGE])
            .args(["--sandbox", kind.word()])
            .args(
                completions
                    .iter()
                    .map(|name| format!("--completions={name}")),
            )
            .args(more)
            .env("EVOSCOPE_HOME", self.home.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{said}");
    }

    /// Key: `task,setting,model,sample`. Value: the expected verdict.
    fn expected(&self) -> BTreeMap<String, String> {
        let table = self.sample.join("expected_verdicts.csv");
        let table = std::fs::read_to_string(table).unwrap();
        let rows = table.lines().skip(1);
        rows.map(|row| {
            let (key, verdict) = row.rsplit_once(',').unwrap();
            (key.to_owned(), verdict.to_owned())
        })
        .collect()
    }
}

/// The tests of the sample in a sandbox.
pub fn trials(kind: SandboxKind, ignored: bool) -> [Trial; 2] {
    let name = |what: &str| format!("{}::java::{what}", kind.word());
    let verdicts = move || {
        verdicts_are_as_expected(kind);
        Ok(())
    };
    let released = move || {
        released_form_is_that_of_the_sample(kind);
        Ok(())
    };
    [
        Trial::test(name("sample"), verdicts).with_ignored_flag(ignored),
        Trial::test(name("sample_released"), released).with_ignored_flag(ignored),
    ]
}

fn verdicts_are_as_expected(kind: SandboxKind) {
    let place = Place::new();
    let results = place.file("results.jsonl");
    let samples = SAMPLES.map(|name| format!("sample:java/{name}"));
    let completions = [&["sample:java/humanevo".to_owned()], &samples[..]].concat();
    place.evaluate(kind, &completions, &["--results", &results]);
    let found: BTreeMap<String, String> = lines(Path::new(&results)).iter().map(row).collect();
    assert_eq!(found, place.expected());
}

fn row(line: &Value) -> (String, String) {
    let word = |field: &str| line[field].as_str().unwrap().to_owned();
    let key = ["task", "setting", "model"].map(word).join(",");
    (format!("{key},{}", line["sample"]), word("verdict"))
}

/// `--released` writes the same records as the released file of the sample. The texts of error messages are not
/// compared.
fn released_form_is_that_of_the_sample(kind: SandboxKind) {
    let place = Place::new();
    let out = place.file("out.jsonl");
    let given = format!("sample:java/{}", SAMPLES[1]);
    place.evaluate(kind, &[given], &["--released", &out]);
    let mut found = lines(Path::new(&out));
    for record in &mut found {
        for sample in record["generate_results"].as_array_mut().unwrap() {
            let detail = sample["error_detail_message"].take();
            let passed = sample["is_pass"] == true;
            assert_eq!(detail == "", passed, "{detail}");
            let detail = if passed { "" } else { "null" };
            sample["error_detail_message"] = detail.into();
        }
    }
    assert_eq!(found, lines(&place.sample.join(SAMPLES[1])));
}
