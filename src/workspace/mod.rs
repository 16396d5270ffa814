//! What is open: benchmarks, their sources, repositories and completions; settings; where state is kept on disk.

mod anchors;
mod benchmarks;
mod completions;
mod config;
mod evaluate;
pub mod filter;
mod judgement;
mod layout;
mod needs;
mod open;
mod opening;
mod places;
mod projects;
mod said;
pub mod sample;
mod sandbox_backend;
mod since;
mod source;
mod studies;
mod subjects;
mod targets;
mod verdict_store;
mod versions;

pub use anchors::Anchored;
pub use benchmarks::{OpenBenchmark, TaskRef};
pub use completions::{CompletionFile, CompletionIndex, SetCount};
pub use config::Environment;
pub use evaluate::{
    BaselineReport, Candidate, EvaluationEvent, EvaluationInput, EvaluationOptions,
    EvaluationRequest, EvaluationSummary, FileCandidates, Report, SkippedLine,
};
#[cfg(test)]
pub(crate) use judgement::sample_judgement;
pub use judgement::{
    Control, CounterTestNote, Failure, Judgement, Outcome, SandboxKind, SyntaxFault, TestReport,
    counter_test_note,
};
pub use needs::{Definition, Need, compared};
pub use open::{OpenOptions, Opening, Workspace};
pub use places::Places;
pub use sandbox_backend::StartingSandbox;
pub use since::Since;
pub use source::SourceText;
pub use studies::{Studies, Subject};
pub use subjects::Subjects;
pub use verdict_store::VerdictStore;
pub use versions::{VersionScore, version_of};

#[cfg(test)]
mod tests;
