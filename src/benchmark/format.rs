//! The benchmark formats. The [`FormatRules`] of a format contain everything in which it differs from the others. The
//! file of the format's reader defines them.

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
    /// Each task is an instance: the source tree is a base commit with the patches in the task's record.
    Instances,
    /// Records of several files are joined if they have the same id.
    JoinedRecords,
    /// The benchmark's released files contain the task and its completions with verdicts in one record.
    ReleasedSamples,
    /// If neither the record nor `evoscope.toml` names tests, the tests that mention the target are used.
    TestsOfTarget,
}

/// Everything in which a format differs from the others.
pub(super) struct FormatRules {
    /// The benchmark's name, as its paper writes it.
    pub title: &'static str,
    /// The fields by which a record of a task is recognised, as error messages list them: `'_id'`.
    pub marks: &'static str,
    /// Returns the kind of file that a record with these fields belongs to. `None` if the record has another format.
    pub detect: fn(&mut Row<'_>) -> Option<FileKind>,
    /// Reads the task of a record. `None` if the record lacks a necessary field; the row then contains the error.
    pub read_task: fn(&mut Row<'_>, Record, &mut Interner, &ProjectFolders) -> Option<Task>,
    /// Reads the fields that [`Task`] does not contain, from a record in the file at this path.
    pub read_detail: fn(Map<String, Value>, &Path) -> TaskDetail,
    /// The properties that the format has.
    pub features: &'static [FormatFeature],
    /// The wording that a drafted requirement replaces in a task that has no requirement of its own.
    pub draft_style: RequirementStyle,
    /// The folders of the official repository that contain completions, as paths from its root.
    pub completion_folders: &'static [&'static str],
    /// A context setting with a name that only the releases of this format use. `None` if there is none.
    pub own_setting: Option<&'static str>,
    /// For a number of tests: the time limit for all of them together, and the limit for each test if there is one.
    pub time_limits: fn(usize) -> (Duration, Option<Duration>),
    /// Converts a verdict to the words of the official evaluator. Formats without an evaluator use DevEval's words.
    pub official_result: fn(Verdict) -> OfficialResult,
    /// Makes a prompt in the form of the prompts that the benchmark publishes. `None` if it publishes no prompts.
    pub own_prompt: Option<OwnPrompt>,
}

/// Returns the prompt for a language, the declaration of the target, and the text of its requirement.
pub type OwnPrompt = fn(Language, &str, &str) -> String;
