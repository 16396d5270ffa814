//! The nouns of the field and one reader for each official format. Pure data: no git, no terminal.

mod completion;
mod judged;
mod names;
mod span;
mod task;

pub use completion::{Completion, CompletionSet, OfficialResult, Verdict};
pub use judged::{Judged, read_judged};
pub(crate) use names::vocabulary;
pub use names::{DependencyType, Format, Language, Level, Namespace, TaskId, TaskKind};
pub use span::{LineSpan, RepoPath};
pub use task::{
    Dependency, DependencyCounts, Position, Record, Requirement, RequirementStyle, RequirementText,
    Task, TaskDetail,
};
