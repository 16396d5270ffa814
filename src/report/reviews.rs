//! What people say, as tables: agreement, confusion, preferences, conflicts, progress.

use super::provenance::Provenance;
use super::table::{Column, Table, Value};
use crate::metrics::Confusion;
use crate::review::{Agreement, Conflict, PreferenceCounts};

/// Agreement by label: raw, Cohen's kappa (of two annotators with its interval, of more as the mean over their pairs),
/// Krippendorff's alpha.
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
            Value::Text(row.label.clone()),
            Value::Count(row.annotators.len() as u64),
            Value::Count(row.subjects as u64),
            Value::Count(row.single as u64),
            Value::maybe(row.raw, Value::Share),
            Value::maybe(row.kappa.or(row.kappa_of_pairs), Value::Number),
            Value::maybe(ends.map(|ends| ends.low), Value::Number),
            Value::maybe(ends.map(|ends| ends.high), Value::Number),
            Value::maybe(row.alpha, Value::Number),
        ]);
    }
    table
}

/// The confusion table of two annotators under a label: the first down, the second across.
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
        let mut cells = vec![Value::Text(name.clone())];
        cells.extend(row.iter().map(|count| Value::Count(u64::from(*count))));
        table.row(cells);
    }
    table
}

/// Win, tie and lose of one text against another, as in `EvoCodeBench`'s Table 5.
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
            Value::Text(first.clone()),
            Value::Text(second.clone()),
            Value::Count(counts.win as u64),
            Value::Count(counts.tie as u64),
            Value::Count(counts.lose as u64),
            Value::Count(counts.open as u64),
        ]);
    }
    table
}

/// What annotators disagree on, and what was settled. Names are shown once a conflict is settled, so that the person who
/// settles it decides by the values.
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
            Value::Text(conflict.task.to_string()),
            Value::Text(conflict.label.clone()),
            Value::Text(said.join(", ")),
            conflict.settled.clone().map_or(Value::Absent, Value::Text),
        ]);
    }
    table
}
