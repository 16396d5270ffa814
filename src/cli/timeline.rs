//! `evoscope timeline`: compares the context at the base commit with the context at each later version.

use super::Output;
use super::cache::contexts;
use super::exclusions;
use super::open::{Input, open};
use super::retrieval::Retrieval;
use crate::context::Point;
use crate::error::{Cancel, Error, Result};
use crate::history::Spacing;
use crate::workspace::{Timeline, TimelineRequest, repository_timeline};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    retrieval: Retrieval,
    /// The id of the task, or `BENCHMARK/ID` if several benchmarks are open. Required without --repo.
    #[arg(long, value_name = "ID", conflicts_with = "repo")]
    task: Option<String>,
    /// The base commit: the last commit before the target existed. Default: the base commit of the task's record, or
    /// else the base commit that Evoscope finds in the project's history.
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The commit of the latest version. Default: `newest` of `evoscope.toml`, or HEAD.
    #[arg(long, value_name = "REV")]
    newest: Option<String>,
    /// The versions to compare: `tags` (the first release of each minor version, in order), or N commits at equal
    /// distances.
    #[arg(long, default_value = "tags", value_name = "tags|N")]
    versions: Spacing,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let timeline = if args.retrieval.names_repository() {
        of_repository(args)?
    } else {
        of_task(args)?
    };
    timeline.exclusions.iter().for_each(exclusions::print);
    let mut points = timeline.points.iter();
    points.try_for_each(|point| print(args, point, out))
}

fn of_repository(args: &Args) -> Result<Timeline> {
    let repository = args.retrieval.repository()?;
    let base = args.base.as_deref().ok_or_else(|| {
        Error::user("no base to compare with")
            .hint("name the last commit before the target existed: --base REV")
    })?;
    let newest = args.newest.as_deref().unwrap_or("HEAD");
    let request = args.retrieval.request()?;
    let cancel = Cancel::default();
    repository_timeline(&repository, request, (base, newest), args.versions, &cancel)
}

fn of_task(args: &Args) -> Result<Timeline> {
    let workspace = open(&args.input)?;
    let id = args.task.as_deref().ok_or_else(|| {
        Error::user("no task to follow")
            .hint("name one with --task ID, or a repository with --repo DIR")
    })?;
    let request = TimelineRequest {
        retrieval: Some(args.retrieval.options()?),
        base: args.base.clone(),
        newest: args.newest.clone(),
        versions: args.versions,
    };
    let contexts = contexts(args.retrieval.no_cache);
    workspace.timeline(&contexts, &request, workspace.find(id)?, &Cancel::default())
}

fn print(args: &Args, point: &Point, out: &mut Output) -> Result<()> {
    if args.retrieval.json {
        return out.json(point);
    }
    let name = point.tag.as_deref().unwrap_or_default();
    let revision = point.revision.get(..10).unwrap_or(&point.revision);
    out.line(format!(
        "{revision}  {}  {name:<14}  » leaked: at least half {:>2}, any {:>2}   = {:>2} shared with the base",
        point.date, point.leak_half, point.leak_any, point.shared_with_base
    ))
}
