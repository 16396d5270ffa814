//! A task: the few fields that every list needs, and the rest, read from its record when wanted.

use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::draft::DraftOrigin;
use super::language::Language;
use super::names::{DependencyType, Level, Namespace, TaskId, TaskKind};
use super::parameters::ParameterTypes;
use super::span::{LineSpan, RepoPath};
use crate::error::{Error, Result};

/// The position of a record on disk, so that its body is read only when it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Record {
    /// Index into the owner's list of files.
    pub file: u32,
    /// Byte offset of the record's first byte.
    pub offset: u64,
    /// Length in bytes, without the line ending.
    pub length: u32,
    /// The 1-based line it begins on.
    pub line: u32,
}

/// A target's position according to the benchmark's file; a hint, since positions drift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The lines of the signature, `def` to colon.
    pub signature: LineSpan,
    /// The lines of the body, docstring left out.
    pub body: LineSpan,
}

/// How many labelled dependencies a task has, by type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub struct DependencyCounts {
    /// In the target's own class.
    pub intra_class: u32,
    /// In the target's own file.
    pub intra_file: u32,
    /// In other files of the project.
    pub cross_file: u32,
}

impl DependencyCounts {
    /// All types together.
    pub fn total(self) -> u32 {
        self.intra_class + self.intra_file + self.cross_file
    }
}

/// One benchmark sample, as far as a list shows it. [`TaskDetail`] holds the rest.
#[derive(Debug, Clone)]
pub struct Task {
    /// What its benchmark calls it; unique there.
    pub id: TaskId,
    /// The target's dotted name.
    pub namespace: Namespace,
    /// The project, as the benchmark names it: `Text-Processing/mistune`, `owner/repo`.
    pub project: Arc<str>,
    /// Function or method.
    pub kind: TaskKind,
    /// The language of its source.
    pub language: Language,
    /// The source file, from the project's root: `src/mistune/toc.py`. Empty where the benchmark does not say.
    pub path: RepoPath,
    /// The benchmark's own dependency level, where it gives one.
    pub level: Option<Level>,
    /// The domain: EvoCodeBench's field, the first folder of DevEval's `project_path`.
    pub domain: Option<Arc<str>>,
    /// The recorded position, where given.
    pub position: Option<Position>,
    /// The types of the target's parameters, which name an overload of Java; `None` where the record does not give them.
    pub parameters: Option<ParameterTypes>,
    /// Labelled dependencies by type.
    pub dependencies: DependencyCounts,
    /// The position of its record.
    pub record: Record,
}

impl Task {
    /// Whether its record says only what is asked, and nothing of where the target is (CoderEval's input files).
    pub fn is_input_only(&self) -> bool {
        self.project.is_empty() && self.path.as_str().is_empty()
    }
}

/// An element of the project that the reference code uses, as the benchmark labels it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Dependency {
    /// Its dotted name in the benchmark's form.
    pub namespace: Namespace,
    /// Where it is defined, seen from the target.
    #[serde(rename = "type")]
    pub dependency_type: DependencyType,
}

/// Which of a benchmark's requirement texts one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequirementStyle {
    /// EvoCodeBench and DevEval: `requirement.Functionality`.
    Functionality,
    /// HumanEvo: the brief docstring.
    Brief,
    /// HumanEvo: the detailed docstring.
    Detailed,
    /// CoderEval: the project's own docstring.
    Original,
    /// CoderEval: the docstring written for the benchmark.
    HumanLabelled,
    /// A model's draft, which is in no benchmark.
    Draft,
}

impl RequirementStyle {
    /// Every wording that benchmarks have.
    pub const ALL: [Self; 5] = [
        Self::Functionality,
        Self::Brief,
        Self::Detailed,
        Self::Original,
        Self::HumanLabelled,
    ];

    /// Its name on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Functionality => "functionality",
            Self::Brief => "brief",
            Self::Detailed => "detailed",
            Self::Original => "original",
            Self::HumanLabelled => "human-labelled",
            Self::Draft => "draft",
        }
    }

    /// The word for it in options and names of folders.
    pub fn word(self) -> &'static str {
        match self {
            Self::HumanLabelled => "human",
            other => other.label(),
        }
    }
}

impl FromStr for RequirementStyle {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|style| style.word() == word);
        found.ok_or_else(|| {
            Error::user(format!("'{word}' is not a wording of a requirement")).hint(format!(
                "use one of {}",
                Self::ALL.map(Self::word).join(", ")
            ))
        })
    }
}

/// One wording of a requirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequirementText {
    /// Which of the benchmark's texts it is.
    pub style: RequirementStyle,
    /// The text as written.
    pub text: String,
    /// Of a draft, where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<DraftOrigin>,
}

impl RequirementText {
    /// Whether a model drafted the text.
    pub fn is_draft(&self) -> bool {
        self.origin.is_some()
    }

    /// A text of a benchmark.
    pub fn of_benchmark(style: RequirementStyle, text: String) -> Self {
        Self {
            style,
            text,
            origin: None,
        }
    }

    /// Its name on screen and in reviews: the style, of a draft with its model.
    pub fn name(&self) -> String {
        match &self.origin {
            Some(origin) => format!("draft of {}", origin.model),
            None => self.style.label().to_owned(),
        }
    }
}

/// What the model is asked, in natural language.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Requirement {
    /// The wordings, the benchmark's default first; empty where the record has none.
    pub texts: Vec<RequirementText>,
    /// The arguments apart, where the benchmark separates them (EvoCodeBench, DevEval).
    pub arguments: Option<String>,
}

impl Requirement {
    /// The wording of a style, or the benchmark's default one without a style; empty where the record has no text at
    /// all. An error where the record has texts, but none of the style.
    pub fn text(&self, style: Option<RequirementStyle>) -> Result<&str> {
        let of_style = |text: &&RequirementText| style.is_none_or(|style| text.style == style);
        match (self.texts.iter().find(of_style), style) {
            (Some(found), _) => Ok(&found.text),
            (None, None) => Ok(""),
            (None, Some(style)) => {
                let words: Vec<_> = self.texts.iter().map(|text| text.style.word()).collect();
                let has = match words.as_slice() {
                    [] => "the task has no requirement".to_owned(),
                    words => format!("the task has: {}", words.join(", ")),
                };
                Err(
                    Error::user(format!("the task has no {} requirement", style.label())).hint(
                        format!("leave --requirement out, or name another one; {has}"),
                    ),
                )
            }
        }
    }
}

/// Where a record says that its target is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamedTarget {
    /// The source file, from the project's root.
    pub path: Option<String>,
    /// The name inside that file: `Class.method`.
    pub qualname: Option<String>,
}

/// What is read of a task only when it is looked at.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TaskDetail {
    /// What the model is asked.
    pub requirement: Requirement,
    /// The reference dependencies as labelled.
    pub dependencies: Vec<Dependency>,
    /// The tests that decide, as pytest ids from the project's root (Python).
    pub tests: Vec<String>,
    /// Further tests that pass before and after the patches and decide too, where given (HumanEvo).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pass_to_pass: Vec<String>,
    /// The target's indentation in columns, where recorded.
    pub indent: Option<u32>,
    /// The declaration line(s), where the record holds them (HumanEvo, CoderEval).
    pub declaration: Option<String>,
    /// The developers' own code, where the record holds it (CoderEval, HumanEvo's patch).
    pub reference_code: Option<String>,
    /// The reference dependencies' names as CoderEval's oracle context lists them.
    pub oracle_context: Option<String>,
    /// The last commit before the target, where given (HumanEvo).
    pub base_commit: Option<String>,
    /// The project's version at the base commit, where given (HumanEvo).
    pub version: Option<String>,
    /// The patch that introduced the target, where given (HumanEvo).
    pub production_patch: Option<String>,
    /// The patch that introduced its tests, where given (HumanEvo).
    pub test_patch: Option<String>,
    /// What the record itself says of the target's place, as opposed to its patch (HumanEvo).
    #[serde(skip)]
    pub named: NamedTarget,
    /// The interpreter and the packages that its tests ran with, where given (HumanEvo).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<serde_json::Value>,
    /// Every other field of the record, unchanged.
    pub other: serde_json::Map<String, serde_json::Value>,
}

impl TaskDetail {
    /// Adds what another record of the same task says and this one does not: wordings of the requirement, the
    /// declaration.
    pub fn add(&mut self, other: Self) {
        let texts = &mut self.requirement.texts;
        for text in other.requirement.texts {
            if texts.iter().all(|known| known.style != text.style) {
                texts.push(text);
            }
        }
        texts.sort_by_key(|text| text.style);
        self.declaration = other.declaration.or(self.declaration.take());
        if self.tests.is_empty() {
            self.tests = other.tests;
        }
    }
}
