//! What happens to a completion: splice, sandbox, test protocol, verdict, ledger, schedule.
//!
//! A [`Subject`] is a task made ready, a [`Submission`] a completion for it. [`evaluate`] runs a [`Plan`] of them in a
//! [`Sandbox`]: each body is spliced among the project's files inside the sandbox, where a warm interpreter (the
//! warden, `python/warden.py`) forks a process that runs the task's tests under pytest and reports each one
//! (`python/judge.py`). The protocol decides what the reports mean; every verdict goes to the [`Ledger`].
//!
//! Python and pytest, and each environment's libraries, are looked for and read once: the ledger keeps the code of every
//! module that a session has loaded, and later sessions take it from standard input (`python/boot.py`,
//! `python/carried.py`), which takes half the time where the sandbox's root is a file system of the user's space. In the
//! local sandbox each module's file is held against its size and time first.
//!
//! ## No run knows that it is the second
//!
//! A completion that passes is run again with the counter-test, and one that can tell this run from the first passes
//! unjustly: it gives what the test expects, but for that run. So nothing of a run is left where the next could find it.
//! What it wrote is taken away and held against digests (`python/scratch.py`). What no wiping resets, counters that the
//! kernel keeps for the session, is watched (`python/traces.py`): process numbers, the numbers of files in the scratch
//! space, the ids of System V objects, packets, when the project's files and folders were changed, how the processes
//! that stay are scheduled and limited; and who opens the files in which their times, the control group's memory and
//! the machine's counters stand. A run that has moved any of it as no run of the reference has (a counter-test's: as
//! none of the reference's with the same changes, either), or has opened such a file, counts for nothing by itself: the
//! tests and the counter-test are then each run first in a new session, the order drawn by lot, and
//! [`Judgement::own_sessions`] says so; with `fresh` they always are. Each counter is moved on by a random number
//! between the runs, so that it cannot be known ahead either, and no run is shown another process's clock. For one
//! completion in 64, drawn by lot, the counter-test is run first.
//!
//! Nor is it told by what it is given: every run of a task asks for the task's own list, and brings the files of its tests,
//! changed or not, with what they compile to. The warden never has them.
//!
//! Runs are forked, so that a run may read the memory of the process that it comes from (the branch), and what was freed
//! there. Nothing that a run could choose passes through it: another process, the ear (`python/ear.py`), hears what runs
//! print and report, watches them, tells the driver, and takes away what they wrote. The branch hands a run's pipes over
//! to it, and the kernel's word on how the run ended; from the ear it has one bit back, whether the project's files are
//! as they came. What the branch still sees of a run is its process number, and the order that it was told: that is the same
//! text for every run of a task, without so much as the length of a file, is read anew for each run, the first of a seed too,
//! and is wiped when it is freed, where the C library can.
//!
//! The numbers that pipes and sockets get are counted for the whole machine, so that a new session hides nothing of them. A
//! run that has used many more than the rest of the machine is thought to use in its time (4,096, and 16,384 a second) is
//! heard anew, each pair's order drawn by lot, until a pair has not, up to twelve times: it may know which run of a pair is
//! the second, but not which is the counter-test. Mostly the rest of the machine has used them, and the second pair is the
//! last. Before a run that follows another of the same completion, each processor's number is moved on by lot, about as far as
//! the run before may have moved any: two draws, each of up to that and 16 more, so that of a place that it could have left the
//! number at, hardly a twentieth still shows; past a third of the batch of 1,024 that the kernel gives a processor, one draw of
//! a whole batch. Of more than four processors, four are looked at and moved, and more is left to the rest of the machine. A
//! run that opens a file in which the machine shows its counts (`/proc/stat`), as none of the reference's does, is heard
//! anew too.
//!
//! Nor does a new session hide what lies in the machine's memory of files since a run has read it from storage. What would ask
//! for that without reading, or take it out again, is refused to every run (`python/refused.py`): flags of `preadv2`,
//! `mincore`, `cachestat`, `io_uring`, `io_setup`, `openat2`, `posix_fadvise` and `madvise` where they let pages go; and the
//! numbers that sockets are counted by (`SO_COOKIE`), and files in memory by (`memfd_create`; those of shared mappings
//! are left, which a process finds in its own `maps`). A run that waits for a file, and sees that it does, still learns it: one
//! that the kernel has counted reads from storage of, or waits for a page, is heard anew in the same way. The kernel does not
//! always count what further processes fetch as the run's, nor what a process fetches that keeps a file system: where a run has
//! had such processes, or some file system is of that sort, the machine's counts (`/proc/vmstat`) stand for its own. In a
//! session of its own a wait without a read says nothing, since its page came from the machine's memory. Not seen is how long
//! a `read` takes where a file system of the user's space has the file at hand.
//!
//! A counter-test counts as failed only where all changed tests were reported as failed, as right code's are. A run that a
//! limit has ended before says nothing: the pair is heard anew in sessions of its own, twice at most. So does one that has ended
//! itself, which right code hardly does: it is heard anew up to twelve times.
//!
//! ## What is left to chance
//!
//! A completion that draws lots between giving what is expected and failing passes one pair in four, as no number of runs
//! can rule out. [`Settings::pairs`] hears each pass in so many pairs, all of which must agree: a guesser passes 4^-N of the
//! time. From the second pair on the order is drawn by lot, so that whoever only knows which run of a pair is the second
//! passes 2^-(N-1) of the time, whatever they know it by.
//!
//! Each counter-test is tried on a body that is equal to everything, where that passes the task's own tests; a change that it
//! fails is taken only where no other is found. It is tried on the stub too: where a test fails by its change before the stub
//! is called, every code fails it, and another claim is sought. One claim of a test is changed, and what else the test
//! claims is left out, so that nothing tells of the value as it was. So code that is right where the change falls, and gives
//! what is equal to everything elsewhere, passes: the claim is drawn by lot, once for a task. Code that knows a counter-test's
//! looks escapes it too: an expected name is bound to a pair where its value is written out nowhere, as hardly an author would
//! write; and code that takes what is expected from pytest's own items then, or from the id of a test whose list names single
//! sets of parameters.
//!
//! That is the answer too to what is counted or kept for the whole machine and is not watched: few numbers of pipes, sockets,
//! files in memory and processes, which names were looked up and so how long that takes, the machine's load. With one pair,
//! about one in 64 completions that use those is told as tampered.

mod counter;
#[allow(dead_code, unused_imports)]
mod counter_test;
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
