//! Completion files: `{"namespace", "completion"}` a line, in `<setting>/<model>[_greedy]/completion.jsonl`, and the
//! official evaluators' result files, which add `Result`. `"    pass\n"` means 'no code found' and is read like any other.

use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::codereval;
use super::completion::{CompletionSet, RawAnswer, Verdict};
use super::diagnostic::Diagnostic;
use super::evaluated_csv;
use super::fields::Row;
use super::reader::for_each_row;
use super::records::read_record;
use super::results::released_verdict;
use super::task::Record;
use crate::error::{Cancel, Error, Result};

/// Names of the task that a completion is for: the official one, and those that HumanEvo's ids go by, which count before
/// it, because two instances may have one namespace.
pub(crate) const TASK: &[&str] = &["namespace", "instance_id", "task_id"];

/// One completion as a scan of its file finds it.
#[derive(Debug)]
pub struct FoundCompletion<'a> {
    /// The namespace, or CoderEval's `_id`, that it is for.
    pub task: &'a str,
    body: Option<&'a RawValue>,
    /// Its position; the file's index is 0.
    pub record: Record,
    /// The verdict that came with it.
    pub released: Option<Verdict>,
    /// Bytes of the file before it.
    pub read: u64,
    /// What it is where no body has been extracted from it: one of a list of raw answers.
    pub raw: Option<RawAnswer>,
    /// The model and setting that the record names, as results of Evoscope do.
    pub set: Option<CompletionSet>,
}

impl FoundCompletion<'_> {
    /// Its text, read only now; `None` in a CoderEval sample file.
    pub fn text(&self) -> Option<String> {
        serde_json::from_str(self.body?.get()).ok()
    }
}

/// Scans a file of completions or results from first to last line. Errors when the file cannot be read at all or
/// `cancel` is raised; a bad line is a fault for `report`. In a table of verdicts, the completions have no text.
pub fn scan_completions(
    path: &Path,
    cancel: &Cancel,
    mut report: impl FnMut(Diagnostic),
    mut take: impl FnMut(FoundCompletion<'_>),
) -> Result<()> {
    if evaluated_csv::is_table(path) {
        return scan_table(path, cancel, report, take);
    }
    for_each_row(path, cancel, |read, row, record| {
        let mut row = match row {
            Ok(row) => row,
            Err(fault) => return report(fault),
        };
        let of_codereval = row.has(codereval::ID) && row.has(&[codereval::SAMPLES]);
        let names = if row.has(&TASK[1..]) {
            &TASK[1..]
        } else {
            TASK
        };
        let task = if of_codereval {
            row.text_or_number(codereval::ID)
        } else {
            row.needed_text(names, "give the task's namespace")
        };
        let (raw, answers) = answers(&mut row).unzip();
        let body = answers.is_none().then(|| completion(&mut row)).flatten();
        let released = released_verdict(&mut row);
        if let Some(task) = &task {
            let task = task.trim();
            for answer in answers.iter().flatten() {
                let place = row.place_of(answer);
                take(FoundCompletion {
                    task,
                    body: Some(answer),
                    record: Record {
                        offset: record.offset + place.start as u64,
                        length: u32::try_from(place.len()).unwrap_or(u32::MAX),
                        ..record
                    },
                    released: None,
                    read,
                    raw: raw.filter(|_| !of_codereval),
                    set: None,
                });
            }
            if let Some(body) = body {
                take(FoundCompletion {
                    task,
                    body: Some(body),
                    record,
                    released,
                    read,
                    raw: None,
                    set: named_set(&mut row),
                });
            }
        }
        row.faults.into_iter().for_each(&mut report);
    })
}

/// The model and setting of a record that names both.
fn named_set(row: &mut Row<'_>) -> Option<CompletionSet> {
    if !row.has(&["model"]) || !row.has(&["setting"]) {
        return None;
    }
    Some(CompletionSet {
        model: row.text(&["model"])?.as_ref().into(),
        setting: row.text(&["setting"])?.as_ref().into(),
    })
}

/// Scans a table of verdicts: a row is a completion without its text.
fn scan_table(
    path: &Path,
    cancel: &Cancel,
    mut report: impl FnMut(Diagnostic),
    mut take: impl FnMut(FoundCompletion<'_>),
) -> Result<()> {
    let place = set_of(path);
    let number = |line: u64| u32::try_from(line).unwrap_or(u32::MAX);
    let faults = evaluated_csv::read(path, |line| {
        cancel.check()?;
        let or = |named: Option<&str>, own: &Arc<str>| named.map_or_else(|| own.clone(), Arc::from);
        for &verdict in &line.verdicts {
            take(FoundCompletion {
                task: line.task.trim(),
                body: None,
                record: Record {
                    file: 0,
                    offset: 0,
                    length: 0,
                    line: number(line.line),
                },
                released: Some(verdict),
                read: 0,
                raw: None,
                set: Some(CompletionSet {
                    setting: or(line.setting.as_deref(), &place.setting),
                    model: or(line.model.as_deref(), &place.model),
                }),
            });
        }
        Ok(())
    })?;
    for fault in faults {
        let line = fault.place().and_then(|place| place.line).unwrap_or(0);
        let diagnostic = Diagnostic::new(path, fault.what()).at_line(number(line));
        report(match fault.advice() {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        });
    }
    Ok(())
}

/// The sets of the records of a file, at least one: those that the records name, else the set of the file's path. Where
/// the first record names none, the others are not read.
pub fn sets_named_in(path: &Path) -> Vec<CompletionSet> {
    let mut sets: Vec<CompletionSet> = Vec::new();
    let unnamed = Cancel::default();
    // Errors are reported when the file is read for its verdicts.
    let _ = scan_completions(
        path,
        &unnamed,
        |_| {},
        |completion| {
            if sets.is_empty() && completion.set.is_none() {
                unnamed.raise();
            }
            let set = completion.set.unwrap_or_else(|| set_of(path));
            if !sets.contains(&set) {
                sets.push(set);
            }
        },
    );
    if sets.is_empty() {
        sets.push(set_of(path));
    }
    sets
}

/// The texts of a record of raw answers: a list under `completion` (chat models, as `gpt_inference.py` writes it) or
/// `completions` (plain language models, as `LM_inference.py` does), or CoderEval's `generate_results`; `None` where the
/// record has none. An element that is not a text is a fault.
fn answers<'a>(row: &mut Row<'a>) -> Option<(RawAnswer, Vec<&'a RawValue>)> {
    let (name, list) = row.raw(&["completions", "completion", codereval::SAMPLES])?;
    let kind = match name {
        "completions" => RawAnswer::Continuation,
        _ => RawAnswer::Chat,
    };
    let list = serde_json::from_str::<Vec<&RawValue>>(list.get()).ok()?;
    let all = list.len();
    let texts: Vec<_> = list.into_iter().filter_map(text_of).collect();
    if texts.len() < all {
        row.fault(
            "completion",
            "holds an answer that is not a text",
            "give a list of texts",
        );
    }
    Some((kind, texts))
}

/// The text of one answer: itself, or `generate_code` of one of CoderEval's released samples.
fn text_of(value: &RawValue) -> Option<&RawValue> {
    #[derive(serde::Deserialize)]
    struct Sample<'a> {
        #[serde(borrow)]
        generate_code: &'a RawValue,
    }
    let text = if value.get().starts_with('{') {
        let sample: Sample<'_> = serde_json::from_str(value.get()).ok()?;
        sample.generate_code
    } else {
        value
    };
    text.get().starts_with('"').then_some(text)
}

fn completion<'a>(row: &mut Row<'a>) -> Option<&'a RawValue> {
    const HINT: &str = "give the generated body as a text";
    let Some((_, body)) = row.raw(&["completion"]) else {
        row.fault("completion", "is missing", HINT);
        return None;
    };
    if !body.get().starts_with('"') {
        row.fault("completion", "is not a text", HINT);
        return None;
    }
    Some(body)
}

/// Scans one of CoderEval's released sample files; errors and faults as [`scan_completions`].
pub fn scan_samples(
    path: &Path,
    cancel: &Cancel,
    mut report: impl FnMut(Diagnostic),
    mut take: impl FnMut(FoundCompletion<'_>),
) -> Result<()> {
    for_each_row(path, cancel, |read, row, record| {
        let mut row = match row {
            Ok(row) => row,
            Err(fault) => return report(fault),
        };
        if let Some(id) = row.text_or_number(codereval::ID) {
            for sample in codereval::samples(&mut row) {
                let record = Record {
                    offset: record.offset + sample.offset as u64,
                    length: u32::try_from(sample.length).unwrap_or(u32::MAX),
                    ..record
                };
                take(FoundCompletion {
                    task: &id,
                    body: None,
                    record,
                    released: sample.released,
                    read,
                    raw: None,
                    set: None,
                });
            }
        } else {
            row.fault("_id", "is missing", "give the problem's id");
        }
        row.faults.into_iter().for_each(&mut report);
    })
}

/// The text of the completion at `record` in the file at `path`: `completion`, or CoderEval's `generate_code`, or one text
/// of a list of raw answers. Empty
/// where there is none.
pub fn read_completion(path: &Path, record: Record) -> Result<String> {
    let bytes = read_record(path, record)?;
    let gone = |why: String| {
        Error::data(format!("the completion can no longer be read: {why}"))
            .at_line(path, u64::from(record.line))
            .hint("the file has changed since it was opened: open it again")
    };
    let text = String::from_utf8_lossy(&bytes);
    if text.starts_with('"') {
        return serde_json::from_str(&text).map_err(|why| gone(why.to_string()));
    }
    let row = Row::parse(&text, path, record.line).map_err(|fault| gone(fault.what))?;
    match row.raw(&["completion", "generate_code"]) {
        None => Ok(String::new()),
        Some((_, body)) => serde_json::from_str(body.get()).map_err(|why| gone(why.to_string())),
    }
}

/// The set that follows from a file's path: `<setting>/<model>/completion.jsonl`. A file in another layout is named after
/// itself, in the setting of the nearest folder.
pub fn set_of(path: &Path) -> CompletionSet {
    let mut names = path.iter().rev().map(|name| name.to_string_lossy());
    let file = names.next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or(&file).to_owned();
    let folder = names.next();
    let above = names.next();
    let generic = [
        "completion",
        "completions",
        "result",
        "results",
        "test_output",
        "execution_results",
        "log",
    ];
    // CoderEval's release: <model>/Raw_Input.jsonl_out.jsonl, <model>/HumanLabel_Input….
    let lower = stem.to_lowercase();
    let input = lower.contains("raw") || lower.contains("humanlabel");
    let (setting, model) = match (above, folder) {
        (Some(_), Some(model)) if input => (stem.into(), model.into_owned()),
        (Some(setting), Some(model)) if generic.contains(&stem.as_str()) => {
            (setting, model.into_owned())
        }
        (_, Some(setting)) => (setting, stem),
        _ => ("".into(), stem),
    };
    CompletionSet {
        setting: Arc::from(&*setting),
        model: Arc::from(model),
    }
}
