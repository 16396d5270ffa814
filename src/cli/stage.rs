//! `evoscope sandbox-stage`: what the local sandbox runs itself as. Not for users.

use crate::error::Result;
use crate::evaluation::run_stage;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which stage.
    stage: String,
    /// What it is told, as JSON.
    staging: String,
}

/// Runs a stage, which only comes back to tell what failed.
pub(crate) fn run(args: &Args) -> Result<()> {
    match run_stage(&args.stage, &args.staging)? {}
}
