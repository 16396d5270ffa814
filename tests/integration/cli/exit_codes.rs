//! The exit code of a command that goes on after an error: 0 only if nothing was left out.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{evoscope, text};

const BROKEN: &str = "{\"namespace\": \"p.f\", \n";
const RESULT: &str = "{\"namespace\": \"p.f\", \"completion\": \"    return 1\\n\", \"Result\": \"Pass\", \"logprob\": NaN}\n";
const COMPLETION: &str =
    "{\"namespace\": \"siskin.rings.parse_ring\", \"completion\": \"    return '\\ud83d'\\n\"}\n";
const JUDGEMENT: &str = "{\"task\": \"t\", \"subject\": {\"kind\": \"requirement\"}, \"annotator\": \"ana\", \"note\": \"n\", \
                         \"first_at\": 1, \"last_at\": 1}\n";

fn task(name: &str) -> String {
    let task = serde_json::json!({
        "namespace": format!("p.{name}"), "type": "function", "project_path": "Topic/p",
        "completion_path": "Topic/p/p.py", "signature_position": [1, 1], "body_position": [2, 2],
        "dependency": {"intra_class": [], "intra_file": [], "cross_file": []},
        "requirement": {"Functionality": "Do it.", "Arguments": ""}, "tests": [], "indent": 4,
    });
    format!("{task}\n")
}

#[test]
fn the_exit_code_says_whether_something_was_left_out() {
    let home = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let path = home.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let tasks = write("data.jsonl", task("f"));
    let broken_tasks = write("broken.jsonl", task("f") + BROKEN);
    let strangers = write("strangers.jsonl", RESULT.replace("p.f", "p.g") + RESULT);
    let results = write("results.jsonl", RESULT.to_owned());
    let broken_results = write("broken_results.jsonl", RESULT.to_owned() + BROKEN);
    let completions = write("completions.jsonl", COMPLETION.to_owned());
    let broken_completions = write("broken_completions.jsonl", COMPLETION.to_owned() + BROKEN);
    let judgements = write("judgements.jsonl", JUDGEMENT.to_owned());
    let broken_judgements = write("broken_judgements.jsonl", JUDGEMENT.to_owned() + BROKEN);
    let empty = write("empty.jsonl", String::new());
    let log = home.path().join("log.sqlite").to_str().unwrap().to_owned();
    let page = home.path().join("page.html").to_str().unwrap().to_owned();
    let parse_ring = "siskin.rings.parse_ring";
    for (arguments, code) in [
        (vec!["tasks", &tasks], 0),
        (vec!["tasks", &broken_tasks], 3),
        (vec!["tasks", &tasks, &results], 0),
        (vec!["tasks", &tasks, &strangers], 3),
        (vec!["tasks", "--strict", &broken_tasks], 3),
        (vec!["tasks", "--filter", "(", &tasks], 2),
        (vec!["score", &results], 0),
        (vec!["score", &broken_results], 3),
        (vec!["score", &empty], 3),
        (vec!["report", &results, "--html", &page], 0),
        (vec!["report", &broken_results, "--html", &page], 3),
        (
            vec!["deps", "--task", parse_ring, "--completions", &completions],
            0,
        ),
        (
            vec![
                "deps",
                "--task",
                parse_ring,
                "--completions",
                &broken_completions,
            ],
            3,
        ),
        (vec!["review", "import", "--log", &log, &judgements], 0),
        (
            vec!["review", "import", "--log", &log, &broken_judgements],
            3,
        ),
        (vec!["review", "import", "--log", &log, "/dev/zero"], 3),
        (vec!["review", "export", "--log", &log], 0),
    ] {
        let run = evoscope(home.path(), &arguments);
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
}

#[test]
fn an_evaluation_without_a_sandbox_has_the_same_exit_code_with_and_without_completions() {
    let home = tempfile::tempdir().unwrap();
    let completions = home.path().join("completions.jsonl");
    fs::write(&completions, COMPLETION).unwrap();
    let evaluate = |sandbox: &str, completions: Option<&Path>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evoscope"));
        command.args([
            "evaluate",
            "--sandbox",
            sandbox,
            "--task",
            "siskin.rings.parse_ring",
        ]);
        command.args(
            completions
                .iter()
                .flat_map(|file| [Path::new("--completions"), file]),
        );
        command
            .env("EVOSCOPE_HOME", home.path())
            .env("HOME", home.path())
            .env("PATH", home.path())
            .env_remove("PYENV_ROOT")
            .env("DOCKER_HOST", "unix:///no/such.sock");
        let run = command.output().unwrap();
        (run.status.code(), text(&run.stderr))
    };
    for sandbox in ["local", "docker"] {
        for given in [None, Some(completions.as_path())] {
            let (code, said) = evaluate(sandbox, given);
            assert_eq!(code, Some(4), "{sandbox}, {given:?}: {said}");
        }
    }
}
