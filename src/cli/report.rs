//! `evoscope report`: a run as one self-contained HTML page.

use std::path::{Path, PathBuf};

use super::Output;
use super::open::{Input, open};
use super::score::{known_tasks, report_faults};
use crate::context::Setting;
use crate::error::{Cancel, Error, Result};
use crate::files::{refuse_inputs, replace};
use crate::metrics::{Dimension, Resampling, Scoring};
use crate::report::{Block, LeakageOf, PageOptions, ReportPage, Results, leakage_blocks, run_page};
use crate::workspace::{ComparisonRequest, Contexts};

/// Write result files as one HTML page that needs no network: tables that sort, charts, failures.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of results over the same tasks.
    #[arg(value_name = "RESULTS", required = true)]
    files: Vec<PathBuf>,
    /// The page to write.
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
    /// A folder to write each chart of the page into, as an SVG file of its own with its footer.
    #[arg(long, value_name = "DIR")]
    charts: Option<PathBuf>,
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
    /// A task to compare contexts for: at its base commit and in the newest tree, side by side; may be given again. Its
    /// benchmark is that of --benchmark, the built-in sample without it.
    #[arg(long = "task", value_name = "ID")]
    tasks: Vec<String>,
    /// The setting of those contexts, as `context` names it.
    #[arg(long, default_value = "retrieved", value_name = "S")]
    setting: Setting,
    /// How many failed completions of each model and setting are shown with their text, at most 10.
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,
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
    let inputs: Vec<&PathBuf> = args.files.iter().chain(&args.benchmark).collect();
    refuse_inputs(&args.html, &inputs)?;
    let results = Results::read(
        &args.files,
        known_tasks(&args.benchmark, &args.by)?,
        args.force,
    )?;
    let results = report_faults(results, args.strict)?;
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
        examples: args.examples,
    };
    let mut page = run_page(&results, &options)?;
    page.blocks.extend(leakage(args)?);
    replace(&args.html, page.html())?;
    out.line(format!("wrote {}", args.html.display()))?;
    match &args.charts {
        Some(folder) => charts(&page, folder, &inputs, out),
        None => Ok(()),
    }
}

/// Writes the charts of a page, numbered in its order and named by their titles.
fn charts(page: &ReportPage, folder: &Path, inputs: &[&PathBuf], out: &mut Output) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|why| Error::io("make", folder, why))?;
    let pictures = page.blocks.iter().filter_map(|block| match block {
        Block::Picture(picture) => Some(picture),
        _ => None,
    });
    for (number, picture) in (1..).zip(pictures) {
        let letters = picture.title().chars();
        let name: String = letters
            .map(|c| {
                if c.is_ascii_alphanumeric() {
                    c.to_ascii_lowercase()
                } else {
                    '-'
                }
            })
            .collect();
        let file = folder.join(format!("{number:02}-{}.svg", name.trim_matches('-')));
        refuse_inputs(&file, inputs)?;
        replace(&file, picture.file())?;
        out.line(format!("wrote {}", file.display()))?;
    }
    Ok(())
}

/// The chosen tasks' contexts side by side.
fn leakage(args: &Args) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    if args.tasks.is_empty() {
        return Ok(blocks);
    }
    let workspace = open(&Input {
        paths: args.benchmark.clone(),
        strict: args.strict,
    })?;
    let request = ComparisonRequest::official(args.setting, true);
    let contexts = Contexts::default();
    for id in &args.tasks {
        let task = workspace.find(id)?;
        let compared = workspace.compare(&contexts, &request, task, &Cancel::default())?;
        blocks.extend(leakage_blocks(LeakageOf {
            task: workspace.task(task).id.as_str(),
            setting: args.setting,
            found: &compared.base_found,
            comparison: &compared.comparison,
        }));
    }
    Ok(blocks)
}
