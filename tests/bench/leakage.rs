//! Measures the CPU time of context comparisons and timelines: `cargo bench --bench leakage`. The benchmark generates a
//! repository with 1,000 Python files and five years of history. The same queries in plain Python must have equal
//! results.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement may panic"
)]

#[path = "made_up/history.rs"]
mod history;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use evoscope::benchmark::Language;
use evoscope::context::{
    Comparison, ContextListing, CorpusConfig, Engine, Moment, Rank, RetrievalRequest, trace,
};
use evoscope::error::Cancel;
use evoscope::history::{Repository, Snapshot, Spacing};
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::Value;

const QUERIES: usize = 100;
const VERSIONS: usize = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, command, folder] = &arguments[..]
        && command == "make"
    {
        return history::write_history(Path::new(folder));
    }
    let made = tempfile::tempdir().unwrap();
    let folder = made.path().join("history.git");
    // Generate the repository in a separate process, because the peak memory of this process is measured.
    let maker = Command::new(std::env::current_exe().unwrap())
        .arg("make")
        .arg(&folder)
        .status();
    assert!(maker.unwrap().success());

    let first = first_comparison(&folder);
    timeline(&folder, first.time);
    println!("{:<58}{:>9.1} MB", "peak memory", peak_megabytes());
    queries(made.path(), &first);
    provenance(&folder, first);
}

struct First {
    engine: Engine,
    base: Snapshot,
    newest: Snapshot,
    queries: Vec<String>,
    comparison: Comparison,
    time: Duration,
}

fn first_comparison(folder: &Path) -> First {
    let queries = docstrings(folder);
    let request = request(&queries[0]);
    let ((engine, base, newest, comparison), time) = timed(|| {
        let (repository, engine) = (Repository::open(folder).unwrap(), Engine::default());
        let (base, newest) = ends(&repository);
        let compared = compare(&engine, &request, &base, &newest);
        (engine, base, newest, compared)
    });
    let lines: usize = texts(&newest).map(|(_, text)| text.lines().count()).sum();
    println!(
        "{} files, {lines} lines in the newest tree; {} and {} windows; {} commits on the mainline",
        newest.entries().len(),
        comparison.aware.candidates,
        comparison.ignored.candidates,
        history::MONTHS,
    );
    assert!(newest.entries().len() >= history::FILES && lines >= history::LINES);
    show("first comparison: both trees, windows, top ten", time);
    let (_, further) = timed(|| compare(&engine, &self::request(&queries[1]), &base, &newest));
    show("a further query", further);
    First {
        engine,
        base,
        newest,
        queries,
        comparison,
        time,
    }
}

fn timeline(folder: &Path, one: Duration) {
    let request = request(&docstrings(folder)[0]);
    let cancel = Cancel::default();
    let (points, time) = timed(|| {
        let (repository, engine) = (Repository::open(folder).unwrap(), Engine::default());
        let (base, newest) = ends(&repository);
        let (from, to) = (base.commit().unwrap(), newest.commit().unwrap());
        let versions = repository
            .versions(from, to, Spacing::Even(VERSIONS), &cancel)
            .unwrap();
        let moments: Vec<Moment> = versions
            .into_iter()
            .map(|version| Moment {
                snapshot: repository.snapshot_of(version.commit).unwrap(),
                version,
                masks: Vec::new(),
            })
            .collect();
        let mut points = Vec::new();
        let mut add = |point| points.push(point);
        engine
            .timeline(&request, &base, &moments, &mut add, &mut |_, _| {}, &cancel)
            .unwrap();
        points
    });
    assert_eq!(points.len(), VERSIONS);
    show(&format!("timeline of {VERSIONS} commits"), time);
    ratio("timeline against the first comparison", time, one);
}

/// Measures the queries in Evoscope and in plain Python, and compares the results.
fn queries(folder: &Path, first: &First) {
    let (compared, ours) = timed(|| {
        let compare =
            |query: &String| compare(&first.engine, &request(query), &first.base, &first.newest);
        first.queries.iter().map(compare).collect::<Vec<_>>()
    });
    show(&format!("{QUERIES} queries over both trees"), ours);
    export(&first.base, &folder.join("base"));
    export(&first.newest, &folder.join("newest"));
    let queries = serde_json::to_vec(&first.queries).unwrap();
    fs::write(folder.join("queries.json"), queries).unwrap();
    let python = Command::new("python3")
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/bench/leakage.py"
        ))
        .arg(folder)
        .output();
    let Ok(python) = python else {
        return println!("no python3 to compare with");
    };
    assert!(
        python.status.success(),
        "{}",
        String::from_utf8_lossy(&python.stderr)
    );
    let theirs: Value = serde_json::from_slice(&python.stdout).unwrap();
    for (at, compared) in compared.iter().enumerate() {
        for (side, listing) in [&compared.aware, &compared.ignored].into_iter().enumerate() {
            assert_eq!(rows(listing), theirs["found"][at][side], "query {at}");
        }
    }
    let seconds = |name: &str| Duration::from_secs_f64(theirs[name].as_f64().unwrap());
    show(
        "the same in plain Python with sets, equal results",
        seconds("queries"),
    );
    ratio("plain Python against Evoscope", seconds("queries"), ours);
    show(
        "plain Python: reading and cutting both trees",
        seconds("prepare"),
    );
}

fn rows(listing: &ContextListing) -> Value {
    let row = |item: &evoscope::context::ContextItem| {
        let overlap = item.overlap.unwrap();
        serde_json::json!([
            item.path.as_str(),
            item.start,
            item.end,
            overlap.shared,
            overlap.union,
            item.occurrences
        ])
    };
    listing.items.iter().map(row).collect()
}

fn provenance(folder: &Path, mut first: First) {
    let ((), time) = timed(|| {
        let repository = Repository::open(folder).unwrap();
        let ends = (&first.base, &first.newest);
        trace(&repository, &mut first.comparison, ends, &Cancel::default()).unwrap();
    });
    let items = first.comparison.ignored.items.iter();
    let named = items.filter(|item| item.introduced.is_some()).count();
    show(
        &format!("with provenance, {named} leaked snippets with their commits"),
        time,
    );
}

fn compare(
    engine: &Engine,
    request: &RetrievalRequest,
    base: &Snapshot,
    newest: &Snapshot,
) -> Comparison {
    let cancel = Cancel::default();
    engine
        .compare(request, base, newest, &mut |_, _| {}, &cancel)
        .unwrap()
}

fn request(query: &str) -> RetrievalRequest {
    RetrievalRequest {
        pool: CorpusConfig::of(Language::Python),
        rank: Rank::Jaccard,
        query: query.to_owned(),
        top: 10,
        masks: Vec::new(),
    }
}

fn ends(repository: &Repository) -> (Snapshot, Snapshot) {
    let newest = repository.resolve("HEAD").unwrap();
    let line = repository.mainline(newest, &Cancel::default()).unwrap();
    let base = line.commits[line.commits.len() - 1];
    (
        repository.snapshot_of(base).unwrap(),
        repository.snapshot_of(newest).unwrap(),
    )
}

/// Docstrings of [`QUERIES`] functions in the newest tree.
fn docstrings(folder: &Path) -> Vec<String> {
    let repository = Repository::open(folder).unwrap();
    let (_, newest) = ends(&repository);
    let mut found = Vec::new();
    for (_, text) in texts(&newest) {
        let mut parts = text.split("\"\"\"").skip(1).step_by(2);
        found.extend(parts.nth(3).map(str::to_owned));
    }
    let apart = found.len() / QUERIES;
    let spread = found.into_iter().step_by(apart).take(QUERIES);
    spread.collect()
}

fn texts(snapshot: &Snapshot) -> impl Iterator<Item = (&str, String)> {
    snapshot.entries().iter().map(|entry| {
        let bytes = snapshot.read(entry.blob).unwrap();
        (
            entry.path.as_str(),
            String::from_utf8(bytes.to_vec()).unwrap(),
        )
    })
}

fn export(snapshot: &Snapshot, folder: &Path) {
    for (path, text) in texts(snapshot) {
        let place = folder.join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = cpu(UsageWho::RUSAGE_SELF);
    let made = work();
    (made, cpu(UsageWho::RUSAGE_SELF).saturating_sub(start))
}

fn cpu(who: UsageWho) -> Duration {
    let usage = getrusage(who).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        let micros = value.tv_sec() * 1_000_000 + value.tv_usec();
        Duration::from_micros(u64::try_from(micros).unwrap())
    };
    time(usage.user_time()) + time(usage.system_time())
}

fn show(what: &str, time: Duration) {
    println!("{what:<58}{:>9.2} ms", time.as_secs_f64() * 1e3);
}

fn ratio(what: &str, one: Duration, other: Duration) {
    let times = one.as_secs_f64() / other.as_secs_f64();
    println!("{what:<58}{times:>9.1} times");
}

fn peak_megabytes() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line
        .and_then(|line| line.split_whitespace().nth(1))
        .and_then(|number| number.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
