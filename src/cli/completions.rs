//! `evoscope completions SHELL`: prints the script with which a shell completes `evoscope` commands.

use clap_complete::Shell;

use super::Output;
use crate::error::Result;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(args: &Args, command: &mut clap::Command, out: &mut Output) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "evoscope", &mut script);
    out.document(&script)
}
