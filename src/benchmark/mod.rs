//! The nouns of the field and one reader for each official format. Pure data: no git, no terminal.

mod codereval;
mod completion;
mod completions;
mod deveval;
mod diagnostic;
mod evocodebench;
mod fields;
mod humanevo;
mod judged;
mod names;
mod naming;
mod oracle;
mod parameters;
mod reader;
mod recognise;
mod records;
mod results;
mod span;
mod task;

pub use codereval::codereval_input;
pub use completion::{Completion, CompletionSet, OfficialResult, Verdict};
pub use completions::{FoundCompletion, read_completion, scan_completions, scan_samples, set_of};
pub use diagnostic::Diagnostic;
pub use evocodebench::ProjectFolders;
pub(crate) use humanevo::declared_name;
pub use judged::{Judged, read_judged};
pub(crate) use names::vocabulary;
pub use names::{DependencyType, Format, Language, Level, Namespace, TaskId, TaskKind};
pub(crate) use naming::{dotted, language_of};
pub use oracle::{TokenKind, oracle_tokens};
pub use parameters::ParameterTypes;
pub use reader::{Batch, TaskFile, read_detail, read_tasks};
pub use recognise::{FileKind, recognise};
pub(crate) use records::read_record;
pub use span::{LineSpan, RepoPath};
pub use task::{
    Dependency, DependencyCounts, NamedTarget, Position, Record, Requirement, RequirementStyle,
    RequirementText, Task, TaskDetail,
};

#[cfg(test)]
mod tests;
