//! What is open: benchmarks, their sources, repositories and completions; settings; where state is kept on disk.

mod anchors;
mod benchmarks;
mod completions;
mod config;
mod engine;
pub mod filter;
mod layout;
mod needs;
mod open;
mod opening;
mod places;
mod projects;
mod said;
pub mod sample;
mod since;
mod source;
mod studies;
mod subjects;
mod targets;
mod versions;

pub use anchors::Anchored;
pub use benchmarks::{OpenBenchmark, TaskRef};
pub use completions::{CompletionFile, CompletionIndex, SetCount};
pub use config::Environment;
pub use engine::Engine;
pub use needs::{Definition, Need, compared};
pub use open::{OpenOptions, Opening, Workspace};
pub use places::Places;
pub use since::Since;
pub use source::SourceText;
pub use studies::{Studies, Subject};
pub use subjects::Subjects;
pub use versions::{VersionScore, version_of};

#[cfg(test)]
mod tests;
