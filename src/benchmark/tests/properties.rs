use std::fmt::Write;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::benchmark::{detect, read_completion, scan_completions, scan_samples};

/// Texts with quotes, backslashes, control characters, brackets and multi-byte characters.
fn text() -> impl Strategy<Value = String> {
    "[a-zé\"\\\\\\n\\t\u{1f980}{}\\[\\]:, ]{0,20}"
}

/// Lines with damaged records. In each line, one byte is changed, or the line is cut off before this byte.
fn stained() -> impl Strategy<Value = Vec<u8>> {
    let record = prop_oneof![
        Just(DEVEVAL.to_owned()),
        text().prop_map(
            |text| json!({"namespace": text, "completion": text, "Result": text}).to_string()
        ),
        text().prop_map(|text| {
            json!({"_id": 7, "level": text, "generate_results": [{"generate_code": text}]})
                .to_string()
        }),
        text().prop_map(|text| {
            json!({"instance_id": text, "base_commit": [], "patch": text, "signature": text})
                .to_string()
        }),
        any::<String>(),
    ];
    let line = (
        record,
        any::<prop::sample::Index>(),
        any::<u8>(),
        any::<bool>(),
    )
        .prop_map(|(record, at, byte, cut)| {
            let mut bytes = record.into_bytes();
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
                if cut {
                    bytes.truncate(at);
                }
            }
            bytes
        });
    proptest::collection::vec(line, 0..6).prop_map(|lines| lines.join(&b'\n'))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop_oneof![stained(), proptest::collection::vec(any::<u8>(), 0..300)]) {
        let file = fixture(&bytes);
        let _ = detect(&file.path);
        for format in Format::ALL {
            for task in file.tasks(*format).0 {
                let _ = read_detail(&file.path, *format, &task);
            }
        }
        let cancel = Cancel::default();
        let mut places = Vec::new();
        scan_completions(&file.path, &cancel, |_| {}, |found| places.push((found.text(), found.record))).unwrap();
        for (text, record) in places {
            let read = read_completion(&file.path, record).unwrap();
            prop_assert_eq!(text, Some(read));
        }
        scan_samples(&file.path, &cancel, |_| {}, |_| {}).unwrap();
    }

    #[test]
    fn deveval_records_are_read_back(
        name in "[a-z_]{1,8}(\\.[A-Za-z_]{1,8}){1,4}",
        requirement in text(),
        lists in proptest::array::uniform3(proptest::collection::vec("[a-z]{1,5}\\.[a-z]{1,5}", 0..4)),
        first in 1u32..9_000,
        count in 0u32..400,
        ascii in any::<bool>(),
    ) {
        let record = json!({
            "namespace": name, "type": "method", "project_path": "T/p", "completion_path": "T/p/x/y.py",
            "signature_position": [first, first], "body_position": [first + 1, first + 1 + count],
            "dependency": {"intra_class": lists[0], "intra_file": lists[1], "cross_file": lists[2]},
            "requirement": {"Functionality": requirement, "Arguments": requirement}, "tests": [requirement], "indent": 8,
        });
        let line = if ascii { escaped(&record) } else { record.to_string() };
        let (task, detail) = fixture(line).only(Format::DevEval);
        prop_assert_eq!(task.namespace.as_str(), name);
        prop_assert_eq!(task.dependencies.total() as usize, detail.dependencies.len());
        prop_assert_eq!(task.position.unwrap().body.count(), count + 1);
        prop_assert_eq!(&detail.requirement.texts[0].text, &requirement);
        prop_assert_eq!(&detail.tests[0], &requirement);
        let names: Vec<&str> = detail.dependencies.iter().map(|dependency| dependency.namespace.as_str()).collect();
        prop_assert_eq!(names, lists.concat());
    }

    #[test]
    fn humanevo_records_are_read_back(
        id in "[a-z0-9_-]{1,12}", brief in text(), detailed in text(), patch in text(), pretty in any::<bool>(),
    ) {
        let record = json!([{
            "instance_id": id, "repo": "o/r", "base_commit": "abc", "version": "1", "function_signature": "def f(a):",
            "docstring_brief": brief, "docstring_detailed": detailed, "patch": patch, "dependency_level": "intra-class",
        }]);
        let text = if pretty { serde_json::to_string_pretty(&record).unwrap() } else { record.to_string() };
        let (task, detail) = fixture(text).only(Format::HumanEvo);
        prop_assert_eq!(task.id.as_str(), id);
        prop_assert_eq!(&detail.requirement.texts[0].text, &brief);
        prop_assert_eq!(&detail.requirement.texts[1].text, &detailed);
        prop_assert_eq!(detail.production_patch, Some(patch));
    }

    #[test]
    fn codereval_samples_are_read_back(
        codes in proptest::collection::vec((text(), any::<bool>()), 0..12), docstring in text(), export in any::<bool>(),
    ) {
        let results: Vec<Value> =
            codes.iter().map(|(code, pass)| json!({"errormessage": code, "generate_code": code, "is_pass": pass})).collect();
        let record = json!({
            "generate_results": results, "docstring": docstring, "method_name": "f", "code_level": "self_contained",
            "_id": "1", "project_name": "p", "codes": [],
        });
        let file = fixture(if export { json!({"RECORDS": [record]}).to_string() } else { record.to_string() });
        let (_, detail) = file.only(Format::CoderEval);
        prop_assert_eq!(&detail.requirement.texts[0].text, &docstring);
        let mut read = Vec::new();
        scan_samples(&file.path, &Cancel::default(), |fault| panic!("{fault}"), |sample| {
            let pass = sample.released == Some(crate::benchmark::Verdict::Pass);
            read.push((sample.record, pass));
        }).unwrap();
        let read: Vec<(String, bool)> =
            read.into_iter().map(|(record, pass)| (read_completion(&file.path, record).unwrap(), pass)).collect();
        prop_assert_eq!(read, codes);
    }

    #[test]
    fn completions_are_read_back(texts in proptest::collection::vec(text(), 0..20), crlf in any::<bool>(), ascii in any::<bool>()) {
        let line = |text: &String| {
            let record = json!({"namespace": "a.b", "completion": text});
            if ascii { escaped(&record) } else { record.to_string() }
        };
        let lines: Vec<String> = texts.iter().map(line).collect();
        let file = fixture(lines.join(if crlf { "\r\n" } else { "\n" }));
        let mut records = Vec::new();
        scan_completions(&file.path, &Cancel::default(), |fault| panic!("{fault}"), |found| records.push(found.record)).unwrap();
        let read: Vec<String> = records.into_iter().map(|record| read_completion(&file.path, record).unwrap()).collect();
        prop_assert_eq!(read, texts);
    }
}

/// The JSON as Python's `json.dumps` writes it, with all characters other than ASCII escaped.
fn escaped(value: &Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}
