//! `evoscope score`: prints Pass@k of result files, with intervals and groups, and reports what the scores exclude.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::Output;
use super::output::{lost, warn};
use crate::benchmark::CompletionSet;
use crate::context::{Comparison, Setting};
use crate::error::{Cancel, Error, Kind, Result};
use crate::files::refuse_inputs;
use crate::metrics::{
    Dimension, Group, Pairing, Resampling, Score, Scoring, Series, created_group,
};
use crate::report::{
    Dataset, KnownTasks, Provenance, Results, Table, TableFormat, VERSION, breakdown_table,
    group_rows, reduced_note, requirement_words, rows_with_missing_samples, score_table,
    series_name,
};
use crate::workspace::{ComparisonRequest, Contexts, OpenOptions, Workspace};

/// Print Pass@k of result files: official results, CoderEval's released samples, or results of Evoscope.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Result files. Each is scored separately.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Compare each FILE with the result file OTHER, task by task. The table counts the tasks solved in both files,
    /// only one file or neither file. It also has the relative drop in the share of solved tasks from OTHER to FILE,
    /// and the exact McNemar test. Example: `score aware.jsonl --against ignored.jsonl`.
    #[arg(long, value_name = "OTHER")]
    against: Option<PathBuf>,
    /// With --against: allow results of different benchmarks, or of different versions of a benchmark. Only the tasks
    /// that both files contain are compared.
    #[arg(long, requires = "against")]
    force: bool,
    /// The completions of the result file. Use this if the result file lists identical completions only once, as the
    /// log of EvoCodeBench's `pass_k.py` does. Evoscope then counts each verdict as often as its
    /// completion occurs in the file of completions.
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    completions: Option<PathBuf>,
    /// The benchmark of the results: a checkout or its files. The output then reports how many of its tasks have no
    /// result (with --n, they count as failed), and --by can use the data of its tasks.
    #[arg(long, value_name = "PATH")]
    benchmark: Vec<PathBuf>,
    /// The number of samples per task. Missing samples count as failed. Default: the number in the data.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    n: Option<u32>,
    /// The values of k for Pass@k, separated by commas. Default: the values among 1, 3, 5 and 10 for which there are
    /// enough samples.
    #[arg(long, value_name = "K", value_delimiter = ',')]
    k: Vec<u32>,
    /// Group by level (dependency level), standalone (yes or no), project, kind (function or method), domain,
    /// dependency (types of dependencies), `dependency_count`, `requirement_length`, leakage (share of leaked snippets)
    /// or created (the year of the project's first commit). Separate several with commas.
    #[arg(long, value_name = "DIMENSION", value_delimiter = ',')]
    by: Vec<Dimension>,
    /// The day on which the model was released. With it, `--by created` makes two groups: projects that began before
    /// this day, which may be in the model's training data, and projects that began later.
    #[arg(long = "release-date", alias = "released", value_name = "YYYY-MM-DD", requires = "by", value_parser = day)]
    released: Option<String>,
    /// The confidence level of the intervals in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 95.0)]
    confidence: f64,
    /// The number of bootstrap resamples. 0 disables the bootstrap.
    #[arg(long, value_name = "NUMBER", default_value_t = Resampling::default().resamples)]
    resamples: u32,
    /// The seed of the bootstrap.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Fail if a line cannot be read. By default, Evoscope reports such lines and skips them.
    #[arg(long)]
    strict: bool,
    /// Print one JSON object for each model and setting.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// The format of the tables: text, markdown, csv, latex, json or html.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: TableFormat,
}

/// What `--json` prints for a model and setting.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    model: &'a str,
    setting: &'a str,
    #[serde(flatten)]
    score: &'a Score,
    groups: &'a [Group],
    datasets: &'a [Dataset],
    unread_lines: usize,
    confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bootstrap: Option<Resampling>,
    version: &'static str,
}

/// The scores of one model in one setting.
struct Scored<'a> {
    set: &'a CompletionSet,
    score: Score,
    groups: Vec<Group>,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let scoring = scoring(args)?;
    let known = known_tasks(&args.benchmark, &args.by, args.released.as_deref(), None)?;
    if let Some(against) = &args.against {
        return compare(args, against, known.as_ref(), out);
    }
    let mut printed = false;
    for file in &args.files {
        let results = match &args.completions {
            Some(completions) => Results::read_counted(file, completions, known.clone())?,
            None => Results::read(std::slice::from_ref(file), known.clone(), false)?,
        };
        let results = report_faults(results, args.strict)?;
        for series in results.verdicts.series() {
            let scored = score(&results, series, args, &scoring)?;
            if args.json {
                out.json(&line(file, &results, &scored, &scoring))?;
            } else {
                if std::mem::replace(&mut printed, true) && args.format != TableFormat::Json {
                    out.line("")?;
                }
                print(out, &results, &scored, args, &scoring)?;
            }
        }
    }
    Ok(())
}

/// One line of `--against --json`.
#[derive(Serialize)]
struct Compared<'a> {
    file: &'a str,
    against: &'a str,
    by: Option<Dimension>,
    group: &'a str,
    #[serde(flatten)]
    pairing: &'a Pairing,
    datasets: &'a [Dataset],
    version: &'static str,
}

fn compare(
    args: &Args,
    against: &Path,
    known: Option<&KnownTasks>,
    out: &mut Output,
) -> Result<()> {
    for file in &args.files {
        let both = [file.clone(), against.to_owned()];
        let results = Results::read(&both, known.cloned(), args.force)?;
        let results = report_faults(results, args.strict)?;
        let verdicts = &results.verdicts;
        let [first, second] = verdicts.series() else {
            let count = verdicts.series().len();
            return Err(Error::user(format!(
                "the two files have results for {count} pairs of model and setting instead of 2"
            ))
            .hint(
                "each file must have one model and one setting, and the two files must differ in the model or the \
                 setting",
            ));
        };
        let all = verdicts.all();
        let mut rows = vec![(
            None,
            "all tasks".to_owned(),
            verdicts.pair(first, second, &all),
        )];
        for &by in &args.by {
            let groups = verdicts.pair_by(first, second, &all, by);
            rows.extend(
                groups
                    .into_iter()
                    .map(|(key, pair)| (Some(by), key.name.to_string(), pair)),
            );
        }
        if args.json {
            for (by, group, pairing) in &rows {
                out.json(&Compared {
                    file: file.to_str().unwrap_or_default(),
                    against: against.to_str().unwrap_or_default(),
                    by: *by,
                    group,
                    pairing,
                    datasets: &results.datasets,
                    version: VERSION,
                })?;
            }
            continue;
        }
        let mut footer = Provenance::new(format!("{} tasks, excluding unpaired tasks", all.len()));
        footer.datasets.clone_from(&results.datasets);
        footer.rows_exclude = true;
        footer
            .notes
            .extend(reduced_note(rows.iter().map(|(_, _, pairing)| pairing)));
        footer.notes.push(
            "a task is solved if at least one of its compared samples passed; the drop is the relative decrease from \
             the second result to the first; McNemar's test is exact and two-sided; Holm's adjustment covers all \
             groups of a dimension"
                .to_owned(),
        );
        let title = format!(
            "{} against {}",
            series_name(&first.set),
            series_name(&second.set)
        );
        let table = breakdown_table(&title, &rows, footer);
        out.document(table.render(args.format).as_bytes())?;
    }
    Ok(())
}

/// The tasks of the benchmark in `paths`, or `None` if `paths` is empty. Three facts are slow to compute, and are
/// computed only if `by` contains them: the length of the requirement, the leakage of the evolving-ignored context, and
/// the day of the project's first commit. Errors when `output` is a file of the benchmark.
pub(super) fn known_tasks(
    paths: &[PathBuf],
    by: &[Dimension],
    released: Option<&str>,
    output: Option<&Path>,
) -> Result<Option<KnownTasks>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let workspace = Workspace::open(paths, &OpenOptions::default())?;
    if let Some(output) = output {
        refuse_inputs(output, workspace.input_files())?;
    }
    let mut known = KnownTasks::of(&workspace);
    let contexts = Contexts::default().one_project();
    let request = ComparisonRequest::official(Setting::Retrieved, false);
    let (mut left_out, mut first) = (0, None);
    if by.contains(&Dimension::Created) {
        add_creation(&workspace, &mut known, released);
    }
    for ((at, _), (_, facts)) in workspace.tasks().zip(&mut known.tasks) {
        if by.contains(&Dimension::RequirementLength) {
            facts.requirement_words = requirement_words(&workspace, at);
        }
        if by.contains(&Dimension::Leakage) {
            match workspace.compare(&contexts, &request, at, &Cancel::default()) {
                Ok(compared) => facts.leakage = share(&compared.comparison),
                Err(why) => {
                    left_out += 1;
                    first = first.or(Some(why));
                }
            }
        }
    }
    if let Some(why) = first {
        warn(format_args!(
            "the leakage of {left_out} tasks is not known: {why}"
        ));
    }
    Ok(Some(known))
}

/// Adds to each task the year of its project's first commit. If `released` is given, adds instead whether the first
/// commit is before that day. Adds nothing if the day of the first commit is not known.
fn add_creation(workspace: &Workspace, known: &mut KnownTasks, released: Option<&str>) {
    let mut began: BTreeMap<(u32, Arc<str>), Option<Arc<str>>> = BTreeMap::new();
    for ((at, task), (_, facts)) in workspace.tasks().zip(&mut known.tasks) {
        let key = (at.benchmark, Arc::clone(&task.project));
        let group = began.entry(key).or_insert_with(|| {
            let created = workspace.created(at, &Cancel::default());
            let created = created.unwrap_or_else(|why| {
                warn(format_args!(
                    "cannot find out when '{}' began: {why}",
                    task.project
                ));
                None
            });
            Some(created_group(&created?.to_string(), released))
        });
        facts.created.clone_from(group);
    }
    if began.values().all(Option::is_none) {
        warn("--by created needs the repositories of the projects: name them in evoscope.toml");
    }
}

/// Returns `text` if it has the format `YYYY-MM-DD`. Does not check that the day exists.
fn day(text: &str) -> std::result::Result<String, String> {
    let digits: Vec<&str> = text.split('-').collect();
    let is_number =
        |part: &str, length| part.len() == length && part.bytes().all(|c| c.is_ascii_digit());
    match digits[..] {
        [year, month, day] if is_number(year, 4) && is_number(month, 2) && is_number(day, 2) => {
            Ok(text.to_owned())
        }
        _ => Err("write a day as YYYY-MM-DD, such as 2023-11-06".to_owned()),
    }
}

/// The share of leaked snippets in the context from the latest version. A snippet is leaked if at least half of its
/// lines are leaked. `None` if the context is empty.
fn share(comparison: &Comparison) -> Option<f32> {
    let all = u16::try_from(comparison.ignored.items.len()).ok()?;
    let leaked = u16::try_from(comparison.counts.leak_half).ok()?;
    (all > 0).then(|| f32::from(leaked) / f32::from(all))
}

fn scoring(args: &Args) -> Result<Scoring> {
    let confidence = args.confidence / 100.0;
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(Error::user(format!(
            "a confidence level of {} % is not possible",
            args.confidence
        ))
        .hint("use a number between 0 and 100, such as 95"));
    }
    let resampling = Resampling {
        resamples: args.resamples,
        seed: args.seed,
        confidence,
    };
    Ok(Scoring {
        n: args.n,
        ks: args.k.clone(),
        confidence,
        resampling: (args.resamples > 0).then_some(resampling),
    })
}

/// Prints the first 5 errors of unreadable lines, and the number of further errors, to standard error. If `strict` is
/// set or `results` has no verdicts, returns the first error instead. If `results` has neither verdicts nor unreadable
/// lines, returns an error too.
pub(super) fn report_faults(mut results: Results, strict: bool) -> Result<Results> {
    let nothing = results.verdicts.series().is_empty();
    if (strict || nothing) && !results.faults.is_empty() {
        return Err(results.faults.swap_remove(0));
    }
    if nothing {
        return Err(Error::data("the file contains no verdicts")
            .hint("name a file of results, as 'evoscope evaluate --results' writes"));
    }
    if !results.faults.is_empty() {
        lost(Kind::Data);
    }
    for fault in results.faults.iter().take(5) {
        warn(fault);
    }
    if results.faults.len() > 5 {
        warn(format_args!(
            "and {} more lines that cannot be read",
            results.faults.len() - 5
        ));
    }
    Ok(results)
}

fn score<'a>(
    results: &Results,
    series: &'a Series,
    args: &Args,
    scoring: &Scoring,
) -> Result<Scored<'a>> {
    let all = results.verdicts.all();
    let score = results.verdicts.score(series, &all, scoring)?;
    let mut groups = Vec::new();
    for &dimension in &args.by {
        groups.extend(results.verdicts.groups(series, &all, dimension, scoring)?);
    }
    Ok(Scored {
        set: &series.set,
        score,
        groups,
    })
}

fn line<'a>(
    file: &'a std::path::Path,
    results: &'a Results,
    scored: &'a Scored<'_>,
    scoring: &Scoring,
) -> Line<'a> {
    Line {
        file: file.to_str().unwrap_or_default(),
        model: &scored.set.model,
        setting: &scored.set.setting,
        score: &scored.score,
        groups: &scored.groups,
        datasets: &results.datasets,
        unread_lines: results.faults.len(),
        confidence: scoring.confidence,
        bootstrap: scoring.resampling,
        version: VERSION,
    }
}

fn print(
    out: &mut Output,
    results: &Results,
    scored: &Scored<'_>,
    args: &Args,
    scoring: &Scoring,
) -> Result<()> {
    let mut provenance = Provenance::of_score(&scored.score, results.datasets.clone());
    provenance.confidence = Some(scoring.confidence);
    provenance.bootstrap = scoring.resampling;
    provenance
        .notes
        .extend(rows_with_missing_samples(&scored.groups));
    if !results.faults.is_empty() {
        provenance.notes.push(format!(
            "lines that could not be read: {}",
            results.faults.len()
        ));
    }
    if results.without_verdict > 0 {
        provenance.notes.push(format!(
            "completions without a verdict: {}",
            results.without_verdict
        ));
    }
    let mut rows = vec![("all tasks".to_owned(), &scored.score)];
    rows.extend(group_rows(&scored.groups));
    let words: Vec<_> = args.by.iter().map(|dimension| dimension.word()).collect();
    let what = if words.is_empty() {
        "over".to_owned()
    } else {
        words.join(", ")
    };
    let table: Table = score_table(&series_name(scored.set), &what, &rows, provenance);
    out.document(table.render(args.format).as_bytes())
}
