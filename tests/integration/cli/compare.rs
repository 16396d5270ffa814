use serde_json::Value;

use super::{evoscope, text};

/// The output of `compare --json` for one task of the sample in the setting `local_infilling`. `more` are further
/// options.
fn compared(more: &[&str]) -> Value {
    let home = tempfile::tempdir().unwrap();
    let task = "EvoCodeBench sample/siskin.rings.is_valid";
    let mut arguments = vec![
        "compare",
        "--task",
        task,
        "--setting",
        "local_infilling",
        "--json",
    ];
    arguments.extend(more);
    let out = evoscope(home.path(), &arguments);
    assert!(out.status.success(), "{}", text(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

fn lines(side: &Value) -> u64 {
    let items = side["items"].as_array().unwrap();
    let count = |item: &Value| item["end"].as_u64().unwrap() + 1 - item["start"].as_u64().unwrap();
    items.iter().map(count).sum()
}

#[test]
fn with_a_budget_only_the_lines_in_the_prompts_are_compared() {
    let whole = compared(&[]);
    let wide = compared(&["--budget", "100000"]);
    assert_eq!(whole["counts"], wide["counts"]);
    let narrow = compared(&["--budget", "400", "--style", "completion"]);
    for side in ["aware", "ignored"] {
        assert!(lines(&narrow[side]) < lines(&whole[side]), "{side}");
    }
    let shown = |counts: &Value| {
        let of = |name: &str| counts[name].as_u64().unwrap();
        of("leaked_lines") + of("shared_lines") + of("moved_lines")
    };
    assert!(shown(&narrow["counts"]) < shown(&whole["counts"]));
}

#[test]
fn the_local_context_at_the_base_commit_is_empty_if_the_file_did_not_exist() {
    let home = tempfile::tempdir().unwrap();
    let task = "EvoCodeBench sample/siskin.ledger.totals.TotalsTable.peak";
    let arguments = [
        "compare",
        "--task",
        task,
        "--setting",
        "local_infilling",
        "--json",
    ];
    let out = evoscope(home.path(), &arguments);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let compared: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(compared["aware"]["items"], Value::Array(Vec::new()));
    assert!(!compared["ignored"]["items"].as_array().unwrap().is_empty());
    let doubts = compared["base_found"]["doubts"].as_array().unwrap();
    assert!(doubts.iter().any(|doubt| {
        doubt
            .as_str()
            .unwrap()
            .contains("did not exist at the base")
    }));
}
