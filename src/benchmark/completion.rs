//! Completions and verdicts: what models wrote, and what became of it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::names::{Format, vocabulary};
use super::task::Record;

/// The completions of one model in one setting, as the files' paths give them: `<setting>/<model>[_greedy]/…`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CompletionSet {
    /// The setting as the folder names it: `local_infilling`.
    pub setting: Arc<str>,
    /// The model as the folder names it, `_greedy` included.
    pub model: Arc<str>,
}

impl fmt::Display for CompletionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} · {}", self.model, self.setting)
    }
}

/// What an answer of a model is, from which no body has been extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RawAnswer {
    /// A chat model's: prose, fenced code, whole functions.
    Chat,
    /// A plain language model's, which goes on with the code of the prompt.
    Continuation,
}

/// One generated body; its text is read from `record` when wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// Index of its [`CompletionSet`].
    pub set: u32,
    /// 0-based place among the set's completions for the same task, in file order.
    pub sample: u32,
    /// Its position in its file.
    pub record: Record,
    /// The verdict that came with it, where the file holds one (CoderEval's `is_pass`, official result files).
    pub released: Option<Verdict>,
    /// What it is where it is not a body yet.
    pub raw: Option<RawAnswer>,
}

vocabulary! {
    /// What became of a completion.
    Verdict: "a verdict" {
        /// Every test that the reference passes was reported passed, and the counter-test failed.
        Pass = "pass",
        /// A test failed.
        Fail = "fail",
        /// The completion does not parse in its place.
        Syntax = "syntax",
        /// A time limit was reached.
        Timeout = "timeout",
        /// The memory limit was reached.
        OutOfMemory = "out_of_memory",
        /// Another limit (output, disk, processes) was reached.
        Limit = "limit",
        /// It passes a changed test, which right code must fail, or interfered with the test runner.
        Tampered = "tampered",
        /// The sandbox failed, not the completion; never counted as failure.
        Infrastructure = "infrastructure",
        /// The task itself has no verdict to give: its reference fails or its stub passes.
        Unusable = "unusable",
    }
}

/// The verdict words of the official evaluators: EvoCodeBench writes Pass and Fail; DevEval Pass, Error, `OOM`, `TimeOut`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OfficialResult {
    /// The tests' exit code was 0.
    Pass,
    /// EvoCodeBench: anything else.
    Fail,
    /// DevEval: a failing test or a crash.
    Error,
    /// DevEval: more than 5 GB.
    #[serde(rename = "OOM")]
    OutOfMemory,
    /// DevEval: more than 60 s.
    TimeOut,
}

impl OfficialResult {
    /// A verdict in the words of a format's result files. Formats without an official evaluator have DevEval's.
    pub fn of(verdict: Verdict, format: Format) -> Self {
        match (verdict, format) {
            (Verdict::Pass, _) => Self::Pass,
            (_, Format::EvoCodeBench) => Self::Fail,
            (Verdict::Timeout, _) => Self::TimeOut,
            (Verdict::OutOfMemory, _) => Self::OutOfMemory,
            _ => Self::Error,
        }
    }
}

impl From<OfficialResult> for Verdict {
    fn from(result: OfficialResult) -> Self {
        match result {
            OfficialResult::Pass => Self::Pass,
            OfficialResult::Fail | OfficialResult::Error => Self::Fail,
            OfficialResult::OutOfMemory => Self::OutOfMemory,
            OfficialResult::TimeOut => Self::Timeout,
        }
    }
}
