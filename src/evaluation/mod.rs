//! What happens to a completion: baseline, counter-tests, runs in a sandbox, verdict.
//!
//! (Documentation follows.)

mod baseline;
mod bytecode_cache;
mod counter_test;
mod diagnosis;
mod docker;
mod environment;
mod judge;
mod local;
mod owner;
mod project;
mod results;
mod runner;
mod sandbox;
mod schedule;
mod store;
mod subject;
mod task_runner;
mod verdict;

pub use baseline::Baseline;
pub use bytecode_cache::BytecodeCache;
pub use counter_test::{ChangedFunction, CounterTests};
pub use docker::{DockerSandbox, OWNER_LABEL, RUN_LABEL};
pub use environment::FIXTURES;
pub use environment::{
    Building, Needs, container_environment, find_needs, find_pytest, host_environment, host_python,
};
pub use local::{LocalSandbox, STAGE_COMMAND, run_stage};
pub use owner::Owner;
pub use project::{ProjectFile, ProjectFiles};
pub use results::{ResultLine, ResultOf};
pub use runner::{Failure, Outcome, SyntaxError, TestReport};
pub use sandbox::{Interpreter, Limits, Recipe, Sandbox, SandboxKind, Session, SessionEnd, Volume};
pub use schedule::{Control, Environment, Event, Plan, Settings, evaluate};
pub use store::{ContentKey, LatestVerdicts, VerdictStore};
pub use subject::{NO_CODE, Subject, Submission, completion_key, official_limits};
pub use verdict::CompletionVerdict;
