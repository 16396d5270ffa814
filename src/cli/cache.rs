//! `evoscope cache`: prints what Evoscope keeps on disk and in the container engine, and removes it.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::Output;
use super::output::{inform, lost, warn};
use crate::error::{Kind, Result};
use crate::history::Date;
use crate::workspace::{
    AppDirs, CacheEntry, CacheKind, CacheSelection, Contexts, Removal, file_size, kept, parse_age,
    quick_engine, remove,
};

/// Show what Evoscope keeps: caches, environments, volumes and images. Or remove it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print one JSON object for each kind.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Remove what Evoscope keeps. Later commands make it again when they need it. What a run or a build uses is kept.
    Clear(ClearArgs),
}

#[derive(Debug, clap::Args)]
struct ClearArgs {
    /// Remove only this kind. The option can be repeated. Default: all but other-volumes and other.
    #[arg(long = "kind", value_name = "KIND", value_parser = kinds())]
    kinds: Vec<CacheKind>,
    /// Remove only what was not used for this time, such as 12h, 30d or 2w.
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    older_than: Option<u64>,
    /// Remove only what was made for this project.
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Remove nothing, and print what would be removed.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object for each removed or kept entry.
    #[arg(long)]
    json: bool,
}

fn kinds() -> impl clap::builder::TypedValueParser<Value = CacheKind> {
    use clap::builder::TypedValueParser;
    let words = CacheKind::ALL.iter().map(|kind| kind.word());
    clap::builder::PossibleValuesParser::new(words).try_map(|word| word.parse::<CacheKind>())
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let folder = AppDirs::of_user()?.cache;
    let engine = quick_engine();
    let entries = kept(&folder, engine.as_ref());
    let Some(Command::Clear(clear)) = &args.command else {
        show(&entries, args.json, out)?;
        if engine.is_none() {
            inform("no container engine answers, so its volumes and images are not listed");
        }
        return if args.json {
            Ok(())
        } else {
            out.line(format!("in {}", folder.display()))
        };
    };
    let selection = CacheSelection {
        kinds: clear.kinds.clone(),
        older_than: clear.older_than,
        project: clear.project.clone(),
    };
    let now = now();
    let chosen = entries
        .into_iter()
        .filter(|entry| selection.has(entry, now));
    if clear.dry_run {
        return plan(chosen, clear.json, out);
    }
    report(
        &remove(&folder, engine.as_ref(), chosen.collect())?,
        clear.json,
        out,
    )
}

/// The sum of the entries of a kind.
#[derive(Debug, Serialize)]
struct KindRow {
    kind: CacheKind,
    number: usize,
    /// `None` if the size of no entry is known.
    bytes: Option<u64>,
    oldest_use: Option<Date>,
    last_use: Option<Date>,
}

impl KindRow {
    fn of(kind: CacheKind, entries: &[CacheEntry]) -> Self {
        let own = || entries.iter().filter(|entry| entry.kind == kind);
        let uses = || own().filter_map(|entry| entry.last_use);
        let sizes: Vec<u64> = own().filter_map(|entry| entry.bytes).collect();
        Self {
            kind,
            number: own().count(),
            bytes: (!sizes.is_empty() || own().next().is_none()).then(|| sizes.iter().sum()),
            oldest_use: uses().min().map(date),
            last_use: uses().max().map(date),
        }
    }

    fn line(&self) -> String {
        let day = |date: Option<Date>| date.map_or_else(|| "-".to_owned(), |date| date.to_string());
        format!(
            "{:<14} {:>6} {:>10}  {:<10}  {:<10}",
            self.kind,
            self.number,
            self.bytes.map_or_else(|| "?".to_owned(), file_size),
            day(self.oldest_use),
            day(self.last_use)
        )
    }
}

fn show(entries: &[CacheEntry], json: bool, out: &mut Output) -> Result<()> {
    let rows = CacheKind::ALL
        .iter()
        .map(|kind| KindRow::of(*kind, entries));
    if json {
        return rows.into_iter().try_for_each(|row| out.json(&row));
    }
    out.line(format!(
        "{:<14} {:>6} {:>10}  {:<10}  last use",
        "kind", "number", "size", "oldest use"
    ))?;
    for row in rows.filter(|row| row.number > 0) {
        out.line(row.line().trim_end())?;
    }
    let bytes = entries.iter().filter_map(|entry| entry.bytes).sum();
    out.line(format!(
        "{:<14} {:>6} {:>10}",
        "total",
        entries.len(),
        file_size(bytes)
    ))
}

/// An entry that was removed, would be removed, or was kept.
#[derive(Debug, Serialize)]
struct EntryRow<'a> {
    kind: CacheKind,
    name: &'a str,
    bytes: Option<u64>,
    last_use: Option<Date>,
    projects: &'a [String],
    removed: bool,
    reason: Option<&'a str>,
}

impl<'a> EntryRow<'a> {
    fn of(entry: &'a CacheEntry, removed: bool, reason: Option<&'a str>) -> Self {
        Self {
            kind: entry.kind,
            name: &entry.name,
            bytes: entry.bytes,
            last_use: entry.last_use.map(date),
            projects: &entry.projects,
            removed,
            reason,
        }
    }

    fn title(&self) -> String {
        let size = self.bytes.map(|bytes| format!(", {}", file_size(bytes)));
        let projects = match self.projects {
            [] => String::new(),
            projects => format!(" ({})", projects.join(", ")),
        };
        let (kind, name) = (self.kind, self.name);
        format!("{kind} {name}{projects}{}", size.unwrap_or_default())
    }
}

fn plan(chosen: impl Iterator<Item = CacheEntry>, json: bool, out: &mut Output) -> Result<()> {
    let (mut number, mut bytes) = (0, 0);
    for entry in chosen {
        let row = EntryRow::of(&entry, false, None);
        if json {
            out.json(&row)?;
        } else {
            out.line(format!("would remove {}", row.title()))?;
        }
        number += 1;
        bytes += entry.bytes.unwrap_or_default();
    }
    if json {
        return Ok(());
    }
    out.line(format!("would remove {}", sum(number, bytes)))
}

fn report(removals: &[Removal], json: bool, out: &mut Output) -> Result<()> {
    let (mut number, mut bytes) = (0, 0);
    let mut kept: BTreeMap<&str, Vec<EntryRow>> = BTreeMap::new();
    for removal in removals {
        let why = removal.kept.as_deref();
        let row = EntryRow::of(&removal.entry, why.is_none(), why);
        if json {
            out.json(&row)?;
        }
        if let Some(why) = why {
            lost(Kind::Data);
            kept.entry(why).or_default().push(row);
        } else {
            number += 1;
            bytes += row.bytes.unwrap_or_default();
        }
    }
    if json {
        return Ok(());
    }
    for (why, rows) in kept {
        let what = match rows.as_slice() {
            [only] => only.title(),
            several => {
                let bytes = several.iter().filter_map(|row| row.bytes).sum();
                sum(several.len(), bytes)
            }
        };
        warn(format!("kept {what}: {why}"));
    }
    out.line(format!("removed {}", sum(number, bytes)))
}

/// `2 entries, 12.3 MB`.
fn sum(number: usize, bytes: u64) -> String {
    let entries = if number == 1 { "entry" } else { "entries" };
    format!("{number} {entries}, {}", file_size(bytes))
}

fn date(seconds: i64) -> Date {
    Date { seconds, offset: 0 }
}

/// Seconds after 1970.
fn now() -> i64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH);
    passed.map_or(0, |passed| passed.as_secs().cast_signed())
}

/// Returns [`Contexts`] that read and write the user's cache on disk. They use no cache if `without` is true
/// (`--no-cache`), if `EVOSCOPE_NO_CACHE` is set and not empty, or if the cache cannot be opened. Prints a warning if
/// the cache cannot be opened.
pub(super) fn contexts(without: bool) -> Contexts {
    if without || Contexts::cache_is_refused() {
        return Contexts::default();
    }
    let why = match AppDirs::of_user() {
        Ok(places) => match Contexts::cached(&places.cache) {
            (contexts, None) => return contexts,
            (_, Some(why)) => why,
        },
        Err(why) => why,
    };
    warn(format_args!("continuing without a cache: {why}"));
    Contexts::default()
}
