//! What happens to a completion: splice, sandbox, test protocol, verdict, ledger, schedule.
//!
//! A [`Subject`] is a task made ready, a [`Submission`] a completion for it. [`evaluate`] runs a [`Plan`] of them in a
//! [`Sandbox`]: each body is spliced among the project's files inside the sandbox, where a warm interpreter (the
//! warden, `python/warden.py`) forks a process that runs the task's tests under pytest and reports each one
//! (`python/judge.py`). The protocol decides what the reports mean; every verdict goes to the [`Ledger`].

mod counter;
mod docker;
mod environment;
mod ledger;
mod local;
mod owner;
mod program;
mod project;
mod protocol;
mod results;
mod sandbox;
mod schedule;
mod subject;
mod unfit;
mod verdict;
mod warden;

pub use counter::Mutant;
pub use docker::{DockerSandbox, OWNER_LABEL, RUN_LABEL};
pub use environment::{
    Building, Needs, container_environment, find_needs, find_pytest, host_environment, host_python,
};
pub use ledger::{Latest, Ledger, LedgerKey};
pub use local::{LocalSandbox, STAGE_COMMAND, run_stage};
pub use owner::Owner;
pub use project::{ProjectFile, ProjectFiles};
pub use protocol::Footing;
pub use results::{ResultLine, ResultOf};
pub use sandbox::{Ending, Interpreter, Limits, Recipe, Sandbox, SandboxKind, Session, Volume};
pub use schedule::{Control, Environment, Event, Plan, Settings, evaluate};
pub use subject::{NO_CODE, Subject, Submission, completion_key, official_limits};
pub use verdict::{CounterTest, Judgement, SyntaxFault};
pub use warden::{CompiledFile, Failure, Outcome, OwnFile, TestReport};
