//! `evoscope deps [PATH…]`: what each task's code uses of its own project.

mod around;
mod by_type;
mod levels;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rayon::prelude::*;
use serde::Serialize;

use self::around::{Around, Beside};
use self::by_type::ByType;
use super::Output;
use super::open::{Input, open, print_faults};
use crate::benchmark::{Dependency, DependencyType, Format, Language, TaskId, scan_completions};
use crate::code::{Analyst, Dependencies, Difference, FoundDependency, differences};
use crate::context::Setting;
use crate::error::{Cancel, Error, Result};
use crate::metrics::{Matches, recall, recall_at_k};
use crate::report::{Column, Provenance, Table, TableFormat, Value};
use crate::workspace::{Studies, TaskRef, Workspace};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// Only this task.
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// What these completions use in the target's place, and their Recall@k.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    completions: Vec<PathBuf>,
    /// The k's of Recall@k.
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "1")]
    k: Vec<usize>,
    /// List every name that is labelled and not found, or found and not labelled, with its cause.
    #[arg(long, conflicts_with = "completions")]
    differences: bool,
    /// Print each task's dependency level instead, worked out against labelled.
    #[arg(long, conflicts_with_all = ["completions", "differences"])]
    levels: bool,
    /// With --task and --json: whether the context of this setting shows each dependency.
    #[arg(long, value_name = "S", requires = "task")]
    setting: Option<Setting>,
    /// The tree of --setting: base, newest, or a revision of the project's repository.
    #[arg(long, value_name = "REV", default_value = "newest")]
    at: String,
    /// Print a JSON object a line.
    #[arg(long)]
    json: bool,
    /// How tables are written: text, markdown, csv, latex, json or html.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: TableFormat,
}

/// A task's line under `--json`; the names are fixed.
#[derive(Serialize)]
struct Line<'a> {
    task: &'a TaskId,
    /// The completion's 0-based place among the task's.
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<usize>,
    /// The file that the completion stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    dependencies: ByType,
    reference: ByType,
    recall: Option<f64>,
    /// False for a completion that has syntax errors in its place, or stands for 'no code found'.
    #[serde(skip_serializing_if = "Option::is_none")]
    parsed: Option<bool>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    elements: &'a [FoundDependency],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    differences: &'a [Difference],
    broken: bool,
    cut_short: bool,
    /// Of one task: what its dependencies use in turn, since when they exist, whether they are shown.
    #[serde(flatten)]
    around: Option<Around>,
    /// Of a completion: what it uses, misses and uses beyond the reference.
    #[serde(flatten)]
    beside: Option<Beside>,
}

/// A task with what its reference code uses and what it is labelled with.
struct Studied {
    at: TaskRef,
    found: Dependencies,
    labels: Vec<Dependency>,
    differences: Vec<Difference>,
}

impl Studied {
    fn labelled(&self, wanted: Option<DependencyType>) -> BTreeSet<&str> {
        names_of_type(
            self.labels
                .iter()
                .map(|label| (label.dependency_type, label.namespace.as_str())),
            wanted,
        )
    }

    fn found(&self, wanted: Option<DependencyType>) -> BTreeSet<&str> {
        found_names(&self.found, wanted)
    }
}

fn found_names(found: &Dependencies, wanted: Option<DependencyType>) -> BTreeSet<&str> {
    let names = found.found.iter();
    names_of_type(
        names.map(|found| (found.dependency_type, found.namespace.as_str())),
        wanted,
    )
}

fn names_of_type<'a>(
    names: impl Iterator<Item = (DependencyType, &'a str)>,
    wanted: Option<DependencyType>,
) -> BTreeSet<&'a str> {
    names
        .filter(|(found, _)| wanted.is_none_or(|wanted| wanted == *found))
        .map(|(_, name)| name)
        .collect()
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let workspace = open(&args.input)?;
    print_faults(&workspace);
    let cancel = Cancel::default();
    let wanted = match &args.task {
        Some(id) => vec![workspace.find(id)?],
        None => workspace.tasks().map(|(at, _)| at).collect(),
    };
    if args.levels {
        return levels::run(&workspace, &wanted, args.json, args.format, out);
    }
    let sources = Studies::default();
    let (mut studied, mut left_out) = study(&workspace, &sources, &wanted, &cancel)?;
    if args.completions.is_empty() {
        if args.json {
            return print_lines((&workspace, &sources), &studied, args, out);
        }
        if args.task.is_none() {
            keep_labelled(&workspace, &mut studied, &mut left_out);
        }
        print_table(&studied, &left_out, args, out)?;
        return if args.differences || args.task.is_some() {
            print_details(&workspace, &studied, args, out)
        } else {
            Ok(())
        };
    }
    for file in &args.completions {
        let sampled = sample(&workspace, &sources, &studied, file, &cancel)?;
        if args.json {
            print_samples(&workspace, &studied, &sampled, file, out)?;
        } else {
            print_recall(&studied, &sampled, file, args, out)?;
        }
    }
    Ok(())
}

/// Leaves out the tasks of benchmarks that label no dependencies: there is nothing to set what was found against.
fn keep_labelled(
    workspace: &Workspace,
    studied: &mut Vec<Studied>,
    left_out: &mut BTreeMap<String, usize>,
) {
    let before = studied.len();
    studied.retain(|done| {
        let format = workspace.benchmark(done.at).format();
        matches!(format, Format::EvoCodeBench | Format::DevEval)
    });
    let gone = before - studied.len();
    if gone > 0 {
        let why = "their benchmark labels no dependencies";
        left_out.insert(why.to_owned(), gone);
    }
}

/// Studies the tasks, several projects side by side; what cannot be studied is left out with its reason.
fn study(
    workspace: &Workspace,
    sources: &Studies,
    wanted: &[TaskRef],
    cancel: &Cancel,
) -> Result<(Vec<Studied>, BTreeMap<String, usize>)> {
    let mut groups: BTreeMap<(u32, &str), Vec<TaskRef>> = BTreeMap::new();
    for &at in wanted {
        let project = &*workspace.task(at).project;
        groups.entry((at.benchmark, project)).or_default().push(at);
    }
    let groups: Vec<Vec<TaskRef>> = groups.into_values().collect();
    let results: Vec<Vec<(TaskRef, Result<Studied>)>> = groups
        .par_iter()
        .map(|tasks| study_project(workspace, sources, tasks, cancel))
        .collect::<Result<_>>()?;
    let mut studied = Vec::new();
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    for (_, result) in results.into_iter().flatten() {
        match result {
            Ok(done) => studied.push(done),
            Err(why) => *left_out.entry(why.what().to_owned()).or_default() += 1,
        }
    }
    studied.sort_by_key(|done| (done.at.benchmark, done.at.task));
    Ok((studied, left_out))
}

fn study_project(
    workspace: &Workspace,
    sources: &Studies,
    tasks: &[TaskRef],
    cancel: &Cancel,
) -> Result<Vec<(TaskRef, Result<Studied>)>> {
    let Some(&first) = tasks.first() else {
        return Ok(Vec::new());
    };
    if workspace.task(first).language != Language::Python {
        let why = || Error::user("not written in Python");
        return Ok(tasks.iter().map(|&at| (at, Err(why()))).collect());
    }
    let project = match sources.project(workspace, first, cancel) {
        Ok(project) => project,
        Err(why) => {
            cancel.check()?;
            let again = || Error::data(why.what());
            return Ok(tasks.iter().map(|&at| (at, Err(again()))).collect());
        }
    };
    let analyst = Analyst::new(&project);
    tasks
        .iter()
        .map(|&at| {
            cancel.check()?;
            Ok((at, study_task(workspace, sources, &analyst, at, cancel)))
        })
        .collect()
}

fn study_task(
    workspace: &Workspace,
    sources: &Studies,
    analyst: &Analyst<'_>,
    at: TaskRef,
    cancel: &Cancel,
) -> Result<Studied> {
    let subject = sources.subject(workspace, at, cancel)?;
    let found = subject.reference(analyst);
    let labels = workspace.detail(at)?.dependencies;
    let differences = differences(analyst, &labels, &found, &subject.code());
    Ok(Studied {
        at,
        found,
        labels,
        differences,
    })
}

fn print_lines(
    (workspace, sources): (&Workspace, &Studies),
    studied: &[Studied],
    args: &Args,
    out: &mut Output,
) -> Result<()> {
    for done in studied {
        let differences: &[Difference] = if args.differences {
            &done.differences
        } else {
            &[]
        };
        let around = args.task.as_ref().map(|_| {
            let shown = args.setting.map(|setting| (setting, args.at.as_str()));
            Around::of(workspace, sources, done.at, shown, &Cancel::default())
        });
        out.json(&Line {
            task: &workspace.task(done.at).id,
            sample: None,
            file: None,
            dependencies: ByType::of_found(&done.found),
            reference: ByType::of_labels(&done.labels),
            recall: recall(&done.labelled(None), &done.found(None)),
            parsed: None,
            elements: if args.task.is_some() {
                &done.found.found
            } else {
                &[]
            },
            differences,
            broken: done.found.broken,
            cut_short: done.found.cut_short,
            around: around.transpose()?,
            beside: None,
        })?;
    }
    Ok(())
}

const TYPES: [Option<DependencyType>; 4] = [
    Some(DependencyType::IntraClass),
    Some(DependencyType::IntraFile),
    Some(DependencyType::CrossFile),
    None,
];

fn type_word(wanted: Option<DependencyType>) -> &'static str {
    wanted.map_or("all", DependencyType::word)
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn provenance(of: &str, left_out: &BTreeMap<String, usize>) -> Provenance {
    let mut provenance = Provenance::new(of);
    for (why, count) in left_out {
        provenance
            .notes
            .push(format!("left out: {count} tasks, {why}"));
    }
    provenance
}

fn print_table(
    studied: &[Studied],
    left_out: &BTreeMap<String, usize>,
    args: &Args,
    out: &mut Output,
) -> Result<()> {
    let matches = |done: &Studied, wanted| Matches::of(&done.labelled(wanted), &done.found(wanted));
    let exact = studied
        .iter()
        .filter(|done| matches(done, None).is_exact())
        .count();
    let mut provenance = provenance(&format!("{} tasks", studied.len()), left_out);
    if let Some(share) = Matches::of_exact(exact, studied.len()) {
        provenance.notes.push(format!(
            "{exact} of {} tasks have exactly the labelled set: {:.2} %",
            studied.len(),
            share * 100.0
        ));
    }
    let columns = vec![
        Column::left("type"),
        Column::right("labelled"),
        Column::right("found"),
        Column::right("both"),
        Column::right("precision"),
        Column::right("recall"),
        Column::right("F1"),
    ];
    let mut table = Table::new("Dependencies, found against labelled", columns, provenance);
    for wanted in TYPES {
        let sum = studied
            .iter()
            .map(|done| matches(done, wanted))
            .fold(Matches::default(), Matches::plus);
        table.row(vec![
            type_word(wanted).into(),
            Value::Count(sum.shared + sum.missing),
            Value::Count(sum.shared + sum.extra),
            Value::Count(sum.shared),
            Value::maybe(sum.precision(), Value::Share),
            Value::maybe(sum.recall(), Value::Share),
            Value::maybe(sum.f1(), Value::Share),
        ]);
    }
    out.bytes(table.render(args.format).as_bytes())
}

fn print_details(
    workspace: &Workspace,
    studied: &[Studied],
    args: &Args,
    out: &mut Output,
) -> Result<()> {
    for done in studied {
        let task = &workspace.task(done.at).id;
        if args.task.is_some() {
            out.line("")?;
            for found in &done.found.found {
                let lines: BTreeSet<u32> = found.uses.iter().map(|place| place.line).collect();
                let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
                out.line(format!(
                    "{}  {}  {}  used in line {}",
                    found.dependency_type,
                    found.kind,
                    found.path,
                    lines.join(", ")
                ))?;
            }
        }
        if args.differences && !done.differences.is_empty() {
            out.line("")?;
            out.line(task.as_str())?;
            for difference in &done.differences {
                let what = if difference.missing {
                    "missing"
                } else {
                    "extra"
                };
                out.line(format!(
                    "  {what}  {}  {}: {}",
                    difference.dependency_type, difference.namespace, difference.cause
                ))?;
            }
        }
    }
    Ok(())
}

/// A task's completions: for each, what it uses; `None` for one that does not parse.
type Sampled = Vec<Vec<Option<Dependencies>>>;

/// Reads the completions of a file and resolves each in the place of its target, in the order of `studied`.
fn sample(
    workspace: &Workspace,
    sources: &Studies,
    studied: &[Studied],
    file: &std::path::Path,
    cancel: &Cancel,
) -> Result<Sampled> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, done) in studied.iter().enumerate() {
        places.insert(workspace.task(done.at).id.as_str(), index);
    }
    let mut texts: Vec<Vec<String>> = vec![Vec::new(); studied.len()];
    scan_completions(
        file,
        cancel,
        |fault| eprintln!("evoscope: {fault}"),
        |found| {
            if let (Some(&index), Some(text)) = (places.get(found.task), found.text()) {
                texts[index].push(text);
            }
        },
    )?;
    studied
        .par_iter()
        .zip(&texts)
        .map(|(done, texts)| {
            cancel.check()?;
            if texts.is_empty() {
                return Ok(Vec::new());
            }
            let subject = sources.subject(workspace, done.at, cancel)?;
            Ok(texts.iter().map(|text| subject.completion(text)).collect())
        })
        .collect()
}

fn print_samples(
    workspace: &Workspace,
    studied: &[Studied],
    sampled: &Sampled,
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
            let beside = found.map(|found| Beside::of(&reference, &found_names(found, None)));
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
                broken: found.is_none(),
                cut_short: found.is_some_and(|found| found.cut_short),
                around: None,
                beside,
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

fn print_recall(
    studied: &[Studied],
    sampled: &Sampled,
    file: &std::path::Path,
    args: &Args,
    out: &mut Output,
) -> Result<()> {
    let unparsed = sampled.iter().flatten().filter(|one| one.is_none()).count();
    let all: usize = sampled.iter().map(Vec::len).sum();
    let judged = studied
        .iter()
        .zip(sampled)
        .filter(|(done, samples)| !done.labels.is_empty() && !samples.is_empty())
        .count();
    let mut provenance = Provenance::new(format!("{judged} tasks with labelled dependencies"));
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
            Value::Count(number(labelled.len())),
        ];
        for &k in &args.k {
            row.push(Value::maybe(recall_at_k(&labelled, k), Value::Share));
            row.push(Value::maybe(recall_at_k(&resolved, k), Value::Share));
        }
        row.push(Value::maybe(recall_at_k(&own, 1), Value::Share));
        table.row(row);
    }
    out.bytes(table.render(args.format).as_bytes())
}

/// The recalls of each task that has a reference and completions.
fn recalls<'s>(
    studied: &'s [Studied],
    sampled: &Sampled,
    reference: impl Fn(&'s Studied) -> BTreeSet<&'s str>,
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
