//! `score`, `report` and `review` on files made here.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{evoscope, text};

/// A result file in which a letter is a task's verdict: p passes, everything else fails.
fn results(folder: &Path, model: &str, verdicts: &str) -> PathBuf {
    let path = folder.join(format!("local_infilling/{model}/results.jsonl"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let line = |(number, letter): (usize, char)| {
        let result = if letter == 'p' { "Pass" } else { "Fail" };
        format!(
            "{{\"namespace\":\"pack.task_{number}\",\"completion\":\"<script>\",\"Result\":\"{result}\"}}\n"
        )
    };
    fs::write(
        &path,
        verdicts.chars().enumerate().map(line).collect::<String>(),
    )
    .unwrap();
    path
}

#[test]
fn a_score_names_its_denominator_and_refuses_too_few_samples() {
    let home = tempfile::tempdir().unwrap();
    let file = results(home.path(), "m", "ppff");
    let file = file.to_str().unwrap();
    let done = evoscope(home.path(), &["score", file, "--json"]);
    let line: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&line["tasks"], &line["n"]), (&4.into(), &1.into()));
    assert_eq!(line["k"]["1"]["value"], 0.5);
    assert!(line["k"]["1"]["low"].as_f64().unwrap() < 0.5);
    let refused = evoscope(home.path(), &["score", file, "--k", "5"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("--n 5"),
        "{}",
        text(&refused.stderr)
    );
    let counted = evoscope(home.path(), &["score", file, "--n", "5", "--k", "5"]);
    assert!(text(&counted.stdout).contains("16 missing samples counted as failed"));
}

#[test]
fn two_results_are_set_against_each_other_and_other_benchmarks_refused() {
    let home = tempfile::tempdir().unwrap();
    let aware = results(home.path(), "aware", "pfff");
    let ignored = results(home.path(), "ignored", "pppf");
    let [aware, ignored] = [&aware, &ignored].map(|path| path.to_str().unwrap());
    let done = evoscope(
        home.path(),
        &["score", aware, "--against", ignored, "--json"],
    );
    let line: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(line["cells"]["only_second"], 2);
    assert_eq!(line["p"], 0.5);
    let other = home.path().join("other.jsonl");
    fs::write(&other, "{\"namespace\":\"x.y\",\"Result\":\"Pass\"}\n").unwrap();
    let refused = evoscope(
        home.path(),
        &["score", aware, "--against", other.to_str().unwrap()],
    );
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--force"));
}

#[test]
fn a_page_is_written_and_holds_no_script_but_its_own() {
    let home = tempfile::tempdir().unwrap();
    let file = results(home.path(), "m", "pf");
    let page = home.path().join("page.html");
    let arguments = [
        "report",
        "--html",
        page.to_str().unwrap(),
        "--title",
        "<script>",
        file.to_str().unwrap(),
    ];
    assert!(evoscope(home.path(), &arguments).status.success());
    let html = fs::read_to_string(page).unwrap();
    assert_eq!(html.matches("<script").count(), 1);
}

#[test]
fn a_review_without_judgements_says_so() {
    let home = tempfile::tempdir().unwrap();
    let done = evoscope(home.path(), &["review", "agreement"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("nobody has finished a judgement yet"));
}
