//! `evoscope deps --completions`: what completions use in the target's place, and their Recall@k.

use std::collections::BTreeSet;

use super::super::Output;
use super::dependency_tree::NameComparison;
use super::{Args, ByType, Line, TYPES, number, type_word};
use crate::benchmark::DependencyType;
use crate::code::Dependencies;
use crate::error::Result;
use crate::metrics::{recall, recall_at_k};
use crate::report::{CellValue, Column, Provenance, Table};
use crate::workspace::{CompletionUses, StudiedTask, Workspace, found_names};

pub(super) fn print_samples(
    workspace: &Workspace,
    studied: &[StudiedTask],
    sampled: &CompletionUses,
    file: &std::path::Path,
    out: &mut Output,
) -> Result<()> {
    let file = file.to_string_lossy();
    for (done, samples) in studied.iter().zip(sampled) {
        let labelled = done.labelled(None);
        for (index, sample) in samples.iter().enumerate() {
            let found = sample.as_ref();
            let mut reference = labelled.clone();
            reference.extend(done.found(None));
            let names =
                found.map(|found| NameComparison::of(&reference, &found_names(found, None)));
            out.json(&Line {
                task: &workspace.task(done.at).id,
                sample: Some(index),
                file: Some(&file),
                dependencies: found.map(ByType::of_found).unwrap_or_default(),
                reference: ByType::of_labels(&done.labels),
                recall: recall_of(&labelled, found, None),
                parsed: Some(found.is_some()),
                elements: &[],
                differences: &[],
                level: None,
                reach: None,
                broken: found.is_none(),
                cut_short: found.is_some_and(|found| found.cut_short),
                tree: None,
                names,
            })?;
        }
    }
    Ok(())
}

/// The recall of one completion; zero when it does not parse.
fn recall_of(
    reference: &BTreeSet<&str>,
    found: Option<&Dependencies>,
    wanted: Option<DependencyType>,
) -> Option<f64> {
    let generated = found
        .map(|found| found_names(found, wanted))
        .unwrap_or_default();
    recall(reference, &generated)
}

pub(super) fn print_recall(
    studied: &[StudiedTask],
    sampled: &CompletionUses,
    file: &std::path::Path,
    args: &Args,
    out: &mut Output,
) -> Result<()> {
    let unparsed = sampled.iter().flatten().filter(|one| one.is_none()).count();
    let all: usize = sampled.iter().map(Vec::len).sum();
    let labelled_tasks = studied
        .iter()
        .zip(sampled)
        .filter(|(done, samples)| !done.labels.is_empty() && !samples.is_empty())
        .count();
    let mut provenance =
        Provenance::new(format!("{labelled_tasks} tasks with labelled dependencies"));
    provenance.notes.push(format!(
        "{all} completions, {unparsed} of them without code that parses in its place (recall 0)"
    ));
    provenance
        .notes
        .push("Recall@k: the best of a task's first k completions, in their order".to_owned());
    let mut columns = vec![Column::left("type"), Column::right("tasks")];
    for k in &args.k {
        columns.push(Column::right(format!("Recall@{k}")));
        columns.push(Column::right(format!("Recall@{k}, resolved")));
    }
    columns.push(Column::right("reference code"));
    let mut table = Table::new(file.to_string_lossy(), columns, provenance);
    for wanted in TYPES {
        let labelled: Vec<Vec<f64>> =
            recalls(studied, sampled, |done| done.labelled(wanted), wanted);
        let resolved: Vec<Vec<f64>> = recalls(studied, sampled, |done| done.found(wanted), wanted);
        let own: Vec<Vec<f64>> = studied
            .iter()
            .zip(sampled)
            .filter(|(_, samples)| !samples.is_empty())
            .filter_map(|(done, _)| recall_of(&done.labelled(wanted), Some(&done.found), wanted))
            .map(|recall| vec![recall])
            .collect();
        let mut row = vec![
            type_word(wanted).into(),
            CellValue::Count(number(labelled.len())),
        ];
        for &k in &args.k {
            row.push(CellValue::maybe(
                recall_at_k(&labelled, k),
                CellValue::Share,
            ));
            row.push(CellValue::maybe(
                recall_at_k(&resolved, k),
                CellValue::Share,
            ));
        }
        row.push(CellValue::maybe(recall_at_k(&own, 1), CellValue::Share));
        table.row(row);
    }
    out.document(table.render(args.format).as_bytes())
}

/// The recalls of each task that has a reference and completions.
fn recalls<'s>(
    studied: &'s [StudiedTask],
    sampled: &CompletionUses,
    reference: impl Fn(&'s StudiedTask) -> BTreeSet<&'s str>,
    wanted: Option<DependencyType>,
) -> Vec<Vec<f64>> {
    studied
        .iter()
        .zip(sampled)
        .filter(|(_, samples)| !samples.is_empty())
        .filter_map(|(done, samples)| {
            let reference = reference(done);
            samples
                .iter()
                .map(|sample| recall_of(&reference, sample.as_ref(), wanted))
                .collect::<Option<Vec<f64>>>()
        })
        .collect()
}
