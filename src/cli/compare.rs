//! `evoscope compare`: evolving-aware against evolving-ignored.

use super::Output;
use super::context::print;
use super::retrieval::Retrieval;
use crate::context::{Comparison, Engine, Item};
use crate::error::{Cancel, Result};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    retrieval: Retrieval,
    /// The last commit before the target.
    #[arg(long, value_name = "REV")]
    base: String,
    /// The newest commit.
    #[arg(long, default_value = "HEAD", value_name = "REV")]
    newest: String,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let request = args.retrieval.request()?;
    let repository = args.retrieval.repository()?;
    let base = repository.snapshot(&args.base)?;
    let newest = repository.snapshot(&args.newest)?;
    let cancel = Cancel::default();
    let comparison =
        Engine::default().compare(&request, &base, &newest, &mut |_, _| {}, &cancel)?;
    if args.retrieval.json {
        return out.json(&comparison);
    }
    table(out, &comparison, !request.masks.is_empty())
}

fn table(out: &mut Output, comparison: &Comparison, masked: bool) -> Result<()> {
    let counts = comparison.counts;
    out.bytes("evolving-aware    base ".as_bytes())?;
    print(out, &comparison.aware, glyph)?;
    out.bytes("\nevolving-ignored  newest ".as_bytes())?;
    print(out, &comparison.ignored, glyph)?;
    if masked {
        out.bytes("\ntarget masked     newest ".as_bytes())?;
        print(out, &comparison.ignored_masked, glyph)?;
    }
    out.line(format!(
        "\n» leaked: {} of {} by half of the lines ({} masked), {} at all ({} masked); ◎ {} overlap the target",
        counts.leak_half,
        comparison.ignored.items.len(),
        counts.masked_leak_half,
        counts.leak_any,
        counts.masked_leak_any,
        counts.target,
    ))?;
    out.line(format!(
        "« missing: {} of {} by half of the lines, {} at all",
        counts.missing_half,
        comparison.aware.items.len(),
        counts.missing_any,
    ))
}

fn glyph(item: &Item) -> &'static str {
    match item {
        item if item.target == Some(true) => "◎",
        item if item.leak_half == Some(true) => "»",
        item if item.missing_half == Some(true) => "«",
        item if item.leak_any == Some(true) || item.missing_any == Some(true) => "·",
        _ => "=",
    }
}
