//! HumanEvo's task records: pull-request style instances with a base commit (Figure 2 of the paper), as a JSON array,
//! JSON lines, or pretty-printed objects. Releases differ in their fields' names: the tables below list them.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::deveval::taken_texts;
use super::fields::Row;
use super::names::{Language, Level, Namespace, TaskId, TaskKind};
use super::naming::{Interner, dotted, language_of};
use super::span::LineSpan;
use super::task::{
    DependencyCounts, Position, Record, Requirement, RequirementStyle, RequirementText, Task,
    TaskDetail,
};

/// Names of the instance's id.
pub(crate) const ID: &[&str] = &["instance_id", "task_id", "id", "Instance ID", "instanceId"];
/// Names of the last commit before the target.
pub(crate) const BASE_COMMIT: &[&str] = &[
    "base_commit",
    "Base Commit",
    "baseCommit",
    "base_sha",
    "base",
];
const PROJECT: &[&str] = &[
    "repo",
    "repository",
    "project",
    "Repository",
    "repo_name",
    "project_name",
];
const VERSION: &[&str] = &["version", "Version"];
const DECLARATION: &[&str] = &[
    "function_declaration",
    "function_signature",
    "signature",
    "declaration",
    "Function Declaration",
    "func_signature",
    "method_signature",
];
const BRIEF: &[&str] = &[
    "brief_docstring",
    "docstring_brief",
    "docstring-brief",
    "Brief Docstring",
    "brief",
    "short_docstring",
    "docstring",
];
const DETAILED: &[&str] = &[
    "detailed_docstring",
    "docstring_detailed",
    "docstring-detailed",
    "Detailed Docstring",
    "detailed",
    "long_docstring",
    "full_docstring",
];
const LEVEL: &[&str] = &[
    "dependency_level",
    "level",
    "Dependency Level",
    "dependency_type",
    "dependency",
];
const PATH: &[&str] = &[
    "file_path",
    "path",
    "function_path",
    "target_file",
    "file",
    "completion_path",
];
const NAME: &[&str] = &[
    "function_name",
    "func_name",
    "method_name",
    "name",
    "entry_point",
];
const CLASS: &[&str] = &["class_name", "class"];
const LANGUAGE: &[&str] = &["language", "lang"];
const PATCH: &[&str] = &[
    "production_patch",
    "prod_patch",
    "patch",
    "gold_patch",
    "code_patch",
    "source_patch",
];
const TEST_PATCH: &[&str] = &["test_patch", "tests_patch", "testPatch"];
const REFERENCE: &[&str] = &[
    "reference_code",
    "canonical_solution",
    "function_body",
    "function",
    "code",
    "solution",
];
const TESTS: &[&str] = &[
    "FAIL_TO_PASS",
    "fail_to_pass",
    "tests",
    "test_ids",
    "test_cases",
];
const FIRST_LINE: &[&str] = &["start_line", "lineno", "start"];

/// The task of a row; `None` (with a fault in the row) when it has no id.
pub(crate) fn task(row: &mut Row<'_>, record: Record, names: &mut Interner) -> Option<Task> {
    if !row.has(ID) {
        row.fault("instance_id", "is missing", "give the instance's id");
        return None;
    }
    let id = row.label(ID)?;
    let project = row
        .needed_text(PROJECT, "give owner/repo")
        .unwrap_or_default();
    row.needed_text(BASE_COMMIT, "give the last commit before the target");
    let declaration = row
        .needed_text(DECLARATION, "give the target's declaration")
        .unwrap_or_default();
    if !row.has(BRIEF) && !row.has(DETAILED) {
        row.fault(
            "docstring",
            "is missing",
            "give a brief or a detailed docstring",
        );
    }
    let diff = row.text(PATCH).unwrap_or_default();
    let name = row.text(NAME).map(Cow::into_owned);
    let name = name
        .or_else(|| declared_name(&declaration).map(str::to_owned))
        .unwrap_or_else(|| id.to_string());
    let path = row.text(PATH).map(Cow::into_owned);
    let path = path
        .or_else(|| patched_file(&diff, &name))
        .unwrap_or_default();
    let class = row.text(CLASS).filter(|class| !class.is_empty());
    let inside = class
        .as_ref()
        .map_or_else(|| name.clone(), |class| format!("{class}.{name}"));
    let language = language(row, &path, &declaration);
    let method = class.is_some() || language == Language::Java || takes_self(&declaration);
    Some(Task {
        id: TaskId::new(&id),
        namespace: dotted(&path, &inside).or_else(|| Namespace::new(&id))?,
        project: names.name(&project),
        kind: if method {
            TaskKind::Method
        } else {
            TaskKind::Function
        },
        language,
        path: names.path(&path),
        level: level(row),
        domain: None,
        position: position(row),
        dependencies: DependencyCounts::default(),
        record,
    })
}

fn language(row: &mut Row<'_>, path: &str, declaration: &str) -> Language {
    let named = row
        .text(LANGUAGE)
        .and_then(|word| word.to_lowercase().parse().ok());
    named
        .or_else(|| language_of(path))
        .unwrap_or_else(|| language_of_code(declaration))
}

/// The language that a declaration is written in: Python says `def`.
pub(crate) fn language_of_code(code: &str) -> Language {
    let python = code.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("def ") || line.starts_with("async def ")
    });
    if python || !code.contains('(') {
        Language::Python
    } else {
        Language::Java
    }
}

fn level(row: &mut Row<'_>) -> Option<Level> {
    let written = row.text(LEVEL)?;
    let word = written.trim().to_lowercase().replace(['_', ' '], "-");
    let level = match word
        .trim_end_matches("-function")
        .trim_end_matches("-functions")
    {
        "standalone" | "stand-alone" => Some(Level::Standalone),
        "intra-class" | "intraclass" => Some(Level::IntraClass),
        "inter-class" | "interclass" => Some(Level::InterClass),
        _ => None,
    };
    if level.is_none() {
        let what = format!("'{written}' is not a dependency level");
        row.fault(
            "dependency_level",
            what,
            "use one of standalone, intra-class, inter-class",
        );
    }
    level
}

fn position(row: &mut Row<'_>) -> Option<Position> {
    if !row.has(&["signature_position"]) || !row.has(&["body_position"]) {
        let line = LineSpan::line(
            row.has(FIRST_LINE)
                .then(|| row.line_number(FIRST_LINE))
                .flatten()?,
        );
        return Some(Position {
            signature: line,
            body: line,
        });
    }
    let signature = row.needed_span("signature_position")?;
    let body = row.needed_span("body_position")?;
    Some(Position { signature, body })
}

/// The name that a declaration gives: after `def` in Python, before the parameters in Java.
pub(crate) fn declared_name(declaration: &str) -> Option<&str> {
    let before = &declaration[..declaration.find('(')?];
    let name = before
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .next()?;
    (!name.is_empty()).then_some(name)
}

/// Whether a Python declaration's first parameter is `self` or `cls`.
pub(crate) fn takes_self(declaration: &str) -> bool {
    let parameters = declaration
        .split_once('(')
        .map_or("", |(_, rest)| rest)
        .trim_start();
    let first = parameters
        .split([',', ')', ':', '='])
        .next()
        .unwrap_or("")
        .trim();
    ["self", "cls"].contains(&first)
}

/// The file of a unified diff in which `name` is added; else the first file that is not a test.
fn patched_file(diff: &str, name: &str) -> Option<String> {
    let mut current = None;
    let mut first = None;
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("+++ ") {
            let path = path.split('\t').next().unwrap_or(path);
            let path = path.strip_prefix("b/").unwrap_or(path);
            current = (path != "/dev/null").then_some(path);
            first = first.or(current.filter(|path| !path.contains("test")));
        } else if line.starts_with('+') && declares(line, name) {
            return current.map(str::to_owned);
        }
    }
    first.map(str::to_owned)
}

fn declares(line: &str, name: &str) -> bool {
    let Some(at) = line.find(name) else {
        return false;
    };
    let before = line[..at].chars().next_back();
    line[at + name.len()..].starts_with('(')
        && before.is_some_and(char::is_whitespace)
        && !line.contains("return ")
        && (line.contains("def ") || line.trim_end().ends_with(['{', ',', '(', ')']))
}

fn taken(fields: &mut Map<String, Value>, names: &[&str]) -> Option<String> {
    let name = names.iter().find(|name| {
        matches!(
            fields.get(**name),
            Some(Value::String(_) | Value::Number(_))
        )
    })?;
    match fields.shift_remove(*name)? {
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

/// The rest of a record. Tests are pytest ids, as a list or as a JSON list in a text.
pub(crate) fn detail(mut fields: Map<String, Value>) -> TaskDetail {
    let styles = [
        (RequirementStyle::Brief, BRIEF),
        (RequirementStyle::Detailed, DETAILED),
    ];
    let wordings = styles.into_iter().filter_map(|(style, names)| {
        taken(&mut fields, names).map(|text| RequirementText { style, text })
    });
    let requirement = Requirement {
        texts: wordings.collect(),
        arguments: None,
    };
    let tests = TESTS
        .iter()
        .find(|name| fields.contains_key(**name))
        .map(|name| taken_texts(&mut fields, name));
    let mut detail = TaskDetail {
        requirement,
        tests: tests.map(unwrapped_list).unwrap_or_default(),
        declaration: taken(&mut fields, DECLARATION),
        base_commit: taken(&mut fields, BASE_COMMIT),
        version: taken(&mut fields, VERSION),
        production_patch: taken(&mut fields, PATCH),
        test_patch: taken(&mut fields, TEST_PATCH),
        reference_code: taken(&mut fields, REFERENCE),
        ..TaskDetail::default()
    };
    for known in [ID, PROJECT, LEVEL, PATH, NAME, CLASS, LANGUAGE] {
        taken(&mut fields, known);
    }
    detail.other = fields;
    detail
}

/// Pull-request benchmarks write some lists as text: `"[\"tests/test_a.py::test_b\"]"`.
fn unwrapped_list(tests: Vec<String>) -> Vec<String> {
    match tests.as_slice() {
        [one] if one.trim_start().starts_with('[') => serde_json::from_str(one).unwrap_or(tests),
        _ => tests,
    }
}
