//! `evoscope deps --levels`: each task's dependency level, worked out and labelled.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::Output;
use crate::benchmark::{Language, Level, TaskId, Verdict};
use crate::code::{Analyst, Reach, reach_of_code};
use crate::error::{Cancel, Result};
use crate::metrics::Confusion;
use crate::report::{Column, Provenance, Table, TableFormat, Value};
use crate::workspace::{Studies, TaskRef, Workspace};

/// What a level was worked out from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum From {
    /// The target in its project.
    Project,
    /// The reference code alone.
    ReferenceCode,
    /// A passing sample alone, where no reference code is at hand.
    PassingSample,
}

impl From {
    fn words(self) -> &'static str {
        match self {
            Self::Project => "the target in its project",
            Self::ReferenceCode => "the reference code alone",
            Self::PassingSample => "a passing sample alone, as no reference code is at hand",
        }
    }
}

/// A task's line under `--json`.
#[derive(Serialize)]
struct Line<'a> {
    task: &'a TaskId,
    level: Level,
    labelled: Option<Level>,
    from: From,
    reach: &'a Reach,
}

/// Prints the levels of the tasks, and how they agree with the labels.
pub(super) fn run(
    workspace: &Workspace,
    wanted: &[TaskRef],
    json: bool,
    format: TableFormat,
    out: &mut Output,
) -> Result<()> {
    let cancel = Cancel::default();
    let sources = Studies::default();
    let mut pairs = Vec::new();
    let mut origins: BTreeMap<From, usize> = BTreeMap::new();
    let mut without = 0;
    for &at in wanted {
        cancel.check()?;
        let Some((reach, from)) = reach(workspace, &sources, at, &cancel)? else {
            without += 1;
            continue;
        };
        let task = workspace.task(at);
        let level = level_like(task.level, &reach);
        *origins.entry(from).or_default() += 1;
        if json {
            out.json(&Line {
                task: &task.id,
                level,
                labelled: task.level,
                from,
                reach: &reach,
            })?;
        }
        pairs.extend(task.level.map(|labelled| (labelled.word(), level.word())));
    }
    if json {
        return Ok(());
    }
    let table = confusion(&pairs, &origins, without);
    out.bytes(table.render(format).as_bytes())
}

/// The level in the scale that the label is of; `CoderEval`'s without a label.
pub(super) fn level_like(labelled: Option<Level>, reach: &Reach) -> Level {
    match labelled {
        Some(Level::Standalone | Level::IntraClass | Level::InterClass) => reach.human_evo(),
        _ => reach.coder_eval(),
    }
}

fn reach(
    workspace: &Workspace,
    sources: &Studies,
    at: TaskRef,
    cancel: &Cancel,
) -> Result<Option<(Reach, From)>> {
    let language = workspace.task(at).language;
    if let Some(reach) = in_project(workspace, sources, at, cancel) {
        return Ok(Some((reach, From::Project)));
    }
    if let Some(code) = workspace.detail(at)?.reference_code {
        let reach = reach_of_code(language, &code, None);
        return Ok(Some((reach, From::ReferenceCode)));
    }
    let passing = workspace
        .completions(at)?
        .iter()
        .find(|completion| completion.released == Some(Verdict::Pass));
    match passing {
        Some(completion) => {
            let code = workspace.completion_text(completion)?;
            let reach = reach_of_code(language, &code, None);
            Ok(Some((reach, From::PassingSample)))
        }
        None => Ok(None),
    }
}

/// What the target reaches in its project; `None` where the sources or the target are not at hand.
fn in_project(
    workspace: &Workspace,
    sources: &Studies,
    at: TaskRef,
    cancel: &Cancel,
) -> Option<Reach> {
    workspace.source_root(at)?;
    if workspace.task(at).language == Language::Java {
        return Some(sources.java(workspace, at, cancel).ok()?.1);
    }
    let subject = sources.subject(workspace, at, cancel).ok()?;
    Analyst::new(&subject.project).reach(&subject.path, &subject.definition, None)
}

fn confusion(pairs: &[(&str, &str)], origins: &BTreeMap<From, usize>, without: usize) -> Table {
    let agreed = pairs.iter().filter(|(label, level)| label == level).count();
    let mut provenance = Provenance::new(format!("{} tasks with a labelled level", pairs.len()));
    provenance
        .notes
        .push(format!("{agreed} of {} levels agree", pairs.len()));
    for (from, count) in origins {
        provenance
            .notes
            .push(format!("{count} worked out from {}", from.words()));
    }
    if without > 0 {
        provenance.notes.push(format!(
            "left out: {without} tasks with neither sources nor a passing sample"
        ));
    }
    let confusion = Confusion::of(pairs.iter().copied());
    let mut columns = vec![Column::left("labelled, then worked out")];
    columns.extend(confusion.labels().iter().map(Column::right));
    let mut table = Table::new("Dependency levels", columns, provenance);
    for (label, counts) in confusion.labels().iter().zip(confusion.counts()) {
        let cells = counts.iter().map(|&count| Value::Count(u64::from(count)));
        table.row(
            std::iter::once(label.as_str().into())
                .chain(cells)
                .collect(),
        );
    }
    table
}
