//! Measures the CPU time and the peak memory that resolving dependencies takes:
//! `cargo bench --bench dependencies [PROJECT]`. Without PROJECT, uses a made-up project of 700 files.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement may panic"
)]

#[path = "made_up/code.rs"]
mod code;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use evoscope::benchmark::{Language, RepoPath};
use evoscope::code::{
    Definition, DefinitionKind, DependencyResolver, Library, Project, outline, splice,
};
use evoscope::error::Cancel;
use evoscope::history::Snapshot;
use nix::sys::resource::{UsageWho, getrusage};

/// The maximum number of targets to resolve. Large projects of benchmarks have about as many.
const TARGETS: usize = 200;

struct Target {
    path: RepoPath,
    definition: Definition,
    source: Arc<[u8]>,
}

fn main() {
    let named = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let made = tempfile::tempdir().unwrap();
    let root = named.map_or_else(
        || {
            code::write_project(made.path(), 700);
            made.path().to_owned()
        },
        PathBuf::from,
    );
    let cancel = Cancel::default();
    let (snapshot, listing) = timed(|| Snapshot::folder(&root, &cancel).unwrap());
    let sources = python_files(&snapshot);
    let bytes: usize = sources.iter().map(|(_, source)| source.len()).sum();
    println!("{} files, {:.1} MB", sources.len(), megabytes(bytes));
    show("listing and hashing the folder", listing);
    let targets = targets(&sources);
    drop(sources);

    let ((), lazy) = timed(|| resolve(&project(&snapshot), &targets, false));
    show("targets alone, reading what they reach", lazy);
    let whole = project(&snapshot);
    let ((), reading) = timed(|| whole.read_all(&Cancel::default()).unwrap());
    show("reading every file", reading);
    let ((), resolving) = timed(|| resolve(&whole, &targets, false));
    show("all targets after that", resolving);
    let cold = reading + resolving;
    show("index of every file and all targets, cold", cold);
    drop(whole);
    println!("{:<58}{:>9.1} MB", "peak memory", peak_megabytes());

    let ((), parsing) = timed(|| parse_all(&snapshot));
    show("parsing alone", parsing);
    println!(
        "{:<58}{:>9.1} %",
        "share of the cold run above parsing",
        100.0 * (1.0 - parsing.as_secs_f64() / cold.as_secs_f64())
    );
    spliced(&snapshot, &targets);
}

fn project(snapshot: &Snapshot) -> Project {
    Project::new(snapshot.clone(), Library::default(), [])
}

fn resolve(project: &Project, targets: &[Target], everything: bool) {
    if everything {
        project.read_all(&Cancel::default()).unwrap();
    }
    let resolver = DependencyResolver::new(project);
    let found: usize = targets
        .iter()
        .map(|target| {
            resolver
                .dependencies(&target.path, &target.definition)
                .found
                .len()
        })
        .sum();
    println!("{} targets use {found} elements", targets.len());
}

/// Puts a completion into the file of each target, and measures the time to resolve the target's dependencies. All
/// files were read before. Prints the median and the longest time.
fn spliced(snapshot: &Snapshot, targets: &[Target]) {
    let project = project(snapshot);
    resolve(&project, targets, true);
    let mut times: Vec<Duration> = targets
        .iter()
        .map(|target| {
            let body = target.definition.body;
            let text = splice(&target.source, body, "value = self\nreturn value\n", 8);
            let ((), time) = timed(|| {
                let changed = project.with_file(&target.path, &text).unwrap();
                DependencyResolver::new(&changed).dependencies(&target.path, &target.definition);
            });
            time
        })
        .collect();
    times.sort_unstable();
    show("one spliced completion, median", times[times.len() / 2]);
    show("one spliced completion, longest", times[times.len() - 1]);
}

fn python_files(snapshot: &Snapshot) -> Vec<(RepoPath, Arc<[u8]>)> {
    snapshot
        .entries()
        .iter()
        .filter(|entry| entry.path.file_name().strip_suffix(".py").is_some())
        .map(|entry| (entry.path.clone(), snapshot.read(entry.blob).unwrap()))
        .collect()
}

/// At most [`TARGETS`] functions, spread over the project's files.
fn targets(sources: &[(RepoPath, Arc<[u8]>)]) -> Vec<Target> {
    let mut targets = Vec::new();
    let step = (sources.len() / TARGETS).max(1);
    for (path, source) in sources.iter().step_by(step) {
        let found = outline(Language::Python, source).definitions;
        let functions = found
            .into_iter()
            .filter(|found| found.kind != DefinitionKind::Class);
        targets.extend(functions.take(3).map(|definition| Target {
            path: path.clone(),
            definition,
            source: Arc::clone(source),
        }));
    }
    let step = (targets.len() / TARGETS).max(1);
    targets.into_iter().step_by(step).take(TARGETS).collect()
}

fn parse_all(snapshot: &Snapshot) {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .unwrap();
    for (_, source) in python_files(snapshot) {
        parser.parse(&source, None).unwrap();
    }
}

/// The result of `work`, and the CPU time of all threads during it.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = cpu();
    let done = work();
    (done, cpu().saturating_sub(before))
}

fn cpu() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    let of = |time: nix::sys::time::TimeVal| {
        let seconds = u64::try_from(time.tv_sec()).unwrap();
        Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(time.tv_usec()).unwrap())
    };
    of(usage.user_time()) + of(usage.system_time())
}

fn show(what: &str, time: Duration) {
    println!("{what:<58}{:>9.2} ms", time.as_secs_f64() * 1000.0);
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn peak_megabytes() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    let kilobytes: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes / 1024.0
}
