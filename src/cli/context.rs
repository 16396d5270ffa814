//! `evoscope context`: what a model is shown, at any revision.

use super::Output;
use super::retrieval::Retrieval;
use crate::context::{Engine, Item, Listing};
use crate::error::{Cancel, Result};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    retrieval: Retrieval,
    /// The moment: a commit, a branch, a tag.
    #[arg(long, default_value = "HEAD", value_name = "REV")]
    at: String,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let request = args.retrieval.request()?;
    let snapshot = args.retrieval.repository()?.snapshot(&args.at)?;
    let engine = Engine::default();
    let listing = engine.retrieve(&request, &snapshot, &mut |_, _| {}, &Cancel::default())?;
    if args.retrieval.json {
        return out.json(&listing);
    }
    print(out, &listing, |_| " ")
}

/// A listing as a table: rank, a glyph, score, shared of union, place.
pub(super) fn print(
    out: &mut Output,
    listing: &Listing,
    glyph: fn(&Item) -> &'static str,
) -> Result<()> {
    out.line(format!(
        "{} · {} candidates",
        listing.revision, listing.candidates
    ))?;
    for item in &listing.items {
        let overlap = item.overlap.unwrap_or_default();
        let again = match item.occurrences {
            1 => String::new(),
            more => format!("  (in {more} places)"),
        };
        out.line(format!(
            "{:>4} {} {:.3}  {:>4} of {:<4}  {}:{}-{}{again}",
            item.rank,
            glyph(item),
            overlap.score(),
            overlap.shared,
            overlap.union,
            item.path,
            item.start,
            item.end,
        ))?;
    }
    Ok(())
}
