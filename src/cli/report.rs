//! `evoscope report`: a run as one self-contained HTML page.

use std::path::PathBuf;

use super::Output;
use super::score::{known_tasks, tell_faults};
use crate::error::{Error, Result};
use crate::metrics::{Dimension, Resampling, Scoring};
use crate::report::{PageOptions, Results, run_page};

/// Write result files as one HTML page that needs no network: tables that sort, charts, failures.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of results over the same tasks.
    #[arg(value_name = "RESULTS", required = true)]
    files: Vec<PathBuf>,
    /// The page to write.
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
    /// The benchmark that the results are of; its tasks are the denominator.
    #[arg(long, value_name = "PATH")]
    benchmark: Vec<PathBuf>,
    /// The page's title.
    #[arg(long, default_value = "Evoscope report")]
    title: String,
    /// Samples a task; missing ones count as failed. Without it, n is what the data has.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    n: Option<u32>,
    /// The k's of Pass@k; by default those of 1, 3, 5 and 10 that the data allows.
    #[arg(long, value_name = "K", value_delimiter = ',')]
    k: Vec<u32>,
    /// What scores are grouped by.
    #[arg(
        long,
        value_name = "DIMENSION",
        value_delimiter = ',',
        default_value = "level,domain,kind,dependency"
    )]
    by: Vec<Dimension>,
    /// The bootstrap's seed.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Put results of different benchmarks, or of different versions of one, on one page all the same.
    #[arg(long)]
    force: bool,
    /// Refuse files with a line that cannot be read.
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let results = Results::read(&args.files, known_tasks(&args.benchmark)?, args.force)?;
    let results = tell_faults(results, args.strict)?;
    let resampling = Resampling {
        seed: args.seed,
        ..Resampling::default()
    };
    let options = PageOptions {
        title: args.title.clone(),
        scoring: Scoring {
            n: args.n,
            ks: args.k.clone(),
            resampling: Some(resampling),
            ..Scoring::default()
        },
        by: args.by.clone(),
    };
    let page = run_page(&results, &options)?.html();
    std::fs::write(&args.html, page).map_err(|why| Error::io("write", &args.html, why))?;
    out.line(format!("wrote {}", args.html.display()))
}
