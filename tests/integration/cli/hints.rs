//! Hints for mistyped commands, values and revisions, and what commands print on standard output and standard error.

use super::{evoscope, text};

/// Runs `evoscope` with an empty home folder. Returns (exit code, standard output, standard error).
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let home = tempfile::tempdir().unwrap();
    let shown = evoscope(home.path(), arguments);
    (
        shown.status.code(),
        text(&shown.stdout),
        text(&shown.stderr),
    )
}

#[test]
fn an_unknown_command_or_theme_gets_a_hint_at_the_known_names() {
    for (arguments, meant) in [
        (&["evaluat"][..], "did you mean 'evoscope evaluate'?"),
        (&["--theme", "drak"], "did you mean 'dark'?"),
        (&["--theme", "nord"], "use one of default, dark, light"),
    ] {
        let (code, _, said) = run(arguments);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(meant), "{said}");
    }
}

#[test]
fn for_an_unknown_value_the_known_values_are_listed() {
    for (arguments, listed) in [
        (
            &["context", "--task", "x", "--setting", "retreived"][..],
            "hint: use one of without_context, local_completion",
        ),
        (
            &["score", "--by", "colour", "x.jsonl"],
            "hint: use one of level, standalone, project",
        ),
        (&["context", "--chunk", "pages"], "hint: "),
    ] {
        let (code, _, said) = run(arguments);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(listed), "{said}");
    }
}

#[test]
fn a_mistyped_revision_gets_a_suggestion_and_a_query_without_a_match_is_reported() {
    let home = tempfile::tempdir().unwrap();
    evoscope(home.path(), &["tasks"]);
    let samples = home.path().join("cache/sample");
    let sample = std::fs::read_dir(samples).unwrap().next().unwrap().unwrap();
    let repository = sample.path().join("project/siskin.git");
    for (mistyped, tag) in [("0.2.0", "v0.2.0"), ("v0.2.00", "v0.2.0"), ("mian", "main")] {
        let arguments = ["context", "--repo", repository.to_str().unwrap()];
        let arguments = [&arguments[..], &["--at", mistyped, "--query", "ring"]].concat();
        let said = text(&evoscope(home.path(), &arguments).stderr);
        assert!(said.contains(&format!("did you mean '{tag}'?")), "{said}");
        assert!(!said.contains("revspec"), "{said}");
    }
    let arguments = ["context", "--repo", repository.to_str().unwrap()];
    let nothing = [&arguments[..], &["--query", "zzz qqq"]].concat();
    let shown = evoscope(home.path(), &nothing);
    assert!(
        text(&shown.stderr).contains("no snippet shares a word with the query"),
        "{}",
        text(&shown.stderr)
    );
}

#[test]
fn tasks_prints_only_the_tasks_on_standard_output() {
    let (_, tasks, said) = run(&["tasks", "--filter", "retraps"]);
    assert!(tasks.starts_with("task "), "{tasks}");
    assert_eq!(
        tasks
            .lines()
            .filter(|line| line.contains("retraps"))
            .count(),
        4
    );
    assert_eq!(tasks.lines().count(), 5, "{tasks}");
    assert!(said.contains("33 tasks in 1 project"), "{said}");
    assert!(said.contains("4 of 132 tasks"), "{said}");
}

#[test]
fn context_prints_the_code() {
    let task = "EvoCodeBench sample/siskin.movements.geo.distance_km";
    let (_, shown, _) = run(&["context", "--task", task, "--at", "newest", "--mask-target"]);
    assert!(
        shown.contains("        33      turn = math.radians(end.longitude - start.longitude)"),
        "{shown}"
    );
}

#[test]
fn the_manual_page_has_files_environment_and_exit_status() {
    let (_, page, _) = run(&["man"]);
    for section in ["FILES", "ENVIRONMENT", "EXIT STATUS"] {
        assert!(page.contains(&format!(".SH \"{section}\"")), "{section}");
    }
    for named in ["EVOSCOPE_ANNOTATOR", "codebook.toml", "\\fB70\\fR"] {
        assert!(page.contains(named), "{named}");
    }
}

#[test]
fn the_reason_for_tasks_that_are_left_out_is_printed_once() {
    let place = tempfile::tempdir().unwrap();
    let instance = |name: &str| {
        format!(
            r#"{{"instance_id": "{name}", "repo": "a/b", "base_commit": "0123456", "function_declaration": "def {name}():"}}"#
        )
    };
    let instances = [instance("one"), instance("two")].join("\n");
    std::fs::write(place.path().join("HumanEvo_Python.jsonl"), instances).unwrap();
    let settings = "[project.\"a/b\"]\nrepository = \"absent\"\n";
    std::fs::write(place.path().join("evoscope.toml"), settings).unwrap();
    let completions = place.path().join("completions.jsonl");
    let completion = |name: &str| format!(r#"{{"instance_id": "{name}", "completion": "  pass"}}"#);
    std::fs::write(
        &completions,
        [completion("one"), completion("two")].join("\n"),
    )
    .unwrap();
    let path = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let (place, completions) = (path(place.path()), path(&completions));
    let (_, _, said) = run(&["evaluate", &place, "--completions", &completions]);
    let reasons = said.matches("/absent: no such folder").count();
    assert_eq!(reasons, 1, "{said}");
}

#[test]
fn compare_accepts_the_task_names_that_it_prints() {
    let arguments = [
        "compare",
        "--setting",
        "local_completion",
        "--no-provenance",
    ];
    let (_, table, _) = run(&arguments);
    let rows = table.lines().skip(1);
    let names: Vec<&str> = rows
        .map(|row| row.split("  ").next().unwrap_or_default())
        .collect();
    let different: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(different.len(), names.len(), "{table}");
    let both =
        |benchmark: &str| names.contains(&format!("{benchmark}/siskin.rings.parse_ring").as_str());
    assert!(
        both("EvoCodeBench sample") && both("DevEval sample"),
        "{table}"
    );
    let humanevo = names
        .iter()
        .find(|name| name.ends_with("siskin-2-parse_ring"));
    for name in [Some(&"DevEval sample/siskin.rings.parse_ring"), humanevo] {
        let name = name.copied().unwrap_or_default();
        let (code, one, said) = run(&[&arguments[..], &["--task", name]].concat());
        assert_eq!(code, Some(0), "{name}: {said}");
        assert!(one.starts_with(&format!("{name} · base")), "{one}");
    }
}

#[test]
fn a_range_of_one_line_is_called_a_line() {
    let task = "EvoCodeBench sample/siskin.rings.parse_ring";
    let (_, shown, _) = run(&["show", "--task", task]);
    assert!(
        shown.contains("rings.py::RING_PATTERN  line 10\n"),
        "{shown}"
    );
    assert!(shown.contains("rings.py::Ring  lines 17-28\n"), "{shown}");
}
