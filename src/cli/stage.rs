//! `evoscope sandbox-stage`: runs one of the two stages that set up the local sandbox. The local sandbox starts
//! Evoscope with this hidden command; users do not call it.

use crate::error::Result;
use crate::evaluation::run_stage;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The name of the stage: `outer` or `inner`.
    stage: String,
    /// The parameters of the stage, as JSON.
    staging: String,
}

/// Runs a stage. Returns only if there is an error: on success, the stage replaces or ends this process.
pub(crate) fn run(args: &Args) -> Result<()> {
    match run_stage(&args.stage, &args.staging)? {}
}
