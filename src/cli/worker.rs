//! `evoscope worker`: evaluates completions of a run in a job on a cluster. The help does not list this command.

use std::path::PathBuf;

use super::interrupt::on_interrupt;
use super::output::inform;
use crate::error::Result;
use crate::workspace::{AppDirs, Control, work_on_run};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run's folder.
    #[arg(long)]
    run: PathBuf,
    /// The worker's name.
    #[arg(long)]
    name: String,
    /// How many completions run in parallel.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let control = Control::default();
    on_interrupt(&control.cancel);
    let places = AppDirs::of_user()?;
    work_on_run(
        (&args.run, &args.name, args.jobs),
        &places,
        &control,
        &mut |text| inform(text),
    )
}
