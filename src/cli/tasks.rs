//! `evoscope tasks [PATH…]`: the tasks, a line each.

use serde::Serialize;

use super::Output;
use super::open::{Input, open, print_faults};
use crate::benchmark::{DependencyCounts, Level, LineSpan, RepoPath, Task, TaskId, TaskKind};
use crate::code::AnchorState;
use crate::error::{Cancel, Result};
use crate::workspace::{Anchored, TaskRef, Workspace};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// Print a JSON object a line.
    #[arg(long)]
    json: bool,
}

/// A task as `--json` prints it; the names are fixed.
#[derive(Serialize)]
pub(crate) struct TaskLine<'a> {
    benchmark: &'a str,
    task: &'a TaskId,
    namespace: &'a str,
    project: &'a str,
    kind: TaskKind,
    path: &'a RepoPath,
    level: Option<Level>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<&'a str>,
    language: crate::benchmark::Language,
    dependencies: DependencyCounts,
    /// Null where the project's sources are not at hand.
    anchor: Option<AnchorState>,
    signature: Option<LineSpan>,
    body: Option<LineSpan>,
}

impl<'a> TaskLine<'a> {
    pub(crate) fn of(workspace: &'a Workspace, at: TaskRef, anchored: &Anchored) -> Self {
        let task: &Task = workspace.task(at);
        Self {
            benchmark: workspace.benchmark(at).name(),
            task: &task.id,
            namespace: task.namespace.as_str(),
            project: &task.project,
            kind: task.kind,
            path: &task.path,
            level: task.level,
            domain: task.domain.as_deref(),
            language: task.language,
            dependencies: task.dependencies,
            anchor: anchored.state,
            signature: anchored.position.map(|found| found.signature),
            body: anchored.position.map(|found| found.body),
        }
    }
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let workspace = open(&args.input)?;
    let cancel = Cancel::default();
    for (benchmark, open) in (0u32..).zip(workspace.benchmarks()) {
        let anchors = workspace.anchors(benchmark, &cancel)?;
        for (task, anchored) in (0u32..).zip(&anchors) {
            let line = TaskLine::of(&workspace, TaskRef { benchmark, task }, anchored);
            if args.json {
                out.json(&line)?;
            } else {
                out.line(format!("{}  {}", line.task, open.name()))?;
            }
        }
        for fault in anchors
            .iter()
            .filter_map(|anchored| anchored.fault.as_ref())
        {
            eprintln!("evoscope: {fault}");
        }
    }
    print_faults(&workspace);
    if !args.json {
        for line in workspace.recognised() {
            out.line(line)?;
        }
    }
    Ok(())
}
