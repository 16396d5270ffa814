//! `evoscope deps --oracle`: `CoderEval`'s Acc@k of the oracle context's tokens.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::Output;
use super::number;
use crate::benchmark::{CompletionSet, TokenKind};
use crate::error::{Cancel, Error, Result};
use crate::metrics::acc_at_k;
use crate::report::{CellValue, Column, Provenance, Table, TableFormat};
use crate::workspace::{OracleTallies, TaskRef, Workspace};

/// A set's line under `--json`.
#[derive(Serialize)]
struct Line<'a> {
    setting: &'a str,
    model: &'a str,
    kind: &'static str,
    tasks: usize,
    tokens: usize,
    k: BTreeMap<u32, Option<f64>>,
}

/// Prints Acc@k of every set of completions, for each kind of token and for all.
pub(super) fn run(
    workspace: &Workspace,
    wanted: &[TaskRef],
    k: &[u32],
    json: bool,
    format: TableFormat,
    out: &mut Output,
) -> Result<()> {
    let study = workspace.oracle_study(wanted, &Cancel::default())?;
    if study.sets.is_empty() {
        return Err(Error::data("no completions of tasks with an oracle context").hint(
            "open CoderEval's task records (they have the field 'oracle_context') with a file of samples",
        ));
    }
    for (set, counted) in &study.sets {
        let Some(set) = workspace.completion_sets().get(*set as usize) else {
            continue;
        };
        if json {
            lines(counted, set, k, out)?;
        } else {
            let table = table(counted, set, k, study.without);
            out.document(table.render(format).as_bytes())?;
        }
    }
    Ok(())
}

fn lines(counted: &OracleTallies, set: &CompletionSet, k: &[u32], out: &mut Output) -> Result<()> {
    for wanted in kinds() {
        let (tasks, tallies) = counted.of(wanted);
        out.json(&Line {
            setting: &set.setting,
            model: &set.model,
            kind: wanted.map_or("all", TokenKind::word),
            tasks,
            tokens: tallies.len(),
            k: k.iter().map(|&k| (k, acc_at_k(&tallies, k))).collect(),
        })?;
    }
    Ok(())
}

fn table(counted: &OracleTallies, set: &CompletionSet, k: &[u32], without: usize) -> Table {
    let (tasks, _) = counted.of(None);
    let mut provenance = Provenance::new(format!("{tasks} tasks with an oracle context"));
    provenance.notes.push(format!(
        "Acc@k: of {} samples a task, a missing one counted as without the token",
        counted.samples
    ));
    if without > 0 {
        let note =
            format!("left out: {without} tasks, no oracle context or none that names anything");
        provenance.notes.push(note);
    }
    let mut columns = vec![
        Column::left("kind"),
        Column::right("tasks"),
        Column::right("tokens"),
    ];
    columns.extend(k.iter().map(|k| Column::right(format!("Acc@{k}"))));
    let mut table = Table::new(set.to_string(), columns, provenance);
    for wanted in kinds() {
        let (tasks, tallies) = counted.of(wanted);
        let mut row = vec![
            wanted.map_or("all", TokenKind::word).into(),
            CellValue::Count(number(tasks)),
            CellValue::Count(number(tallies.len())),
        ];
        row.extend(
            k.iter()
                .map(|&k| CellValue::maybe(acc_at_k(&tallies, k), CellValue::Share)),
        );
        table.row(row);
    }
    table
}

fn kinds() -> impl Iterator<Item = Option<TokenKind>> {
    TokenKind::ALL.iter().copied().map(Some).chain([None])
}
