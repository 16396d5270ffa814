use super::*;
use crate::benchmark::{FileKind, Language, detect, scan_completions};

#[test]
fn each_bad_line_is_reported_with_its_field_and_the_other_lines_are_read() {
    let lines = [
        DEVEVAL.to_owned(),
        DEVEVAL[..60].to_owned(),
        DEVEVAL.replace(r#""namespace": "mistune.toc.add_toc_hook", "#, ""),
        DEVEVAL
            .replace("[23, 44]", "[44, 23]")
            .replace("add_toc_hook", "b"),
        DEVEVAL
            .replace(r#""type": "function""#, r#""type": 7"#)
            .replace("add_toc_hook", "c"),
        DEVEVAL
            .replace(r#"["tests/test_hooks.py::TestTocHook::test_it"]"#, "3")
            .replace("add_toc_hook", "d"),
        DEVEVAL
            .replace("[4, 4]", "[0, 4]")
            .replace("add_toc_hook", "e"),
        DEVEVAL
            .replace(r#""indent": 4"#, r#""indent": "four""#)
            .replace("add_toc_hook", "f"),
        DEVEVAL
            .replace(r#""completion_path": "Text"#, r#""completion_path": "Next"#)
            .replace("add_toc_hook", "g"),
        DEVEVAL
            .replace("function", "generator")
            .replace("add_toc_hook", "h"),
        "[1, 2]".to_owned(),
        DEVEVAL.replace("add_toc_hook", "i"),
    ];
    let (tasks, faults) = fixture(lines.join("\n")).tasks(Format::DevEval);
    let names: Vec<_> = tasks.iter().map(|task| task.namespace.name()).collect();
    assert_eq!(
        names,
        ["add_toc_hook", "b", "c", "d", "e", "f", "g", "h", "i"]
    );
    assert!(faults.iter().all(|fault| fault.hint.is_some()));
    insta::assert_snapshot!(said(&faults), @r#"
    data.jsonl:2: is broken JSON: it ends in the middle
    data.jsonl:3: field 'namespace': is missing
    data.jsonl:4: field 'body_position': [44, 23] is not a span of lines
    data.jsonl:5: field 'type': is a number where a text was expected
    data.jsonl:6: field 'tests': is a number where a list of test ids was expected
    data.jsonl:7: field 'signature_position': [0, 4] is not a span of lines
    data.jsonl:8: field 'indent': "four" is not a count
    data.jsonl:9: field 'completion_path': 'Next-Processing/mistune/src/mistune/toc.py' does not lie in project_path 'Text-Processing/mistune'
    data.jsonl:10: field 'type': 'generator' is not a kind of task
    data.jsonl:11: is not a JSON object: invalid type: sequence, expected an object
    "#);
}

#[test]
fn bom_crlf_and_bytes_that_are_not_utf_8_are_read() {
    let mut bytes = b"\xef\xbb\xbf".to_vec();
    bytes.extend(
        DEVEVAL
            .replace("Adds a hook.", "Adds a h?ok.")
            .bytes()
            .map(|b| if b == b'?' { 0xe9 } else { b }),
    );
    bytes.extend(b"\r\n\r\n");
    let file = fixture(bytes);
    let (tasks, faults) = file.tasks(Format::DevEval);
    assert_eq!((tasks.len(), tasks[0].record.line), (1, 1));
    assert!(said(&faults).contains("not UTF-8"), "{}", said(&faults));
    let detail = read_detail(&file.path, Format::DevEval, &tasks[0]).unwrap();
    assert_eq!(detail.requirement.texts[0].text, "Adds a h\u{fffd}ok.");
}

#[test]
fn nul_bytes_are_a_fault_of_their_line_only() {
    let bytes = [
        DEVEVAL.as_bytes(),
        b"\n",
        &[0; 64],
        b"\n",
        DEVEVAL.replace("hook", "x\0").as_bytes(),
    ]
    .concat();
    let (tasks, faults) = fixture(bytes).tasks(Format::DevEval);
    assert_eq!((tasks.len(), faults.len()), (1, 2));
}

#[test]
fn an_empty_file_has_no_tasks_and_no_faults() {
    for bytes in ["", "\n \r\n", "\u{feff}", "[]", "{\"RECORDS\": []}"] {
        let file = fixture(bytes);
        let (tasks, faults) = file.tasks(Format::HumanEvo);
        assert_eq!((tasks.len(), faults.len()), (0, 0), "{bytes:?}");
        assert_eq!(detect(&file.path).unwrap(), FileKind::Empty);
    }
}

#[test]
fn a_line_of_300_000_characters_is_read() {
    let long = "é".repeat(300_000);
    let file = fixture(DEVEVAL.replace("Adds a hook.", &long));
    let (task, detail) = file.only(Format::DevEval);
    assert_eq!(detail.requirement.texts[0].text, long);
    assert!(task.record.length > 600_000);
}

#[test]
fn a_folder_a_missing_file_and_a_shortened_file_are_errors() {
    let file = fixture(DEVEVAL);
    let projects = ProjectFolders::default();
    let read = |path: &std::path::Path| {
        let source = TaskFile {
            path,
            file: 0,
            format: Format::DevEval,
            projects: &projects,
        };
        read_tasks(source, &Cancel::default(), |_| {})
            .unwrap_err()
            .to_string()
    };
    assert!(read(file.path.parent().unwrap()).ends_with("this is a folder, not a regular file"));
    assert!(read(&file.path.join("x")).contains("cannot open"));
    let (tasks, _) = file.tasks(Format::DevEval);
    std::fs::write(&file.path, "{}").unwrap();
    let error = read_detail(&file.path, Format::DevEval, &tasks[0]).unwrap_err();
    assert!(error.advice().unwrap().contains("open it again"));
}

#[test]
fn raising_the_cancel_flag_ends_a_scan() {
    let line = |n: u32| format!("{{\"namespace\": \"a.b{n}\", \"completion\": \"\"}}");
    let lines: Vec<String> = (0..3000).map(line).collect();
    let file = fixture(lines.join("\n"));
    let cancel = Cancel::default();
    let mut seen = 0;
    let result = scan_completions(
        &file.path,
        &cancel,
        |_| {},
        |_| {
            seen += 1;
            cancel.raise();
        },
    );
    assert!(result.is_err() && seen < 3000, "{seen}");
}

#[test]
fn missing_and_invalid_fields_of_humanevo_and_codereval_are_faults() {
    let lines = [
        r#"{"base_commit": "f"}"#,
        r#"{"instance_id": "1", "base_commit": 5, "dependency_level": "cross", "repo": "a/b"}"#,
    ];
    let (tasks, faults) = fixture(lines.join("\n")).tasks(Format::HumanEvo);
    assert_eq!(tasks.len(), 1);
    insta::assert_snapshot!(said(&faults), @r"
    data.jsonl:1: field 'instance_id': is missing
    data.jsonl:2: field 'base_commit': is a number where a text was expected
    data.jsonl:2: field 'function_declaration': is missing
    data.jsonl:2: field 'docstring': is missing
    data.jsonl:2: field 'dependency_level': 'cross' is not a dependency level
    ");
    let lines = [
        r#"{"name": "f"}"#,
        r#"{"_id": "1", "name": "f", "level": "easy"}"#,
    ];
    let (tasks, faults) = fixture(lines.join("\n")).tasks(Format::CoderEval);
    assert_eq!(tasks.len(), 1);
    insta::assert_snapshot!(said(&faults), @r"
    data.jsonl:1: field '_id': is missing
    data.jsonl:2: field 'project': is missing
    data.jsonl:2: field 'level': 'easy' is not a runnable level
    ");
}

#[test]
fn a_file_is_recognised_by_its_first_whole_record() {
    let kind = |text: &str| detect(&fixture(text).path).unwrap();
    let broken = format!("{{\"namespace\":\n{DEVEVAL}");
    assert_eq!(
        kind(&broken),
        FileKind::Tasks(Format::DevEval, Language::Python)
    );
    let evocodebench = DEVEVAL.replace("project_path", "domain");
    assert_eq!(
        kind(&evocodebench),
        FileKind::Tasks(Format::EvoCodeBench, Language::Python)
    );
    assert_eq!(
        kind(r#"{"namespace": "a", "completion": ""}"#),
        FileKind::Completions
    );
    assert_eq!(
        kind(r#"{"namespace": "a", "completion": "", "Result": "Pass"}"#),
        FileKind::Results
    );
    assert_eq!(
        kind(r#"{"_id": "1", "project_name": "p", "generate_results": [], "codes": []}"#),
        FileKind::Samples(Format::CoderEval, Language::Java)
    );
    assert_eq!(
        kind(r#"{"namespace": "a", "prompt": ""}"#),
        FileKind::Unknown
    );
    assert_eq!(kind("# Notes\n"), FileKind::Unknown);
    let humanevo =
        r#"[{"id": "1", "level": "standalone", "base_commit": "f", "signature": "int f() {"}]"#;
    assert_eq!(
        kind(humanevo),
        FileKind::Tasks(Format::HumanEvo, Language::Java)
    );
    let codereval =
        r#"{"_id": "1", "human_label": "x", "file_path": "a.py", "level": "file_runnable"}"#;
    assert_eq!(
        kind(codereval),
        FileKind::Tasks(Format::CoderEval, Language::Python)
    );
}
