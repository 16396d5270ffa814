//! `evoscope evaluate` with CoderEval's format of released samples, and with HumanEvo's table.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use evoscope::evaluation::SandboxKind;
use serde_json::{Value, json};

use crate::fixture::{IMAGE, lines};

/// A folder for `EVOSCOPE_HOME`, with one benchmark of the sample.
struct Place {
    home: tempfile::TempDir,
    benchmark: PathBuf,
    sample: PathBuf,
}

impl Place {
    fn new(format: &str, tasks: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let sample = evoscope::workspace::sample::materialize(home.path()).unwrap();
        let benchmark = home.path().join("evoscope.toml");
        let text = format!(
            "[[benchmark]]\nformat = \"{format}\"\ntasks = \"{0}/{tasks}\"\n[project.\"marsh-end/siskin\"]\n\
             source = \"{0}/evocodebench/Source_Code/siskin\"\nrepository = \"{0}/project/siskin.git\"\n",
            sample.display()
        );
        fs::write(&benchmark, text).unwrap();
        Self {
            home,
            benchmark,
            sample,
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Runs Evoscope and returns its standard output.
    fn run(&self, arguments: &[&str], paths: &[&Path]) -> String {
        let run = Command::new(env!("CARGO_BIN_EXE_evoscope"))
            .args(arguments)
            .args(paths)
            .env("EVOSCOPE_HOME", self.home.path())
            .output()
            .unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert!(run.status.success(), "{said}");
        String::from_utf8(run.stdout).unwrap()
    }

    fn evaluate(&self, kind: SandboxKind, completions: &[&Path], more: &[&str]) -> String {
        let mut arguments = vec!["evaluate", "--sandbox", kind.word(), "--image", IMAGE];
        arguments.extend(["--jobs", "1"]);
        for path in completions {
            arguments.extend(["--completions", path.to_str().unwrap()]);
        }
        arguments.extend(more);
        self.run(&arguments, &[&self.benchmark])
    }
}

/// `evaluate` reads and writes CoderEval's format of released samples, and `score` reads the written file.
pub fn released_form(kind: SandboxKind) {
    let place = Place::new("codereval", "codereval/CoderEval4Python.json");
    let tasks = fs::read(place.sample.join("codereval/CoderEval4Python.json")).unwrap();
    let tasks: Value = serde_json::from_slice(&tasks).unwrap();
    let mut records = tasks["RECORDS"].as_array().unwrap().iter();
    let task = records.find(|own| own["name"] == "compass_point").unwrap();
    let wrong = "def compass_point(degrees: float) -> str:\n\treturn 'x'\n";
    let samples = [wrong, task["code"].as_str().unwrap()];
    let record = json!({
        "_id": task["_id"], "level": task["level"],
        "generate_results": samples.map(|code| json!({"generate_code": code, "is_pass": false})),
    });
    let given = place.file("python_model_original.jsonl");
    fs::write(&given, format!("{record}\n")).unwrap();
    let (out, results) = (place.file("out.jsonl"), place.file("results.jsonl"));
    let [out_name, results_name] = [&out, &results].map(|path| path.to_str().unwrap());
    let more = ["--released", out_name, "--results", results_name];
    place.evaluate(kind, &[&given], &more);

    let written = lines(&out);
    assert_eq!(written.len(), 1);
    assert_eq!(written[0]["_id"], task["_id"]);
    assert_eq!(written[0]["level"], task["level"]);
    assert_eq!(written[0]["name"], "compass_point");
    let verdicts = written[0]["generate_results"].as_array().unwrap().iter();
    let verdicts: Vec<_> = verdicts
        .map(|own| {
            (
                own["generate_code"].as_str().unwrap(),
                own["is_pass"] == true,
            )
        })
        .collect();
    assert_eq!(verdicts, [(samples[0], false), (samples[1], true)]);
    let score = place.run(&["score", "--json", "--k", "1,2"], &[&out]);
    let score: Value = serde_json::from_str(&score).unwrap();
    assert_eq!((&score["tasks"], &score["n"]), (&1.into(), &2.into()));
    assert_eq!(score["k"]["1"]["value"], 0.5);
    assert_eq!(score["k"]["2"]["value"], 1.0);
}

/// One command evaluates completions for the four cells (two contexts × two requirements), prints the table and writes
/// the page.
pub fn four_cells(kind: SandboxKind) {
    let place = Place::new("humanevo", "humanevo/HumanEvo_Python.jsonl");
    let right = "    sector = 360 / len(COMPASS)\n    \
                 return COMPASS[int((degrees + sector / 2) // sector) % len(COMPASS)]\n";
    let cells = [
        ("retrieved@base+brief", "    return 'x'\n"),
        ("retrieved@newest+brief", right),
        ("retrieved@base+detailed", right),
        ("retrieved@newest+detailed", right),
    ];
    let out = place.file("out");
    for (cell, text) in cells {
        let folder = out.join(cell).join("wren");
        fs::create_dir_all(&folder).unwrap();
        let line = json!({"instance_id": "marsh-end__siskin-12-compass_point", "completion": text});
        fs::write(folder.join("completion.jsonl"), format!("{line}\n")).unwrap();
    }
    let (results, page) = (place.file("results.jsonl"), place.file("cells.html"));
    let [results_name, page_name] = [&results, &page].map(|path| path.to_str().unwrap());
    let more = ["--results", results_name, "--evolution", page_name];
    let shown = place.evaluate(kind, &[&out], &more);
    assert_eq!(lines(&results).len(), 4);
    let row = shown
        .lines()
        .find(|line| line.starts_with("wren · retrieved  "));
    let values: Vec<&str> = row.unwrap().split_whitespace().skip(3).collect();
    assert_eq!(
        values,
        ["1", "100.00", "0.00", "100.00", "100.00", "100.00", "0.00"]
    );
    assert!(fs::read_to_string(&page).unwrap().contains("brief ignored"));
    let baselines = place.run(
        &[
            "evaluate",
            "--json",
            "--sandbox",
            kind.word(),
            "--image",
            IMAGE,
            "--task",
            "marsh-end__siskin-12-compass_point",
        ],
        &[&place.benchmark],
    );
    let baseline: Value = serde_json::from_str(baselines.trim()).unwrap();
    let outcome = json!({
        "id": "tests/test_geo.py::test_points_of_the_compass", "base": "not_run", "patched": "passed",
    });
    assert_eq!(baseline["tests"][0], outcome);
}
