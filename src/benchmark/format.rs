//! The benchmark formats. Everything in which a format differs from the others is in its [`FormatRules`], next to its
//! reader.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::completion::{OfficialResult, Verdict};
use super::fields::Row;
use super::file_kind::FileKind;
use super::interner::Interner;
use super::language::Language;
use super::names::vocabulary;
use super::project_folders::ProjectFolders;
use super::task::{Record, RequirementStyle, Task, TaskDetail};

vocabulary! {
    /// The official format of a benchmark.
    Format: "a benchmark format" {
        /// EvoCodeBench: `data.jsonl` with namespaces and a `domain`.
        EvoCodeBench = "evocodebench",
        /// DevEval: `data.jsonl` with namespaces and a `project_path`.
        DevEval = "deveval",
        /// HumanEvo: instances with a base commit, each made from a pull request.
        HumanEvo = "humanevo",
        /// CoderEval: records with `_id`, two docstrings and a runnable level.
        CoderEval = "codereval",
    }
}

/// A property that some formats have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatFeature {
    /// A task's id is its namespace.
    NamespaceIds,
    /// Completions name their task by its namespace.
    NamespacesInCompletions,
    /// The records list the dependencies of the reference code.
    LabelledDependencies,
    /// The first folder of a path may be a topic that contains projects.
    Topics,
    /// A completion may be a whole function instead of a body.
    WholeFunctions,
    /// Each task is an instance: its source tree is a base commit with the patches of its record.
    Instances,
    /// Records of several files are joined if they have the same id.
    JoinedRecords,
    /// Released files contain completions with their verdicts, in a form of their own.
    ReleasedSamples,
    /// A task without named tests uses the project's tests that mention its target.
    TestsOfTarget,
}

/// Everything in which a format differs from the others.
pub(super) struct FormatRules {
    /// The benchmark's name, as its paper writes it.
    pub title: &'static str,
    /// The fields that identify a record, as a hint names them.
    pub marks: &'static str,
    /// The contents of a file with this record. `None` if the record does not have this format.
    pub detect: fn(&mut Row<'_>) -> Option<FileKind>,
    /// The task of a record. If there is none, the result is `None`, and the row records the fault.
    pub read_task: fn(&mut Row<'_>, Record, &mut Interner, &ProjectFolders) -> Option<Task>,
    /// The other fields of a record in the file at this path.
    pub read_detail: fn(Map<String, Value>, &Path) -> TaskDetail,
    /// The properties that it has.
    pub features: &'static [FormatFeature],
    /// The wording that a drafted requirement has if the task has no other requirement.
    pub draft_style: RequirementStyle,
    /// The folders of a checkout that contain completions.
    pub completion_folders: &'static [&'static str],
    /// A name of a setting that only this format's releases use.
    pub own_setting: Option<&'static str>,
    /// The time limit for all tests of a task with this number of tests, and the limit for each test if there is one.
    pub time_limits: fn(usize) -> (Duration, Option<Duration>),
    /// A verdict in the words of the official evaluator. Formats without one use DevEval's words.
    pub official_result: fn(Verdict) -> OfficialResult,
    /// The record's own prompt, from the language, the declaration and a wording of the requirement. `None` if the
    /// records have no prompt.
    pub own_prompt: Option<OwnPrompt>,
}

/// Returns a prompt for a language, a declaration and a wording of the requirement.
pub type OwnPrompt = fn(Language, &str, &str) -> String;
