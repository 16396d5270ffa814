//! `evoscope timeline`: the evolving-ignored context at every version from base to newest.

use super::Output;
use super::cache::Engines;
use super::left_out;
use super::moment::{base_of, snapshot_at, target_masks};
use super::open::{Input, open};
use super::retrieval::Retrieval;
use crate::context::{Engine, Mask, Moment, Point, Request};
use crate::error::{Cancel, Error, Result};
use crate::history::{Repository, Snapshot, Spacing};
use crate::workspace::{TaskRef, Workspace};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    retrieval: Retrieval,
    /// The task: its id, after its benchmark's name and a slash where several are open.
    #[arg(long, value_name = "ID", conflicts_with = "repo")]
    task: Option<String>,
    /// The last commit before the target. Found in the history where a task does not give it.
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The newest commit.
    #[arg(long, value_name = "REV")]
    newest: Option<String>,
    /// Which versions: tags (releases in order, patch releases left out) or so many commits, evenly spaced.
    #[arg(long, default_value = "tags", value_name = "tags|N")]
    versions: Spacing,
}

/// What is asked at every version, and who knows where the target stands there.
struct Question<'a> {
    request: Request,
    repository: &'a Repository,
    base: Snapshot,
    newest: Snapshot,
    masks: &'a dyn Fn(&Snapshot) -> Result<Vec<Mask>>,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let engine = Engines::new(args.retrieval.no_cache).engine();
    if !args.retrieval.names_repository() {
        let workspace = open(&args.input)?;
        let id = args.task.as_deref().ok_or_else(|| {
            Error::user("no task to follow")
                .hint("name one with --task ID, or a repository with --repo DIR")
        })?;
        return of_task(args, &workspace, &engine, workspace.find(id)?, out);
    }
    let repository = args.retrieval.repository()?;
    let base = args.base.as_deref().ok_or_else(|| {
        Error::user("no base to compare with")
            .hint("name the last commit before the target: --base REV")
    })?;
    let request = args.retrieval.request()?;
    let given = request.masks.clone();
    let question = Question {
        base: repository.snapshot(base)?,
        newest: repository.snapshot(args.newest.as_deref().unwrap_or("HEAD"))?,
        request,
        repository: &repository,
        masks: &|_| Ok(given.clone()),
    };
    follow(args, &engine, &question, out)
}

fn of_task(
    args: &Args,
    workspace: &Workspace,
    engine: &Engine,
    task: TaskRef,
    out: &mut Output,
) -> Result<()> {
    let cancel = Cancel::default();
    let base = match &args.base {
        Some(base) => base.clone(),
        None => base_of(workspace, engine, task, &cancel)?
            .commit
            .to_string(),
    };
    let at = |name: &str| snapshot_at(workspace, engine, task, name, &cancel);
    let newest = at(args.newest.as_deref().unwrap_or("newest"))?;
    let repository = newest.repository().cloned().ok_or_else(|| {
        Error::data("a folder has no versions")
            .hint("name the project's repository in evoscope.toml")
    })?;
    let target = workspace.target(task)?;
    let masks = target_masks(workspace, engine, task, &newest)?;
    let retrieval = args.retrieval.of_task(target.language)?;
    let question = Question {
        request: Request {
            pool: retrieval.pool,
            rank: retrieval.rank,
            query: target.query,
            top: retrieval.top,
            masks,
        },
        base: at(&base)?,
        newest,
        repository: &repository,
        masks: &|snapshot| target_masks(workspace, engine, task, snapshot),
    };
    follow(args, engine, &question, out)
}

fn follow(args: &Args, engine: &Engine, question: &Question, out: &mut Output) -> Result<()> {
    let cancel = Cancel::default();
    let ends = question.base.commit().zip(question.newest.commit());
    let Some((from, to)) = ends else {
        return Err(Error::user("a folder has no versions").hint("name commits as base and newest"));
    };
    let versions = question
        .repository
        .versions(from, to, args.versions, &cancel)?;
    let moments: Vec<Moment> = versions
        .into_iter()
        .map(|version| {
            let snapshot = question.repository.snapshot_of(version.commit)?;
            let masks = (question.masks)(&snapshot)?;
            Ok(Moment {
                version,
                snapshot,
                masks,
            })
        })
        .collect::<Result<_>>()?;
    let mut points = Vec::new();
    let mut keep = |point| points.push(point);
    let (request, base) = (&question.request, &question.base);
    engine.timeline(request, base, &moments, &mut keep, &mut |_, _| {}, &cancel)?;
    left_out::say(engine, request.pool, base)?;
    left_out::say(engine, request.pool, &question.newest)?;
    points.iter().try_for_each(|point| print(args, point, out))
}

fn print(args: &Args, point: &Point, out: &mut Output) -> Result<()> {
    if args.retrieval.json {
        return out.json(point);
    }
    let name = point.tag.as_deref().unwrap_or_default();
    let revision = point.revision.get(..10).unwrap_or(&point.revision);
    out.line(format!(
        "{revision}  {}  {name:<14}  » {:>2} by half, {:>2} at all   = {:>2} shared with the base",
        point.date, point.leak_half, point.leak_any, point.shared_with_base
    ))
}
