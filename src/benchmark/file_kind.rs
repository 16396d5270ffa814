//! The kinds of files that Evoscope reads.

use super::format::Format;
use super::language::Language;

/// The contents of a file, detected from the fields of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A benchmark's tasks, in the language of the first task.
    Tasks(Format, Language),
    /// Released samples with verdicts: each record contains a task and its completions.
    Samples(Format, Language),
    /// Completions, `{"namespace", "completion"}`.
    Completions,
    /// Verdicts: completions with a field `Result`, `pass` or `verdict`. Or a CSV or TSV table of tasks and verdicts.
    Results,
    /// Nothing that Evoscope reads.
    Unknown,
    /// No record at all.
    Empty,
}
