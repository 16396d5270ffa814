//! Drafts of requirements: the tests request drafts, request failed drafts again, and show drafts.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::server::{Reply, Server, answer};
use super::{KEY, Place, TASK, lines, text};

/// Returns (a benchmark in which every `every`-th task has no requirement, the number of tasks without a requirement).
fn without_requirements(every: usize) -> (Place, usize) {
    let place = Place::new();
    let benchmark = fs::read_to_string(&place.benchmark).unwrap();
    let data: PathBuf = benchmark.split('"').nth(3).unwrap().into();
    let mut bare = 0;
    let mut records = Vec::new();
    for (number, mut record) in lines(&data).into_iter().enumerate() {
        if number % every == 0 {
            record["requirement"]["Functionality"] = "".into();
            bare += 1;
        }
        records.push(record.to_string());
    }
    let own = place.home.path().join("data.jsonl");
    fs::write(&own, records.join("\n")).unwrap();
    let benchmark = benchmark.replace(data.to_str().unwrap(), own.to_str().unwrap());
    fs::write(&place.benchmark, benchmark).unwrap();
    (place, bare)
}

const ANSWER: &str = "Sure!\n**Functionality:** It checks a letter.\n**Arguments:**\n:param text: String.\n:return: Boolean.";

#[test]
fn tasks_without_a_requirement_get_one_draft_each() {
    let (place, bare) = without_requirements(3);
    assert!(bare > 1);
    let server = Server::start(|seen| match seen.number {
        1 => Reply::Send(400, "", "{\"error\":{\"message\":\"no\"}}".to_owned()),
        _ => answer(ANSWER),
    });
    let arguments = ["--requirements", "--temperature", "0.2", "--seed", "7"];
    let dry = place.generate(
        &server.endpoint(),
        &[&arguments[..], &["--dry-run"]].concat(),
    );
    let said = text(&dry.stdout);
    assert!(
        said.contains(&format!("{bare} requirements\n{bare} requests, ")),
        "{said}"
    );
    assert!(server.seen().is_empty() && !place.out().exists());

    let first = place.generate(&server.endpoint(), &arguments);
    assert_eq!(first.status.code(), Some(3), "{}", text(&first.stderr));
    assert!(text(&first.stderr).contains("1 requests have no answer"));
    assert_eq!(server.seen().len(), bare);
    let again = place.generate(&server.endpoint(), &arguments);
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert_eq!(
        server.seen().len(),
        bare + 1,
        "only the missing draft is requested"
    );

    let folder = place.out().join("requirements/org_scripted");
    let records = lines(&folder.join("records.jsonl"));
    let drafts = lines(&folder.join("requirement.jsonl"));
    assert_eq!((records.len(), drafts.len()), (bare, bare));
    assert!(!folder.join("completion.jsonl").exists());
    for (draft, record) in drafts.iter().zip(&records) {
        assert_eq!(draft["requirement"]["Functionality"], "It checks a letter.");
        assert_eq!(
            draft["requirement"]["Arguments"],
            ":param text: String.\n:return: Boolean."
        );
        assert_eq!(draft["origin"]["model"], "org/scripted");
        assert_eq!(draft["origin"]["prompt_sha256"].as_str().unwrap().len(), 64);
        assert_eq!(record["answer"], ANSWER);
        assert_eq!(record["requirement"], draft["requirement"]);
        assert_eq!(record["parameters"]["temperature"], 0.2);
        assert!(record.get("completion").is_none());
    }
    let seen = server.seen();
    assert!(seen[0].prompt().contains("def ") && seen[0].prompt().contains(":return:"));
    assert_eq!(
        (&seen[0].body["seed"], &seen[0].body["temperature"]),
        (&7.into(), &0.2.into())
    );
    assert!(!text(&first.stderr).contains(KEY) && !text(&again.stdout).contains(KEY));
}

#[test]
fn a_draft_is_shown_next_to_the_requirement_of_the_benchmark() {
    let place = Place::new();
    let server = Server::start(|_| answer(ANSWER));
    let all = place.generate(&server.endpoint(), &["--requirements"]);
    assert!(
        text(&all.stderr).contains("each task has a requirement"),
        "{}",
        text(&all.stderr)
    );
    let one = place.generate(&server.endpoint(), &["--requirements", "--task", TASK]);
    assert!(one.status.success(), "{}", text(&one.stderr));
    let show = |arguments: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_evoscope"))
            .args(["show", "--task", TASK])
            .args(arguments)
            .arg("--drafts")
            .arg(place.out())
            .arg(&place.benchmark)
            .env("EVOSCOPE_HOME", place.home.path())
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", text(&run.stderr));
        text(&run.stdout)
    };
    assert!(show(&[]).contains("Requirement (draft of org/scripted)"));
    let shown: Value = serde_json::from_str(&show(&["--json"])).unwrap();
    let draft = &shown["requirement"]["texts"][1];
    assert_eq!(
        (&draft["style"], &draft["origin"]["model"]),
        (&"draft".into(), &"org/scripted".into())
    );
    // The folder then has the drafts, their records and one completion. Drafts must not count as completions.
    let arguments = ["--setting", "without_context", "--task", TASK];
    let run = place.generate(&server.endpoint(), &arguments);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let run = Command::new(env!("CARGO_BIN_EXE_evoscope"))
        .args(["show", "--json", "--strict", "--task", TASK])
        .args([&place.benchmark, &place.out()])
        .env("EVOSCOPE_HOME", place.home.path())
        .output()
        .unwrap();
    let shown: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(shown["completions"].as_array().unwrap().len(), 1);
}

#[test]
fn the_option_requirements_cannot_be_combined_with_options_for_completions() {
    let place = Place::new();
    for other in [
        ["--setting", "oracle"],
        ["--samples", "2"],
        ["--as", "evocodebench"],
        ["--budget", "9"],
    ] {
        let mut arguments = vec!["--requirements"];
        arguments.extend(other);
        let run = place.generate("http://127.0.0.1:1/v1", &arguments);
        assert_eq!(run.status.code(), Some(2));
        assert!(
            text(&run.stderr).contains("cannot be used with"),
            "{}",
            text(&run.stderr)
        );
    }
    let neither = place.generate("http://127.0.0.1:1/v1", &[]);
    assert!(
        text(&neither.stderr).contains("--requirements"),
        "{}",
        text(&neither.stderr)
    );
}
