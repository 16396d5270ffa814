//! The command `evoscope generate`, with a server that sends prepared answers.

mod failures;
mod faults;
mod kills;
mod probabilities;
mod requirements;
pub mod server;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use server::{Reply, Server, answer};

const TASK: &str = "siskin.rings.check_letter";
/// An API key that no output may contain.
const KEY: &str = "sk-scripted-0123456789";

/// A home folder that contains one benchmark of the sample, and the repository of the sample's project.
pub struct Place {
    pub home: tempfile::TempDir,
    pub benchmark: PathBuf,
}

impl Place {
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let sample = evoscope::workspace::sample::materialize(home.path()).unwrap();
        let benchmark = home.path().join("evoscope.toml");
        let text = format!(
            "[[benchmark]]\nformat = \"evocodebench\"\ntasks = \"{0}/evocodebench/data.jsonl\"\n\
             sources = \"{0}/evocodebench/Source_Code\"\n[project.siskin]\nrepository = \"{0}/project/siskin.git\"\n",
            sample.display()
        );
        fs::write(&benchmark, text).unwrap();
        Self { home, benchmark }
    }

    pub fn out(&self) -> PathBuf {
        self.home.path().join("out")
    }

    pub fn command(&self, endpoint: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evoscope"));
        command
            .args([
                "generate",
                "--endpoint",
                endpoint,
                "--model",
                "org/scripted",
            ])
            .args(["--delay", "0.01", "--out"])
            .arg(self.out())
            .args(arguments)
            .arg(&self.benchmark)
            .env("EVOSCOPE_HOME", self.home.path())
            .env("OPENAI_API_KEY", KEY);
        command
    }

    pub fn generate(&self, endpoint: &str, arguments: &[&str]) -> Output {
        self.command(endpoint, arguments).output().unwrap()
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The prompts that `context --prompt` prints for the benchmark. The key is the task.
fn prompts(place: &Place, arguments: &[&str]) -> BTreeMap<String, String> {
    let run = Command::new(env!("CARGO_BIN_EXE_evoscope"))
        .args(["context", "--prompt"])
        .args(arguments)
        .arg(&place.benchmark)
        .env("EVOSCOPE_HOME", place.home.path())
        .output()
        .unwrap();
    let word = |line: &Value, field: &str| line[field].as_str().unwrap().to_owned();
    text(&run.stdout)
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            (word(&line, "namespace"), word(&line, "prompt"))
        })
        .collect()
}

#[test]
fn generate_sends_the_prompts_of_context_and_writes_official_files() {
    let place = Place::new();
    let server = Server::start(|seen| {
        answer(&format!(
            "```python\ndef x():\n    return {}\n```",
            seen.body["seed"]
        ))
    });
    let run = place.generate(
        &server.endpoint(),
        &[
            "--setting",
            "retrieved@base",
            "--setting",
            "retrieved@newest",
            "--samples",
            "2",
            "--seed",
            "5",
        ],
    );
    assert!(run.status.success(), "{}", text(&run.stderr));
    let mut all = 0;
    for moment in ["base", "newest"] {
        let expected = prompts(&place, &["--setting", "retrieved", "--at", moment]);
        let folder = place.out().join(format!("retrieved@{moment}/org_scripted"));
        let completions = lines(&folder.join("completion.jsonl"));
        let records = lines(&folder.join("records.jsonl"));
        assert_eq!(completions.len(), 2 * expected.len());
        assert_eq!(records.len(), completions.len());
        for (place, line) in completions.iter().enumerate() {
            let seed = 5 + place % 2;
            let name = line["namespace"].as_str().unwrap();
            assert!(expected.contains_key(name));
            assert!(
                line["completion"]
                    .as_str()
                    .unwrap()
                    .contains(&seed.to_string())
            );
        }
        for record in &records {
            assert_eq!(record["server_model"], "scripted-1");
            assert_eq!(record["usage"]["prompt_tokens"], 7);
            assert_eq!(record["finish_reason"], "stop");
        }
        for prompt in expected.values() {
            let sent = server.seen();
            assert!(sent.iter().any(|seen| seen.prompt() == prompt), "{prompt}");
        }
        all += completions.len();
    }
    let seen = server.seen();
    assert_eq!(seen.len(), all);
    assert!(seen.iter().all(|seen| seen.path == "/v1/chat/completions"));
    assert!(seen[0].headers.contains(KEY), "the key is sent");
    let again = place.generate(
        &server.endpoint(),
        &[
            "--setting",
            "retrieved@base",
            "--setting",
            "retrieved@newest",
            "--samples",
            "2",
            "--seed",
            "5",
        ],
    );
    assert!(again.status.success());
    assert_eq!(server.seen().len(), all, "no request is sent again");
}

#[test]
fn a_dry_run_sends_nothing_and_prints_the_prompts() {
    let place = Place::new();
    let server = Server::start(|_| Reply::Silence);
    let arguments = [
        "--setting",
        "without_context@base",
        "--raw",
        "--dry-run",
        "--as",
        "evocodebench",
    ];
    let run = place.generate(&server.endpoint(), &arguments);
    let said = text(&run.stdout);
    assert!(said.contains("× 1 settings × 20 samples"), "{said}");
    let json = place.generate(&server.endpoint(), &[&arguments[..], &["--json"]].concat());
    let printed: BTreeMap<String, String> = text(&json.stdout)
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let word = |field: &str| line[field].as_str().unwrap().to_owned();
            (word("namespace"), word("prompt"))
        })
        .collect();
    let expected = prompts(
        &place,
        &[
            "--setting",
            "without_context",
            "--at",
            "base",
            "--style",
            "completion",
        ],
    );
    assert!(!expected.is_empty());
    assert_eq!(printed, expected);
    assert!(server.seen().is_empty() && !place.out().exists());
}

#[test]
fn presets_have_the_papers_parameters_and_truncated_answers_are_counted() {
    let place = Place::new();
    let server = Server::start(|_| {
        let body =
            r#"{"choices":[{"message":{"content":"    return 1"},"finish_reason":"length"}]}"#;
        Reply::Send(200, "", body.to_owned())
    });
    let common = [
        "--setting",
        "without_context",
        "--as",
        "evocodebench",
        "--task",
        TASK,
    ];
    let sampled = place.generate(&server.endpoint(), &common);
    assert!(
        text(&sampled.stdout).contains("20 truncated at 500 tokens"),
        "{}",
        text(&sampled.stderr)
    );
    let greedy = place.generate(&server.endpoint(), &[&common[..], &["--greedy"]].concat());
    assert!(greedy.status.success());
    let seen = server.seen();
    assert_eq!(seen.len(), 21);
    let sent = &seen[0].body;
    assert_eq!(sent["temperature"], 0.4);
    assert_eq!(sent["top_p"], 0.95);
    assert_eq!(sent["max_tokens"], 500);
    assert_eq!(seen[20].body["temperature"], 0.0);
    let greedy = place
        .out()
        .join("without_context/org_scripted_greedy/records.jsonl");
    assert_eq!(lines(&greedy)[0]["truncated"], true);
}

#[test]
fn the_prompts_of_an_official_file_are_sent_as_they_are() {
    let place = Place::new();
    let server = Server::start(|_| answer("    return 1"));
    let file = place.home.path().join("gpt-4-1106_prompt.jsonl");
    let line = json!({"namespace": TASK, "prompt": "Please complete it.\n"});
    fs::write(&file, line.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let asked = ["--setting", "local_infilling", "--prompts", file];
    let run = place.generate(
        &server.endpoint(),
        &[&asked[..], &["--task", TASK]].concat(),
    );
    assert!(run.status.success(), "{}", text(&run.stderr));
    let seen = server.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].prompt(), "Please complete it.\n");
    let folder = place.out().join("local_infilling/org_scripted");
    assert_eq!(lines(&folder.join("completion.jsonl")).len(), 1);
    let more = place.generate(&server.endpoint(), &asked);
    assert!(
        text(&more.stderr).contains("the file of prompts has none"),
        "{}",
        text(&more.stderr)
    );
    let two = [&asked[..], &["--setting", "oracle"]].concat();
    assert_eq!(
        place.generate(&server.endpoint(), &two).status.code(),
        Some(2)
    );
}
