//! Detects the contents of a file from the fields of its records.

use std::path::Path;

use super::completions;
use super::diagnostic::Diagnostic;
use super::evaluated_csv;
use super::fields::Row;
use super::file_kind::FileKind;
use super::format::Format;
use super::reader::with_row;
use super::records::Records;
use crate::error::{Error, Result};
use crate::files::JsonText;

/// Detects the contents of the file at `path` from the first record with known fields, among the first 100 records. A
/// `.csv` or `.tsv` file is [`FileKind::Results`]. Errors when the file cannot be read, or when a `.csv` or `.tsv` file
/// has no task column or no verdict column.
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

/// Explains why [`detect`] found [`FileKind::Unknown`]. Finds the first record of the file at `path` that begins with
/// `{` but cannot be parsed as JSON. Returns (fault of the record, kind of the file according to the fields before the
/// fault). `None` if the first 100 records contain no such record.
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

/// The kind of the file at `path`, according to the complete fields of `object`. `object` is a JSON object without its
/// end.
fn kind_before_end(object: &str, path: &Path) -> FileKind {
    let ends = [Some(object.len()), last_comma(object)];
    for end in ends.into_iter().flatten() {
        let closed = format!("{}}}", &object[..end]);
        let json = JsonText::new(closed.as_bytes());
        if let Ok(mut row) = Row::parse(&json, path, 1) {
            return kind_of(&mut row);
        }
    }
    FileKind::Unknown
}

/// The byte offset of the last comma between two fields of an object. `None` if the object has no such comma.
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
    let mut formats = Format::ALL.iter();
    if let Some(kind) = formats.find_map(|format| format.detect(row)) {
        return kind;
    }
    if row.has(&["namespace"]) && row.has(&["completions"]) {
        return FileKind::Completions;
    }
    FileKind::Unknown
}
