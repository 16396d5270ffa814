//! Measures how many verdicts per second Evoscope's sandboxes and the official way produce. The official way starts a
//! process `python -m pytest TEST` for each test.
//!
//! - `EVOSCOPE_BENCH_DEVEVAL` and `EVOSCOPE_BENCH_COMPLETIONS`: a checkout in DevEval's layout, and completions of its
//!   tasks. Unless both are set, the fixture of the container tests is measured.
//! - `EVOSCOPE_BENCH_SANDBOXES`: the sandboxes, `local,docker` by default.
//! - `EVOSCOPE_BENCH_IMAGE`: the image of the containers.
//! - `EVOSCOPE_BENCH_HOME`: a folder with environments to reuse. The subfolder `state` is deleted.
//! - `EVOSCOPE_BENCH_VERBATIM`: if set, `python setup.py pytest --addopts TEST` is measured too, with the versions of
//!   setuptools and pytest-runner that this command needs.
//! - `EVOSCOPE_BENCH_ROUNDS`: the number of measurements, 3 by default. The fastest one counts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark may panic"
)]
#![allow(
    dead_code,
    reason = "this benchmark uses only a part of the container tests' fixture"
)]

#[path = "../containers/fixture.rs"]
mod fixture;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use evoscope::environment::{BuildContext, Interpreter, find_requirements, host_environment};
use evoscope::error::Cancel;
use serde_json::Value;

struct Input {
    checkout: PathBuf,
    completions: PathBuf,
    _made: Option<tempfile::TempDir>,
}

fn input() -> Input {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    if let (Some(checkout), Some(completions)) = (
        named("EVOSCOPE_BENCH_DEVEVAL"),
        named("EVOSCOPE_BENCH_COMPLETIONS"),
    ) {
        return Input {
            checkout,
            completions,
            _made: None,
        };
    }
    let bodies: Vec<String> = (0..40)
        .map(|n| {
            if n % 2 == 0 {
                format!("return [value * factor for value in values]  # {n}\n")
            } else {
                format!("return [{n}]\n")
            }
        })
        .collect();
    let made = fixture::checkout(&bodies);
    Input {
        checkout: made.path().to_owned(),
        completions: made.path().join("completion.jsonl"),
        _made: Some(made),
    }
}

fn main() {
    let input = input();
    let made = tempfile::tempdir().unwrap();
    let home = std::env::var_os("EVOSCOPE_BENCH_HOME")
        .map_or_else(|| made.path().to_owned(), PathBuf::from);
    // So that `evaluate` does not reuse the verdicts of an earlier measurement.
    let _ = fs::remove_dir_all(home.join("state"));
    let sandboxes: Vec<String> = std::env::var("EVOSCOPE_BENCH_SANDBOXES")
        .unwrap_or_else(|_| "local,docker".to_owned())
        .split(',')
        .map(str::to_owned)
        .filter(|sandbox| sandbox != "docker" || fixture::docker().is_ok())
        .collect();
    // The first run in each sandbox builds the environments and runs the baselines. Later runs reuse both.
    for sandbox in &sandboxes {
        evaluate(&input, &home, sandbox, 1, "").print(&format!(
            "{sandbox}, first run (environments, references, stubs, counter-tests)"
        ));
    }
    let rounds = std::env::var("EVOSCOPE_BENCH_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(3);
    let mut best: BTreeMap<String, Measured> = BTreeMap::new();
    for round in 0..rounds {
        measure(&input, &home, &sandboxes, round, &mut best);
    }
    for (name, measured) in &best {
        measured.print(name);
    }
    for way in [PLAIN, VERBATIM] {
        let Some(official) = best.get(way).map(Measured::rate) else {
            continue;
        };
        for (name, measured) in best.iter().filter(|(name, _)| name.contains("warm")) {
            println!("{name}: {:.1} times the {way}", measured.rate() / official);
        }
    }
}

const PLAIN: &str = "official way, python -m pytest TEST";
const VERBATIM: &str = "official way, python setup.py pytest --addopts TEST";

fn measure(
    input: &Input,
    home: &Path,
    sandboxes: &[String],
    round: usize,
    best: &mut BTreeMap<String, Measured>,
) {
    let mut record = |name: String, measured: Measured| {
        if best
            .get(&name)
            .is_none_or(|known| known.seconds > measured.seconds)
        {
            best.insert(name, measured);
        }
    };
    let mut test_seconds = 0.0;
    for sandbox in sandboxes {
        for jobs in [1, 2] {
            // Line feeds at the end of a completion change only its text, so that its stored verdict is not reused.
            let mark = "\n".repeat(2 * round + jobs);
            let measured = evaluate(input, home, sandbox, jobs, &mark);
            test_seconds = measured.test_seconds;
            record(format!("{sandbox}, warm, jobs: {jobs}"), measured);
        }
    }
    // The official way runs the same tests, so the last measurement above shows how long these tests take.
    let mut official = |name: &str, way: &[&str], packages: &[&str]| {
        let mut measured = official(input, home, way, packages);
        measured.test_seconds = test_seconds;
        record(name.to_owned(), measured);
    };
    official(PLAIN, &["-m", "pytest"], &[]);
    if std::env::var_os("EVOSCOPE_BENCH_VERBATIM").is_some() {
        let packages = ["setuptools==68.2.2", "pytest-runner==6.0.1"];
        official(VERBATIM, &["setup.py", "pytest", "--addopts"], &packages);
    }
}

struct Measured {
    verdicts: usize,
    seconds: f64,
    test_seconds: f64,
    passes: usize,
}

impl Measured {
    fn rate(&self) -> f64 {
        f64::from(u32::try_from(self.verdicts).unwrap()) / self.seconds
    }

    fn print(&self, what: &str) {
        let share = 100.0 * (1.0 - self.test_seconds / self.seconds).max(0.0);
        println!(
            "{what}: {} verdicts ({} pass) in {:.2} s, {:.2} per second, {share:.1} % of the time outside the tests",
            self.verdicts,
            self.passes,
            self.seconds,
            self.rate()
        );
    }
}

fn evaluate(input: &Input, home: &Path, sandbox: &str, jobs: usize, mark: &str) -> Measured {
    let folder = tempfile::tempdir().unwrap();
    let completions = folder.path().join("completion.jsonl");
    let text: String = fixture::lines(&input.completions)
        .into_iter()
        .map(|mut line| {
            line["completion"] =
                Value::from(line["completion"].as_str().unwrap().to_owned() + mark);
            line.to_string() + "\n"
        })
        .collect();
    fs::write(&completions, text).unwrap();
    let results = folder.path().join("results.jsonl");
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_evoscope"));
    command.args([
        "evaluate",
        "--json",
        "--sandbox",
        sandbox,
        "--jobs",
        &jobs.to_string(),
        "--results",
    ]);
    command.arg(&results).arg("--completions").arg(&completions);
    if sandbox == "docker" {
        let image =
            std::env::var("EVOSCOPE_BENCH_IMAGE").unwrap_or_else(|_| fixture::IMAGE.to_owned());
        command.args(["--image", &image]);
    }
    command
        .arg("--")
        .arg(&input.checkout)
        .env("EVOSCOPE_HOME", home)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let evaluated = usable(&results);
    let tests = evaluated
        .iter()
        .flat_map(|line| line["tests"].as_array().unwrap().iter());
    Measured {
        verdicts: evaluated.len(),
        seconds,
        test_seconds: tests.map(|test| test["seconds"].as_f64().unwrap()).sum(),
        passes: evaluated
            .iter()
            .filter(|line| line["verdict"] == "pass")
            .count(),
    }
}

fn usable(results: &Path) -> Vec<Value> {
    fixture::lines(results)
        .into_iter()
        .filter(|line| line["verdict"] != "unusable")
        .collect()
}

/// Does what the official `pass_k.py` does for each completion: replaces the file, runs a process for each test until a
/// test fails, and restores the file.
fn official(input: &Input, home: &Path, way: &[&str], packages: &[&str]) -> Measured {
    let tasks: BTreeMap<String, Value> = fixture::lines(&input.checkout.join("data.jsonl"))
        .into_iter()
        .map(|task| (task["namespace"].as_str().unwrap().to_owned(), task))
        .collect();
    let copy = tempfile::tempdir().unwrap();
    let sources = input.checkout.join("Source_Code");
    Command::new("cp")
        .args(["-rL"])
        .arg(&sources)
        .arg(copy.path())
        .status()
        .unwrap();
    let sources = copy.path().join("Source_Code");
    let mut pythons = BTreeMap::new();
    let mut measured = Measured {
        verdicts: 0,
        seconds: 0.0,
        test_seconds: 0.0,
        passes: 0,
    };
    for line in fixture::lines(&input.completions) {
        let Some(task) = tasks.get(line["namespace"].as_str().unwrap()) else {
            continue;
        };
        let project = task["project_path"].as_str().unwrap().to_owned();
        let python = pythons
            .entry(project.clone())
            .or_insert_with(|| python_of(&sources.join(&project), home, packages));
        let file = sources.join(task["completion_path"].as_str().unwrap());
        let original = fs::read_to_string(&file).unwrap();
        let [first, last] =
            [0, 1].map(|at| usize::try_from(task["body_position"][at].as_u64().unwrap()).unwrap());
        let lines: Vec<&str> = original.split_inclusive('\n').collect();
        let indent = " ".repeat(usize::try_from(task["indent"].as_u64().unwrap()).unwrap());
        let body = indented(line["completion"].as_str().unwrap(), &indent);
        let start = Instant::now();
        fs::write(
            &file,
            lines[..first - 1].concat() + "\n" + &body + "\n" + &lines[last..].concat(),
        )
        .unwrap();
        let mut passed = true;
        for test in task["tests"].as_array().unwrap() {
            let mut command = Command::new(&*python);
            command
                .args(way)
                .arg(test.as_str().unwrap())
                .current_dir(sources.join(&project));
            passed = command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .unwrap()
                .success();
            if !passed {
                break;
            }
        }
        fs::write(&file, &original).unwrap();
        measured.seconds += start.elapsed().as_secs_f64();
        measured.verdicts += 1;
        measured.passes += usize::from(passed);
    }
    measured
}

/// Indents a completion as `adjust_indent` of the official script does.
fn indented(completion: &str, indent: &str) -> String {
    let blank = |line: &&str| line.trim().is_empty();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let margin = completion
        .lines()
        .filter(|line| !blank(line))
        .map(depth)
        .min()
        .unwrap_or(0);
    let mut body = String::new();
    for line in completion.lines() {
        if !blank(&line) {
            body.push_str(indent);
            body.push_str(&line[margin..]);
        }
        body.push('\n');
    }
    body
}

fn python_of(root: &Path, home: &Path, packages: &[&str]) -> PathBuf {
    let cancel = Cancel::default();
    let mut ignored = |_: &str| {};
    let cache = home.join("cache");
    let mut context = BuildContext::new(&cache, &mut ignored, &cancel);
    let mut requirements = find_requirements(&root.into());
    requirements
        .packages
        .extend(packages.iter().map(|&package| package.to_owned()));
    let environment = host_environment(&requirements, false, &mut context).unwrap();
    match environment.interpreter {
        Interpreter::Host { python, .. } => python,
        Interpreter::Image { .. } => unreachable!("host_environment returns no image"),
    }
}
