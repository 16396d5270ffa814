//! Reviews as tables: agreement, confusion, preferences, conflicts.

use super::provenance::Provenance;
use super::table::{CellValue, Column, Table};
use crate::metrics::Confusion;
use crate::review::{Agreement, Conflict, PreferenceCounts};

/// Agreement by label: the raw share of subjects with equal labels, Cohen's kappa and Krippendorff's alpha. For two
/// annotators, kappa has an interval. For more annotators, it is the mean over all pairs, without an interval.
pub fn agreement_table(rows: &[Agreement], provenance: Provenance) -> Table {
    let columns = vec![
        Column::left("label"),
        Column::right("annotators"),
        Column::right("reviewed by two or more"),
        Column::right("reviewed by one"),
        Column::right("raw"),
        Column::right("kappa"),
        Column::right("kappa low"),
        Column::right("kappa high"),
        Column::right("alpha"),
    ];
    let mut table = Table::new("Agreement", columns, provenance);
    for row in rows {
        let ends = row.kappa_interval;
        table.row(vec![
            CellValue::Text(row.label.clone()),
            CellValue::Count(row.annotators.len() as u64),
            CellValue::Count(row.subjects as u64),
            CellValue::Count(row.single as u64),
            CellValue::maybe(row.raw, CellValue::Share),
            CellValue::maybe(row.kappa.or(row.kappa_of_pairs), CellValue::Number),
            CellValue::maybe(ends.map(|ends| ends.low), CellValue::Number),
            CellValue::maybe(ends.map(|ends| ends.high), CellValue::Number),
            CellValue::maybe(row.alpha, CellValue::Number),
        ]);
    }
    table
}

/// The confusion table of two annotators for a label: the first annotator in the rows, the second in the columns.
pub fn confusion_table(
    label: &str,
    annotators: [&str; 2],
    confusion: &Confusion,
    provenance: Provenance,
) -> Table {
    let [first, second] = annotators;
    let mut columns = vec![Column::left(format!("{first} \\ {second}"))];
    columns.extend(confusion.labels().iter().map(Column::right));
    let mut table = Table::new(format!("Confusion, {label}"), columns, provenance);
    for (name, row) in confusion.labels().iter().zip(confusion.counts()) {
        let mut cells = vec![CellValue::Text(name.clone())];
        cells.extend(row.iter().map(|count| CellValue::Count(u64::from(*count))));
        table.row(cells);
    }
    table
}

/// Wins, ties and losses, as in `EvoCodeBench`'s Table 5. Each row is (first text, second text, results of the first).
pub fn preference_table(
    rows: &[(String, String, PreferenceCounts)],
    provenance: Provenance,
) -> Table {
    let columns = vec![
        Column::left("first"),
        Column::left("second"),
        Column::right("win"),
        Column::right("tie"),
        Column::right("lose"),
        Column::right("not settled"),
    ];
    let mut table = Table::new("Preferences", columns, provenance);
    for (first, second, counts) in rows {
        table.row(vec![
            CellValue::Text(first.clone()),
            CellValue::Text(second.clone()),
            CellValue::Count(counts.win as u64),
            CellValue::Count(counts.tie as u64),
            CellValue::Count(counts.lose as u64),
            CellValue::Count(counts.open as u64),
        ]);
    }
    table
}

/// The values on which annotators disagree, and the settled value. The annotators' names are shown only in settled
/// conflicts, so that they do not influence the adjudicator.
pub fn conflict_table(conflicts: &[Conflict], provenance: Provenance) -> Table {
    let columns = vec![
        Column::left("task"),
        Column::left("label"),
        Column::left("said"),
        Column::left("settled"),
    ];
    let mut table = Table::new("Conflicts", columns, provenance);
    for conflict in conflicts {
        let said: Vec<_> = conflict
            .said
            .iter()
            .map(|(name, value)| match conflict.settled {
                Some(_) => format!("{name}: {value}"),
                None => value.clone(),
            })
            .collect();
        table.row(vec![
            CellValue::Text(conflict.task.to_string()),
            CellValue::Text(conflict.label.clone()),
            CellValue::Text(said.join(", ")),
            conflict
                .settled
                .clone()
                .map_or(CellValue::Absent, CellValue::Text),
        ]);
    }
    table
}
