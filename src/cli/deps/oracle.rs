//! `evoscope deps --oracle`: `CoderEval`'s Acc@k of the oracle context's tokens.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::super::Output;
use super::number;
use crate::benchmark::{CompletionSet, TokenKind, oracle_tokens};
use crate::code::identifiers;
use crate::error::{Cancel, Error, Result};
use crate::metrics::{Tally, acc_at_k};
use crate::report::{Column, Provenance, Table, TableFormat, Value};
use crate::workspace::{TaskRef, Workspace};

/// The tallies of one set's tokens.
#[derive(Default)]
struct Counted {
    tallies: Vec<(TokenKind, Tally)>,
    tasks: BTreeMap<Option<TokenKind>, BTreeSet<TaskRef>>,
}

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
    let mut sets: BTreeMap<u32, Counted> = BTreeMap::new();
    let (mut without, cancel) = (0, Cancel::default());
    for &at in wanted {
        cancel.check()?;
        let context = workspace.detail(at)?.oracle_context.unwrap_or_default();
        let tokens = oracle_tokens(&context);
        if tokens.is_empty() {
            without += 1;
            continue;
        }
        tally(workspace, at, &tokens, &mut sets)?;
    }
    if sets.is_empty() {
        return Err(Error::data("no completions of tasks with an oracle context").hint(
            "open CoderEval's task records (they have the field 'oracle_context') with a file of samples",
        ));
    }
    for (set, mut counted) in sets {
        let Some(set) = workspace.completion_sets().get(set as usize) else {
            continue;
        };
        let samples = counted.pad();
        if json {
            counted.lines(set, k, out)?;
        } else {
            let table = counted.table(set, k, samples, without);
            out.bytes(table.render(format).as_bytes())?;
        }
    }
    Ok(())
}

/// Counts, for each token and set, the samples that hold the token.
fn tally(
    workspace: &Workspace,
    at: TaskRef,
    tokens: &[(TokenKind, String)],
    sets: &mut BTreeMap<u32, Counted>,
) -> Result<()> {
    let language = workspace.task(at).language;
    let mut samples: BTreeMap<u32, Vec<BTreeSet<String>>> = BTreeMap::new();
    for completion in workspace.completions(at)? {
        let code = workspace.completion_text(completion)?;
        let held = identifiers(language, &code);
        samples.entry(completion.set).or_default().push(held);
    }
    for (set, samples) in samples {
        let counted = sets.entry(set).or_default();
        let all = u32::try_from(samples.len()).unwrap_or(u32::MAX);
        for (kind, token) in tokens {
            let holds = |held: &&BTreeSet<String>| token.split('.').all(|part| held.contains(part));
            let with = samples.iter().filter(holds).count();
            let with = u32::try_from(with).unwrap_or(u32::MAX);
            counted.tallies.push((*kind, Tally::new(all, with)));
            for kind in [Some(*kind), None] {
                counted.tasks.entry(kind).or_default().insert(at);
            }
        }
    }
    Ok(())
}

impl Counted {
    /// Counts samples that are missing as without the token; gives the number of samples.
    fn pad(&mut self) -> u32 {
        let most = self.tallies.iter().map(|(_, tally)| tally.samples);
        let samples = most.max().unwrap_or(0);
        for (_, tally) in &mut self.tallies {
            *tally = tally.padded_to(samples);
        }
        samples
    }

    fn of(&self, wanted: Option<TokenKind>) -> (usize, Vec<Tally>) {
        let tasks = self.tasks.get(&wanted).map_or(0, BTreeSet::len);
        let tallies = self.tallies.iter();
        let tallies = tallies.filter(|(kind, _)| wanted.is_none_or(|wanted| wanted == *kind));
        (tasks, tallies.map(|(_, tally)| *tally).collect())
    }

    fn lines(&self, set: &CompletionSet, k: &[u32], out: &mut Output) -> Result<()> {
        for wanted in kinds() {
            let (tasks, tallies) = self.of(wanted);
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

    fn table(&self, set: &CompletionSet, k: &[u32], samples: u32, without: usize) -> Table {
        let (tasks, _) = self.of(None);
        let mut provenance = Provenance::new(format!("{tasks} tasks with an oracle context"));
        provenance.notes.push(format!(
            "Acc@k: of {samples} samples a task, a missing one counted as without the token"
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
            let (tasks, tallies) = self.of(wanted);
            let mut row = vec![
                wanted.map_or("all", TokenKind::word).into(),
                Value::Count(number(tasks)),
                Value::Count(number(tallies.len())),
            ];
            row.extend(
                k.iter()
                    .map(|&k| Value::maybe(acc_at_k(&tallies, k), Value::Share)),
            );
            table.row(row);
        }
        table
    }
}

fn kinds() -> impl Iterator<Item = Option<TokenKind>> {
    TokenKind::ALL.iter().copied().map(Some).chain([None])
}
