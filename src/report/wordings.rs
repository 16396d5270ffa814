//! How similar two wordings of a requirement are: `CoderEval`'s original and human-labelled requirements, `HumanEvo`'s
//! brief and detailed docstrings.

use std::collections::BTreeSet;

use super::statistics::{mean, share};
use super::{CellValue, Column, Provenance, Table};
use crate::benchmark::RequirementText;
use crate::context::tokens_of;
use crate::error::{Cancel, Result};
use crate::workspace::{TaskRef, Workspace};

/// A table for each open benchmark that has tasks with two wordings. The columns are the share of tasks with equal
/// texts, the Jaccard similarity of the two texts' words, and the lengths of the texts in `cl100k_base` tokens.
/// Similarities and lengths are means over the tasks with two wordings. A word is a maximal run of letters, digits and
/// `_`, in lower case.
///
/// # Errors
/// When a record cannot be read, or when cancelled.
pub fn wording_tables(workspace: &Workspace, cancel: &Cancel) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for (benchmark, open) in (0u32..).zip(workspace.benchmarks()) {
        let mut pairs = Vec::new();
        for (task, _) in (0u32..).zip(open.tasks()) {
            cancel.check()?;
            let requirement = workspace.detail(TaskRef { benchmark, task })?.requirement;
            pairs.extend(<[RequirementText; 2]>::try_from(requirement.texts));
        }
        if !pairs.is_empty() {
            tables.push(table(open.name(), open.tasks().len(), &pairs));
        }
    }
    Ok(tables)
}

fn table(name: &str, tasks: usize, pairs: &[[RequirementText; 2]]) -> Table {
    let style = |at: usize| pairs.first().map_or("", |pair| pair[at].style.word());
    let columns = vec![
        Column::left("wordings"),
        Column::right("tasks"),
        Column::right("equal %"),
        Column::right("shared words %"),
        Column::right(format!("{} tokens", style(0))),
        Column::right(format!("{} tokens", style(1))),
    ];
    let mut provenance = Provenance::new(format!("{} tasks with both wordings", pairs.len()));
    provenance.notes.push(format!(
        "{} tasks have one wording only; shared words: the share of all words of the two texts that are in both texts, \
         as a mean over tasks",
        tasks - pairs.len()
    ));
    let mut table = Table::new(format!("Wordings of {name}"), columns, provenance);
    let tokens = |at: usize| mean(pairs.iter().map(|pair| tokens_of(&pair[at].text)));
    let shared: f64 = pairs.iter().map(shared_words).sum();
    table.row(vec![
        CellValue::Text(format!("{} and {}", style(0), style(1))),
        CellValue::Count(pairs.len() as u64),
        share(
            pairs
                .iter()
                .map(|[one, other]| one.text.trim() == other.text.trim()),
        ),
        CellValue::Share(shared / f64::from(u32::try_from(pairs.len()).unwrap_or(u32::MAX))),
        tokens(0),
        tokens(1),
    ]);
    table
}

/// The Jaccard similarity of the two texts' words: the number of words in both texts, divided by the number of distinct
/// words in the two texts together. 1 if neither text has words.
fn shared_words([one, other]: &[RequirementText; 2]) -> f64 {
    let (one, other) = (words(&one.text), words(&other.text));
    let count = |length: usize| f64::from(u32::try_from(length).unwrap_or(u32::MAX));
    match one.union(&other).count() {
        0 => 1.0,
        all => count(one.intersection(&other).count()) / count(all),
    }
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::RequirementStyle;

    fn pair(original: &str, human: &str) -> [RequirementText; 2] {
        let text = |style, text: &str| RequirementText {
            style,
            text: text.to_owned(),
            origin: None,
        };
        [
            text(RequirementStyle::Original, original),
            text(RequirementStyle::HumanLabelled, human),
        ]
    }

    #[test]
    fn words_count_once_in_lower_case() {
        let shared = |one, other| shared_words(&pair(one, other));
        assert!((shared("Trim the text, the_text!", "trim THE words") - 0.4).abs() < 1e-12);
        assert!((shared("", " ") - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_row_has_means_over_the_tasks_with_both_wordings() {
        let pairs = [pair("Add one.", "Add one.\n"), pair("a b", "c d")];
        let shown = table("b", 3, &pairs).render(crate::report::TableFormat::Text);
        let row = shown.lines().find(|line| line.starts_with("original and"));
        let cells: Vec<&str> = row.unwrap().split_whitespace().collect();
        assert_eq!(cells[..3], ["original", "and", "human"]);
        assert_eq!(cells[3..6], ["2", "50.00", "50.00"], "{shown}");
        assert!(shown.contains("1 tasks have one wording only"), "{shown}");
    }
}
