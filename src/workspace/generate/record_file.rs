//! The stored answers of one model for one context setting, or for drafts of requirements. The folder has two files:
//! `records.jsonl` with one record for each answer, and the made file, which is made from the records. The made file is
//! `completion.jsonl` for completions and `requirement.jsonl` for drafts.
//!
//! An answer counts as stored when its record is written and synced. If a process is killed before it writes the made
//! file, nothing is lost: `write_made` writes this file again from the records.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::record::{GenerationRecord, PromptForm};
use crate::error::{Error, Result};
use crate::escape::json;
use crate::files::{OpenedFile, OwnedFile, parse_json, replace};
use crate::generation::{Parameters, Usage};

/// The first bytes of each record.
const FIRST_FIELD: &[u8] = b"{\"namespace\":";

/// The options that all records of a folder have in common.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) setting: String,
    /// The name of the made file.
    pub(super) made: &'static str,
    pub(super) model: String,
    pub(super) prompt: PromptForm,
    pub(super) parameters: Parameters,
}

/// The records of a folder. No other process writes to the records while this value exists.
pub(super) struct RecordFile {
    records: OwnedFile,
    /// The path of the made file.
    made: PathBuf,
    /// Key: (task's id, number of the sample); value: the hash of the prompt.
    stored: HashMap<(String, u32), String>,
    /// The total number of tokens of the stored answers.
    pub(super) usage: Usage,
    /// The number of stored answers that the limit on tokens cut off.
    pub(super) truncated: usize,
}

impl RecordFile {
    /// Opens the records in a folder. Creates the folder if it does not exist. Repairs an incomplete last record.
    /// Errors when another process writes to the records, when a record was generated with other options than `asked`,
    /// or when a file was not written by Evoscope.
    pub(super) fn open(folder: &Path, asked: &Asked) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|why| Error::io("make", folder, why))?;
        let path = folder.join("records.jsonl");
        let OpenedFile::Owned(records) = OwnedFile::open(&path)? else {
            return Err(Error::user("this is not a regular file")
                .at(&path)
                .hint("name another output folder"));
        };
        let mut file = Self {
            records,
            made: folder.join(asked.made),
            stored: HashMap::new(),
            usage: Usage::default(),
            truncated: 0,
        };
        file.load(&path, asked)?;
        Ok(file)
    }

    fn load(&mut self, path: &Path, asked: &Asked) -> Result<()> {
        // `partial` is set if the last line has no line feed: `Some(Some(offset))` for an incomplete record,
        // `Some(None)` for a complete record.
        let (mut number, mut partial) = (0, None);
        let (mut stored, mut usage, mut truncated) = (HashMap::new(), Usage::default(), 0);
        self.records.each_line(|at, line| {
            number += 1;
            match parse_json::<GenerationRecord>(line) {
                Ok(record) => {
                    asked.check(&record).map_err(|why| why.at_line(path, number))?;
                    add(&mut usage, record.usage);
                    truncated += usize::from(record.truncated);
                    stored.insert((record.task, record.sample), record.prompt_sha256);
                    if line.last() != Some(&b'\n') {
                        partial = Some(None);
                    }
                }
                Err(_) if line.last() != Some(&b'\n') && begins_record(line) => {
                    partial = Some(Some(at));
                }
                Err(why) => {
                    return Err(Error::data(format!("this line is not a record of 'evoscope generate': {why}"))
                        .at_line(path, number)
                        .hint("name another output folder, or remove the line: its answer is asked for again"));
                }
            }
            Ok(())
        })?;
        if stored.is_empty() && fs::metadata(&self.made).is_ok_and(|about| about.len() > 0) {
            return Err(
                Error::user("this file was not written by 'evoscope generate'")
                    .at(&self.made)
                    .hint("name another output folder; nothing was changed"),
            );
        }
        match partial {
            Some(Some(at)) => self.records.truncate(at)?,
            Some(None) => self.records.append(b"\n")?,
            None => {}
        }
        (self.stored, self.usage, self.truncated) = (stored, usage, truncated);
        Ok(())
    }

    /// The hash of the prompt of a stored sample. `None` if the sample is not stored.
    pub(super) fn prompt_of(&self, task: &str, sample: u32) -> Option<&str> {
        self.stored
            .get(&(task.to_owned(), sample))
            .map(String::as_str)
    }

    /// Appends the records to `records.jsonl`, and their lines to the made file. The records are on the disk when this
    /// function returns.
    pub(super) fn store(&mut self, records: &[&GenerationRecord]) -> Result<()> {
        let (mut lines, mut made) = (String::new(), String::new());
        for record in records {
            let text = serde_json::to_string(record)
                .map_err(|why| Error::internal(format!("cannot write JSON: {why}")))?;
            lines.push_str(&json(&text));
            lines.push('\n');
            made.push_str(&json(&record.line()?));
        }
        self.records.append(lines.as_bytes())?;
        self.records.sync()?;
        for record in records {
            add(&mut self.usage, record.usage);
            self.truncated += usize::from(record.truncated);
            let key = (record.task.clone(), record.sample);
            self.stored.insert(key, record.prompt_sha256.clone());
        }
        let cannot = |why| Error::io("write", &self.made, why);
        let mut file = fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.made)
            .map_err(cannot)?;
        file.write_all(made.as_bytes()).map_err(cannot)
    }

    /// Writes the made file, unless it is up to date. The lines are sorted by `place`, which returns the position of a
    /// task, and then by sample.
    pub(super) fn write_made(&self, place: impl Fn(&str) -> usize) -> Result<()> {
        let mut lines = Vec::new();
        self.records.each_line(|_, line| {
            if let Ok(record) = parse_json::<GenerationRecord>(line) {
                let text = json(&record.line()?).into_owned();
                lines.push((place(&record.task), record.sample, text));
            }
            Ok(())
        })?;
        lines.sort_by_key(|(place, sample, _)| (*place, *sample));
        let text: String = lines.into_iter().map(|(_, _, line)| line).collect();
        let is_written = fs::read(&self.made).is_ok_and(|own| own == text.as_bytes());
        if is_written || (text.is_empty() && !self.made.exists()) {
            return Ok(());
        }
        replace(&self.made, text)
    }
}

impl Asked {
    /// Errors if a record was generated with other options.
    fn check(&self, record: &GenerationRecord) -> Result<()> {
        let differs = if record.model != self.model {
            format!("the model '{}', not '{}'", record.model, self.model)
        } else if record.setting != self.setting {
            format!("the setting {}, not {}", record.setting, self.setting)
        } else if record.prompt != self.prompt {
            "another form of prompt (style, budget or context window)".to_owned()
        } else if record.parameters != self.parameters {
            let written = serde_json::to_string(&record.parameters).unwrap_or_default();
            format!("the parameters {written}")
        } else {
            return Ok(());
        };
        Err(
            Error::user(format!("this answer was asked for with {differs}"))
                .hint("give the same options to go on with it, or name another output folder"),
        )
    }
}

/// Adds the numbers of tokens of an answer to `usage`.
pub(super) fn add(usage: &mut Usage, more: Option<Usage>) {
    let more = more.unwrap_or_default();
    usage.prompt_tokens += more.prompt_tokens;
    usage.completion_tokens += more.completion_tokens;
}

/// Whether a line without a line feed is the beginning of a record. A process that is killed while it writes leaves
/// such a line.
fn begins_record(line: &[u8]) -> bool {
    line.starts_with(FIRST_FIELD) || FIRST_FIELD.starts_with(line)
}

#[cfg(test)]
mod tests;
