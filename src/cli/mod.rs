//! The command line: one file a subcommand, everything that the screens can do, with `--json`.
//!
//! One definition (clap's, below) serves parsing, help, the man page and shell completions.

mod cache;
mod clustering;
mod columns;
mod compare;
mod completions;
mod context;
mod deps;
mod evaluate;
mod evolution;
mod exclusions;
mod explore;
mod generate;
mod generating;
mod interrupt;
mod man;
mod open;
mod output;
mod report;
mod retrieval;
mod review;
mod sandboxing;
mod score;
mod show;
mod stage;
mod statistics;
mod study;
mod tasks;
mod theme;
mod timeline;
mod worker;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::error::Result;
pub use output::Output;

/// A terminal explorer and evaluator for repository-level code-generation benchmarks.
///
/// Without a command, opens the explorer on PATH, or on the built-in sample when no path is given.
#[derive(Debug, Parser)]
#[command(name = "evoscope", version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    explore: explore::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    Cache(cache::Args),
    /// Compare what a model is shown at the base commit with what the newest tree shows.
    Compare(compare::Args),
    /// Print what a model is shown: a context setting at any revision.
    Context(context::Args),
    /// Print a shell's completion script.
    Completions(completions::Args),
    Demo(explore::DemoArgs),
    /// What each task's code uses of its own project, found against labelled; Recall@k of completions.
    Deps(deps::Args),
    /// Run completions in a sandbox and give each its verdict.
    Evaluate(evaluate::Args),
    /// Ask a model server for completions, and store each one as it comes.
    Generate(generate::Args),
    Evolution(evolution::Args),
    /// Print the manual page.
    Man(man::Args),
    Report(report::Args),
    Review(review::Args),
    Score(score::Args),
    /// Print one task: requirement, reference code, dependency paths, completions.
    Show(show::Args),
    #[command(name = "sandbox-stage", hide = true)]
    Stage(stage::Args),
    Statistics(statistics::Args),
    Study(study::Args),
    /// List the tasks, with the position of each target in its source.
    Tasks(tasks::Args),
    /// Follow what a model is shown through the versions from base to newest.
    Timeline(timeline::Args),
    /// Check, list and show themes.
    Theme(theme::Args),
    #[command(hide = true)]
    Worker(worker::Args),
}

/// Parses the process's arguments, runs the command, reports an error with its hint, and gives the exit code.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return output::refuse(&error),
    };
    let mut out = Output::stdout();
    match dispatch(cli, &mut out).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::report(&error),
    }
}

fn dispatch(cli: Cli, out: &mut Output) -> Result<()> {
    match cli.command {
        Some(Command::Cache(args)) => cache::run(&args, out),
        Some(Command::Compare(args)) => compare::run(&args, out),
        Some(Command::Context(args)) => context::run(&args, out),
        Some(Command::Completions(args)) => completions::run(&args, &mut Cli::command(), out),
        Some(Command::Demo(args)) => explore::demo(args),
        Some(Command::Deps(args)) => deps::run(&args, out),
        Some(Command::Evaluate(args)) => evaluate::run(&args, out),
        Some(Command::Generate(args)) => generate::run(&args, out),
        Some(Command::Evolution(args)) => evolution::run(&args, out),
        Some(Command::Man(args)) => man::run(&args, &Cli::command(), out),
        Some(Command::Report(args)) => report::run(&args, out),
        Some(Command::Review(args)) => review::run(&args, out),
        Some(Command::Score(args)) => score::run(&args, out),
        Some(Command::Show(args)) => show::run(&args, out),
        Some(Command::Stage(args)) => stage::run(&args),
        Some(Command::Statistics(args)) => statistics::run(&args, out),
        Some(Command::Study(args)) => study::run(&args, out),
        Some(Command::Tasks(args)) => tasks::run(&args, out),
        Some(Command::Theme(args)) => theme::run(&args, out),
        Some(Command::Timeline(args)) => timeline::run(&args, out),
        Some(Command::Worker(args)) => worker::run(&args),
        None => explore::run(cli.explore, &Cli::command()),
    }
}
