//! Detects the contents of a file from the fields of its records.

use std::path::Path;

use super::diagnostic::Diagnostic;
use super::evaluated_csv;
use super::fields::Row;
use super::interner::Interner;
use super::names::{Format, Language};
use super::reader::with_row;
use super::records::Records;
use super::task::Record;
use super::{codereval, completions, humanevo};
use crate::error::{Error, Result};

/// The contents of a file, detected from the fields of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A benchmark's tasks, in the language of the first task.
    Tasks(Format, Language),
    /// CoderEval's released samples with verdicts: tasks and completions in one file.
    Samples(Language),
    /// Completions, `{"namespace", "completion"}`.
    Completions,
    /// Verdicts: completions with `Result`, `pass` or `verdict`, or a table of tasks and verdicts.
    Results,
    /// Nothing that Evoscope reads.
    Unknown,
    /// No record at all.
    Empty,
}

/// Detects the contents of the file at `path` from the first record with known fields, among the first 100. A table
/// must have the columns of verdicts; the error names those that are missing. Errors when the file cannot be read.
pub fn detect(path: &Path) -> Result<FileKind> {
    if evaluated_csv::is_table(path) {
        return evaluated_csv::read(path, |_| Ok(())).map(|_| FileKind::Results);
    }
    let mut records = Records::open(path)?;
    let mut kind = FileKind::Empty;
    for _ in 0..100 {
        let next = records.next().map_err(|why| Error::io("read", path, why))?;
        let Some(raw) = next else { break };
        let found = with_row(path, &raw, |row| {
            row.map_or(FileKind::Unknown, |mut row| kind_of(&mut row))
        });
        if found != FileKind::Unknown {
            return Ok(found);
        }
        kind = found;
    }
    Ok(kind)
}

/// The fault of the first record in the file at `path` that begins as an object and is not complete JSON, and the kind
/// of the file by the fields before the fault. `None` without such a record among the first 100. For files of kind
/// [`FileKind::Unknown`].
pub fn incomplete_record(path: &Path) -> Option<(Diagnostic, FileKind)> {
    let mut records = Records::open(path).ok()?;
    for _ in 0..100 {
        let raw = records.next().ok()??;
        let text = String::from_utf8_lossy(raw.bytes);
        let begun = text.trim_start().starts_with('{');
        let fault = with_row(path, &raw, |row| match row {
            Err(fault) if begun => Some(fault),
            _ => None,
        });
        if let Some(fault) = fault {
            return Some((fault, kind_before_end(&text, path)));
        }
    }
    None
}

/// The kind of an object that ends too early, by its complete fields.
fn kind_before_end(object: &str, path: &Path) -> FileKind {
    let ends = [Some(object.len()), last_comma(object)];
    for end in ends.into_iter().flatten() {
        let closed = format!("{}}}", &object[..end]);
        if let Ok(mut row) = Row::parse(&closed, path, 1) {
            return kind_of(&mut row);
        }
    }
    FileKind::Unknown
}

/// The place of the last comma between two fields of an object.
fn last_comma(object: &str) -> Option<usize> {
    let (mut depth, mut in_text, mut escaped, mut last) = (0, false, false, None);
    for (at, byte) in object.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b',' if depth == 1 => last = Some(at),
            _ => {}
        }
    }
    last
}

fn kind_of(row: &mut Row<'_>) -> FileKind {
    if row.has(completions::TASK) && row.has(&["completion"]) {
        return if row.has(&["Result", "pass", "verdict"]) {
            FileKind::Results
        } else {
            FileKind::Completions
        };
    }
    if row.has(&["namespace"]) && (row.has(&["completion_path"]) || row.has(&["body_position"])) {
        let project = row.has(&["project_path"]);
        let format = if project {
            Format::DevEval
        } else {
            Format::EvoCodeBench
        };
        return FileKind::Tasks(format, Language::Python);
    }
    let (mut names, record) = (Interner::default(), NO_RECORD);
    if codereval::is_input(row) {
        let task = codereval::task(row, record, &mut names);
        let language = task.map_or(Language::Python, |task| task.language);
        return FileKind::Tasks(Format::CoderEval, language);
    }
    if humanevo::is_instance(row) {
        let task = humanevo::task(row, record, &mut names);
        let language = task.map_or(Language::Python, |task| task.language);
        return FileKind::Tasks(Format::HumanEvo, language);
    }
    if row.has(&["namespace"]) && row.has(&["completions"]) {
        return FileKind::Completions;
    }
    if row.has(codereval::ID) && codereval::holds_answers(row) {
        return FileKind::Completions;
    }
    if row.has(codereval::ID) && (row.has(&[codereval::SAMPLES]) || row.has(codereval::TASK_MARKS))
    {
        let task = codereval::task(row, record, &mut names);
        let language = task.map_or(Language::Python, |task| task.language);
        return if row.has(&[codereval::SAMPLES]) {
            FileKind::Samples(language)
        } else {
            FileKind::Tasks(Format::CoderEval, language)
        };
    }
    FileKind::Unknown
}

const NO_RECORD: Record = Record {
    file: 0,
    offset: 0,
    length: 0,
    line: 1,
};
