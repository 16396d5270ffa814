//! # Evoscope
//!
//! A terminal explorer and evaluator for repository-level code-generation benchmarks (EvoCodeBench, DevEval, HumanEvo,
//! CoderEval). For every task it answers five questions, side by side: what was the model asked (requirement), what
//! should it have known (reference code and its dependency paths), what was it shown (context), did what it wrote work
//! (evaluation in a sandbox), and how much of what it was shown comes from the future (evolving-aware against
//! evolving-ignored context).
//!
//! ## The house
//!
//! Each module is a room that knows only the rooms above it in this list, never those below; [`tui`] and [`cli`] are
//! two faces of the same library and know nothing of each other. `tests/integration/architecture.rs` reads the
//! `use crate::` lines and holds this.
//!
//! | room | what lives there |
//! | --- | --- |
//! | [`error`] | one error type: a kind, what happened, where (`file:line`), and a hint at the mend |
//! | [`benchmark`] | the nouns (task, requirement, dependency, completion, verdict) and one reader for each official format |
//! | [`history`] | a repository at any moment: snapshots, base commits, version tags, provenance of lines |
//! | [`code`] | what source means: parsing, outlines, imports, symbols, dependency resolution and levels, by blob id |
//! | [`context`] | what a model is shown: settings over a snapshot, prompts, the comparison of two contexts |
//! | [`environment`] | interpreters and packages: what a project needs, found and installed, on the host or in a container |
//! | [`evaluation`] | what happens to a completion: splice, sandbox, test protocol, verdict, ledger, schedule |
//! | [`metrics`] | numbers from verdicts: Pass@k, Recall@k, Acc@k, intervals, paired tests, agreement |
//! | [`review`] | what people say: judgements of requirements, failure causes, adjudication |
//! | [`workspace`] | what is open: benchmarks, sources, repositories, completions; settings; state on disk |
//! | [`report`] | tables and figures out: Markdown, CSV, LaTeX, JSON, HTML |
//! | [`cli`] | one file a subcommand |
//! | [`tui`] | state, messages, update, effects; views; keymap; theme; terminal |
//!
//! ## The way of the data
//!
//! A benchmark file becomes tasks; a task and a revision become a snapshot; a snapshot becomes symbols and chunks;
//! those become a context; two contexts become a comparison. Beside it, a completion and a task become a job, a job a
//! verdict, verdicts a table. Both ways run through the rooms in the order of the list.
//!
//! ## Principles
//!
//! 1. Nothing is checked out, nothing is touched: sources are read from git objects or folders and never written.
//! 2. Computed once per blob: parsing, chunking, token sets and symbols belong to the blob id, not to the revision.
//! 3. A verdict is earned: exit code 0 proves nothing.
//! 4. Honest numbers: every table carries its denominator and what was left out.
//! 5. The interface never waits: slow work is an effect with a ticket; latest wins.
//! 6. One table of commands feeds keys, palette, help, hints and the README's key list.
//! 7. Zero conversion: it opens the official layouts, and writes what the official scripts read.
//! 8. Plain dependencies: a well-kept library before our own code, except in what the project exists for.

// Tests inside the crate share what the tests outside of it draw with.
#[cfg(test)]
extern crate self as evoscope;

pub mod benchmark;
pub mod cli;
pub mod code;
pub mod context;
pub mod environment;
pub mod error;
pub mod evaluation;
pub mod history;
pub mod metrics;
pub mod report;
pub mod review;
pub mod tui;
pub mod workspace;
