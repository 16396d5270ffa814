//! Reads tables of verdicts. The first row has the names of the columns. Each other row has a task and a verdict.

use std::path::Path;

use serde_json::{Map, Value};

use super::completion::Verdict;
use super::evaluated::{EvaluatedLine, with_line};
use crate::error::{Error, Result};
use crate::files;

/// Names of the column that contains the task, in order of preference. [`Columns`] renames the column to `task`.
const TASK: &[&str] = &[
    "namespace",
    "task",
    "_id",
    "instance_id",
    "id",
    "question_id",
];
/// Names of the other columns that are read.
const TEXTS: &[&str] = &[
    "project",
    "level",
    "model",
    "setting",
    "exception",
    "completion",
    "reason",
];
/// Names of the column that contains the verdict, in order of preference.
const VERDICT: &[&str] = &[
    "verdict",
    "official_verdict",
    "result",
    "pass",
    "is_pass",
    "passed",
    "status",
];

/// Whether a file is a table of verdicts, according to its name: the extension is `csv` or `tsv`, in any case.
pub fn is_table(path: &Path) -> bool {
    delimiter(path).is_some()
}

fn delimiter(path: &Path) -> Option<u8> {
    let extension = path.extension()?.to_str()?;
    match extension.to_ascii_lowercase().as_str() {
        "csv" => Some(b','),
        "tsv" => Some(b'\t'),
        _ => None,
    }
}

/// The largest table that is read, in bytes.
const LARGEST: u64 = 1 << 30;

/// Does the work of [`super::read_evaluated`] for `.csv` and `.tsv` files.
pub(super) fn read(
    path: &Path,
    mut each: impl FnMut(&EvaluatedLine<'_>) -> Result<()>,
) -> Result<Vec<Error>> {
    let text = files::read(path, LARGEST)?;
    files::refuse_encoded(path, &text)?;
    let mut table = csv::ReaderBuilder::new()
        .delimiter(delimiter(path).unwrap_or(b','))
        .trim(csv::Trim::All)
        .flexible(true)
        .from_reader(text.as_slice());
    let header = table.headers().map_err(|why| fault(&why).at(path))?.clone();
    let columns = Columns::of(&header).map_err(|why| why.at_line(path, 1))?;
    let mut faults = Vec::new();
    let mut row = csv::StringRecord::new();
    loop {
        let read = table.read_record(&mut row);
        let line = row.position().map_or(1, |place| line_of(&text, place));
        match read {
            Ok(false) => return Ok(faults),
            Ok(true) => {
                let record = columns.record(&row);
                match with_line(record.as_bytes(), line, &mut each) {
                    Ok(taken) => taken?,
                    Err(why) => faults.push(why.at_line(path, line)),
                }
            }
            Err(why) if why.is_io_error() => return Err(fault(&why).at(path)),
            Err(why) => faults.push(fault(&why).at_line(path, line)),
        }
    }
}

/// The 1-based line number of a row. `place` is the position of the CSV reader. If there are blank lines above the row,
/// this position is the first of them.
fn line_of(text: &[u8], place: &csv::Position) -> u64 {
    let from = usize::try_from(place.byte()).unwrap_or(usize::MAX);
    let rest = text.get(from..).unwrap_or_default().iter();
    let blank = rest.take_while(|byte| matches!(byte, b'\r' | b'\n'));
    let breaks = blank.filter(|byte| **byte == b'\n').count();
    place.line() + breaks as u64
}

fn fault(why: &csv::Error) -> Error {
    let what = match why.kind() {
        csv::ErrorKind::Io(why) => format!("cannot be read: {why}"),
        csv::ErrorKind::Utf8 { .. } => "the row is not UTF-8".to_owned(),
        _ => "the row is not valid CSV".to_owned(),
    };
    Error::data(what).hint("write the table again as CSV in UTF-8")
}

/// The columns of a table.
struct Columns {
    /// The names in lower case, with `_` instead of spaces and hyphens.
    names: Vec<String>,
    /// The index of the verdict column.
    verdict: usize,
}

impl Columns {
    fn of(header: &csv::StringRecord) -> Result<Self> {
        let plain = |name: &str| {
            let name = name.trim_start_matches('\u{feff}').trim();
            name.to_ascii_lowercase().replace([' ', '-'], "_")
        };
        let mut names: Vec<String> = header.iter().map(plain).collect();
        let place = |known: &[&str]| {
            let mut known = known.iter();
            known.find_map(|known| names.iter().position(|name| name == known))
        };
        let (Some(task), Some(verdict)) = (place(TASK), place(VERDICT)) else {
            let what = "the table has no task column or no verdict column";
            let hint = "name the columns 'namespace' (or 'task') and 'verdict' in the first row";
            return Err(Error::data(what).hint(hint));
        };
        let (level, project) = (
            place(&["level", "code_level"]),
            place(&["project", "project_name", "project_path"]),
        );
        // The other columns of a table may have any names and values.
        for (at, name) in names.iter_mut().enumerate() {
            if at != verdict && !TEXTS.contains(&name.as_str()) {
                name.clear();
            }
        }
        let read = [("level", level), ("project", project), ("task", Some(task))];
        for (name, at) in read {
            if let Some(at) = at {
                name.clone_into(&mut names[at]);
            }
        }
        Ok(Self { names, verdict })
    }

    /// The row as a JSON object with the fields of a result file. Empty cells are left out.
    fn record(&self, row: &csv::StringRecord) -> String {
        let mut record = Map::new();
        for (at, (name, value)) in self.names.iter().zip(row).enumerate() {
            if value.is_empty() || name.is_empty() {
                continue;
            }
            let (name, value) = if at == self.verdict {
                verdict(value)
            } else {
                (name.as_str(), Value::from(value))
            };
            record.insert(name.to_owned(), value);
        }
        Value::Object(record).to_string()
    }
}

/// The name and value of the JSON field for a word in the verdict column.
fn verdict(word: &str) -> (&'static str, Value) {
    let lower = word.to_ascii_lowercase();
    match lower.as_str() {
        "true" | "1" | "passed" => return ("Result", Value::from(true)),
        "false" | "0" | "failed" => return ("Result", Value::from(false)),
        _ => {}
    }
    let own = Verdict::ALL.iter().find(|own| own.word() == lower);
    match own {
        Some(own) => ("verdict", Value::from(own.word())),
        None => ("Result", Value::from(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_evaluated;
    use super::*;

    /// The tasks with their verdicts, and the faults as `line: message`.
    type Seen = (Vec<(String, Verdict)>, Vec<String>);

    fn read(name: &str, text: &str) -> Result<Seen> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let mut seen = Vec::new();
        let faults = read_evaluated(&file, |line| {
            seen.push((line.task.to_string(), line.verdicts[0]));
            Ok(())
        })?;
        let texts = faults.iter().map(|why| {
            let line = why.place().and_then(|place| place.line).unwrap_or(0);
            format!("{line}: {}", why.what())
        });
        Ok((seen, texts.collect()))
    }

    #[test]
    fn each_row_is_a_verdict_and_faults_have_their_line() {
        let text = "namespace,official_verdict,model\na.b,Error,m\na.c,Pass,\n\"a,d\",OOM,x\n\na.e,maybe,\n,Pass,\n";
        let (seen, faults) = read("v.csv", text).unwrap();
        let named = |task: &str, verdict| (task.to_owned(), verdict);
        let expected = [
            named("a.b", Verdict::Fail),
            named("a.c", Verdict::Pass),
            named("a,d", Verdict::OutOfMemory),
        ];
        assert_eq!(seen, expected);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].starts_with("6: "), "{faults:?}");
        let (seen, _) = read("v.tsv", "Passed\tTask\ntrue\tx\n0\ty\ntimeout\tz\n").unwrap();
        let verdicts: Vec<_> = seen.iter().map(|(_, verdict)| *verdict).collect();
        assert_eq!(verdicts, [Verdict::Pass, Verdict::Fail, Verdict::Timeout]);
        let (seen, faults) = read("v.csv", "_id,task,namespace,pass\n1,x,a.b,1\n").unwrap();
        assert_eq!((seen, faults), (vec![named("a.b", Verdict::Pass)], vec![]));
        let other = "task,result,pass,reference_ok,tests,level\na.b,true,1,True,x,cross_file\n";
        let (seen, faults) = read("v.csv", other).unwrap();
        assert_eq!((seen, faults), (vec![named("a.b", Verdict::Pass)], vec![]));
        assert!(read("v.csv", "a,b\n1,2\n").is_err());
    }
}
