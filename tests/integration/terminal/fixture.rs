//! A small benchmark in DevEval's layout. Its texts contain control characters and non-ASCII characters.

use std::fs;
use std::path::Path;

use serde_json::json;

const SOURCE: &str = r#""""A pack."""


def key_of(value):
    return value


def first(iterable, default=None, key=None):
    """Return the first element that is true."""
    for el in filter(key_of, iterable):
        return el
    return default


def second(text):
    """Second."""
    return first(text[1:])


def third(text):
    """日本語のテスト été e\u0301te\u0301"""
    name = "日本語のテスト"
    return "e\u0301te\u0301" + name


def fourth(text):
    """ESC]0;ownedBEL ESC[2JESC[31m"""
    return "ESC]52;c;aGk=BELRLOabc"
"#;

/// Writes the benchmark below `folder`: four tasks and two completion sets.
pub fn write(folder: &Path) {
    let root = folder.join("Source_Code/Topic/pack/pack");
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("__init__.py"), "").unwrap();
    fs::write(root.join("core.py"), hostile(SOURCE)).unwrap();
    let tasks = [
        task(
            "first",
            [8, 8],
            [10, 12],
            "Return the first element of iterable that is true.",
            &["pack.core.key_of"],
        ),
        task(
            "second",
            [15, 15],
            [17, 17],
            "Return the second.",
            &["pack.core.first"],
        ),
        task(
            "third",
            [20, 20],
            [22, 23],
            "日本語のテスト, e\u{301}te\u{301} and more.",
            &[],
        ),
        task(
            "fourth",
            [26, 26],
            [28, 28],
            "Owned: ESC]0;ownedBEL ESC[2JESC[31m RLO C1",
            &[],
        ),
    ];
    fs::write(folder.join("data.jsonl"), tasks.join("\n") + "\n").unwrap();
    for (model, body) in [
        ("alpha", "    return default\n"),
        ("beta", "    return \"ESC]0;ownedBELESC]52;c;aGk=BEL\"\n"),
    ] {
        let folder = folder.join(format!(
            "Experiments/model_prediction/local_completion/{model}"
        ));
        fs::create_dir_all(&folder).unwrap();
        let lines: Vec<String> = ["first", "second", "third", "fourth"]
            .iter()
            .map(|name| {
                let record =
                    json!({"namespace": format!("pack.core.{name}"), "completion": hostile(body)});
                record.to_string()
            })
            .collect();
        fs::write(folder.join("completion.jsonl"), lines.join("\n") + "\n").unwrap();
    }
}

fn task(
    name: &str,
    signature: [u32; 2],
    body: [u32; 2],
    requirement: &str,
    intra_file: &[&str],
) -> String {
    json!({
        "namespace": format!("pack.core.{name}"),
        "type": "function",
        "project_path": "Topic/pack",
        "completion_path": "Topic/pack/pack/core.py",
        "signature_position": signature,
        "body_position": body,
        "dependency": {"intra_class": [], "intra_file": intra_file, "cross_file": []},
        "requirement": {
            "Functionality": hostile(requirement),
            "Arguments": hostile(":param text: str. ESC]0;ownedBEL"),
        },
        "tests": [format!("tests/test_core.py::test_{name}")],
        "indent": 4,
    })
    .to_string()
}

/// Replaces the placeholders (`ESC`, `BEL`, `RLO`, `C1`, `\u0301`) by characters that an editor might remove from this
/// file.
fn hostile(text: &str) -> String {
    text.replace("ESC", "\u{1b}")
        .replace("BEL", "\u{7}")
        .replace("RLO", "\u{202e}")
        .replace("C1", "\u{9b}31m")
        .replace("\\u0301", "\u{301}")
}
