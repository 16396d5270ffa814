//! `evoscope sandbox-stage`: a stage of the local sandbox, which starts Evoscope itself for it. Not for users.

use crate::error::Result;
use crate::evaluation::run_stage;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which stage.
    stage: String,
    /// Its parameters, as JSON.
    staging: String,
}

/// Runs a stage. It returns only with an error: on success the process is replaced.
pub(crate) fn run(args: &Args) -> Result<()> {
    match run_stage(&args.stage, &args.staging)? {}
}
