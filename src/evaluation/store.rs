//! The store of verdicts and baselines. Each record is written before the next evaluation starts. The key of a record
//! is a hash of everything that the record depends on.
//!
//! The key of a verdict is a hash of the task, the project's files, the completion, the environment and the settings. A
//! completion is run again only if one of these has changed. The first record under a key stays, unless it cannot be
//! read. SQLite is in WAL mode: if the process is killed, no record is lost.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use super::baseline::Baseline;
use super::content_key::ContentKey;
use super::instance_outcomes::InstanceOutcome;
use super::test_discovery::DiscoveredTests;
use super::verdict::CompletionVerdict;
use crate::benchmark::{TaskId, Verdict};
use crate::error::{Error, Result};
use crate::files::{
    database_hint, foreign_entry, open_unchanged, refuse_special, restrict, retry_while_busy,
};

/// The latest verdict on each completion. The environment and the settings of the verdict do not matter.
#[derive(Debug, Default)]
pub struct LatestVerdicts {
    tasks: HashSet<String>,
    verdicts: HashMap<ContentKey, Verdict>,
}

impl LatestVerdicts {
    /// Whether any completion of the task has a verdict.
    pub fn knows(&self, task: &TaskId) -> bool {
        self.tasks.contains(task.as_str())
    }

    /// The latest verdict on the completion with this [key](super::Submission::key); `None` if there is none.
    pub fn verdict(&self, completion: ContentKey) -> Option<Verdict> {
        self.verdicts.get(&completion).copied()
    }
}

/// The database of verdicts and baselines.
pub struct VerdictStore {
    connection: Mutex<Connection>,
}

/// The maximum time to wait while another process writes to the store.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// The version of [`SCHEMA`], in the database's `user_version`. Stores of version 0 have the same tables.
const VERSION: i64 = 1;

// Only `latest`, which has short rows, is a table WITHOUT ROWID (<https://www.sqlite.org/withoutrowid.html>, section
// 4).
const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS verdicts (
        key BLOB PRIMARY KEY, run TEXT NOT NULL, task TEXT NOT NULL, verdict TEXT NOT NULL,
        judgement TEXT NOT NULL, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    );
    CREATE TABLE IF NOT EXISTS baselines (key BLOB PRIMARY KEY, task TEXT NOT NULL, baseline TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS latest (completion BLOB PRIMARY KEY, task TEXT NOT NULL, key BLOB NOT NULL) WITHOUT ROWID;
";

/// (column, table) that contain the verdicts as JSON.
const VERDICT: (&str, &str) = ("judgement", "verdicts");
/// (column, table) that contain the baselines as JSON.
const BASELINE: (&str, &str) = ("baseline", "baselines");

/// A verdict to record as the latest verdict on a completion.
#[derive(Debug, Clone, Copy)]
pub struct LatestVerdict<'a> {
    /// The hash of everything that the verdict depends on.
    pub key: ContentKey,
    /// The [key of the completion](super::Submission::key), which does not depend on the environment or the settings.
    pub completion: ContentKey,
    /// The task of the completion.
    pub task: &'a TaskId,
    /// The verdict.
    pub judgement: &'a CompletionVerdict,
}

impl VerdictStore {
    /// Opens the store at `path`. Creates the database and its folder if they do not exist.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|why| Error::io("make the folder", folder, why))?;
        }
        refuse_special(path)?;
        let opened = Connection::open(path).map_err(|why| unusable(&why).at(path))?;
        Self::with(opened)
    }

    /// Opens the store at `path` for reading. Changes and creates no file. If there is no store, or if a table of it
    /// lacks a column, the returned store is empty.
    pub fn open_unchanged(path: &Path) -> Result<Self> {
        refuse_special(path)?;
        let opened = open_unchanged(path).map_err(|why| unusable(&why).at(path))?;
        let Some(connection) = opened else {
            return Self::in_memory();
        };
        checked(&connection)?;
        for table in TABLES {
            match connection.prepare(&probe(table)) {
                Err(rusqlite::Error::SqlInputError { .. }) => return Self::in_memory(),
                result => usable(&connection, result.map(drop))?,
            }
        }
        Ok(Self {
            connection: Mutex::new(connection),
        })
    }

    /// A store in memory. Dropping the store deletes its records.
    pub fn in_memory() -> Result<Self> {
        Self::with(Connection::open_in_memory().map_err(|why| unusable(&why))?)
    }

    fn with(connection: Connection) -> Result<Self> {
        let version = checked(&connection)?;
        let prepare = || {
            connection.execute_batch(SCHEMA)?;
            set_aside(&connection)?;
            if version < VERSION {
                connection.pragma_update(None, "user_version", VERSION)?;
            }
            Ok(())
        };
        usable(&connection, retry_while_busy(BUSY_TIMEOUT, prepare))?;
        Ok(Self {
            connection: Mutex::new(connection),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the records from the write-ahead log into the database, so that closing the store takes less time. Does
    /// not wait for other processes that use the database. If the move fails, no record is lost.
    pub(super) fn checkpoint(&self) {
        let connection = self.lock();
        let _ = connection.busy_timeout(Duration::ZERO);
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let _ = connection.busy_timeout(BUSY_TIMEOUT);
    }

    /// The verdict recorded under `key`; `None` if there is none or it cannot be read.
    pub fn verdict(&self, key: ContentKey) -> Result<Option<CompletionVerdict>> {
        record_of(&self.lock(), VERDICT, key)
    }

    /// Calls `found` with the index and the verdict of each key in `keys` that has a verdict. Reads all verdicts in one
    /// transaction.
    pub fn verdicts(
        &self,
        keys: &[ContentKey],
        mut found: impl FnMut(usize, CompletionVerdict),
    ) -> Result<()> {
        let connection = self.lock();
        let transaction = usable(&connection, connection.unchecked_transaction())?;
        for (index, key) in keys.iter().enumerate() {
            if let Some(verdict) = record_of(&connection, VERDICT, *key)? {
                found(index, verdict);
            }
        }
        usable(&connection, transaction.commit())
    }

    /// The baseline recorded under `key`; `None` if there is none or it cannot be read.
    pub fn baseline(&self, key: ContentKey) -> Result<Option<Baseline>> {
        record_of(&self.lock(), BASELINE, key)
    }

    /// Records a verdict under `key`, unless the key has a verdict. Ignores infrastructure failures, because they are
    /// not verdicts on a completion. `run` is the name of the evaluation run.
    pub fn record(
        &self,
        key: ContentKey,
        run: &str,
        task: &TaskId,
        judgement: &CompletionVerdict,
    ) -> Result<()> {
        insert_verdict(&self.lock(), key, run, task, judgement)
    }

    /// Records the verdicts of the evaluation run `run` in one transaction, each as the latest verdict on its
    /// completion.
    pub fn record_all(&self, run: &str, verdicts: &[LatestVerdict<'_>]) -> Result<()> {
        let connection = self.lock();
        let transaction = usable(&connection, connection.unchecked_transaction())?;
        for own in verdicts {
            insert_verdict(&connection, own.key, run, own.task, own.judgement)?;
            insert_latest(&connection, own.completion, own.task, own.key)?;
        }
        usable(&connection, transaction.commit())
    }

    /// Records a baseline under `key`, unless the key has a baseline.
    pub fn record_baseline(
        &self,
        key: ContentKey,
        task: &TaskId,
        baseline: &Baseline,
    ) -> Result<()> {
        let row = params![key.0, task.as_str(), json(baseline)?];
        let insert = "INSERT OR IGNORE INTO baselines (key, task, baseline) VALUES (?1, ?2, ?3)";
        let connection = self.lock();
        usable(&connection, connection.execute(insert, row)).map(drop)
    }

    /// Records that the verdict under `key` is the latest verdict on a completion. `completion` is the [key of the
    /// completion](super::Submission::key).
    pub fn note(&self, completion: ContentKey, task: &TaskId, key: ContentKey) -> Result<()> {
        insert_latest(&self.lock(), completion, task, key)
    }

    /// The latest verdict on every completion. Verdicts that cannot be read are left out.
    pub fn latest(&self) -> Result<LatestVerdicts> {
        let query = "SELECT latest.completion, latest.task, verdicts.verdict FROM latest JOIN verdicts USING (key)";
        let connection = self.lock();
        let mut rows = usable(&connection, connection.prepare(query))?;
        let row = |row: &rusqlite::Row| {
            let read = || Some((row.get(0).ok()?, row.get(1).ok()?, row.get(2).ok()?));
            Ok(read())
        };
        let mut latest = LatestVerdicts::default();
        for row in usable(&connection, rows.query_map([], row))? {
            // Ignore a row that cannot be read, or has a verdict that only a later release knows.
            let Some((completion, task, verdict)) = usable(&connection, row)? else {
                continue;
            };
            let verdict: String = verdict;
            if let Ok(verdict) = verdict.parse() {
                latest.tasks.insert(task);
                latest.verdicts.insert(ContentKey(completion), verdict);
            }
        }
        Ok(latest)
    }

    /// The latest verdict on a completion, with its evidence; `None` if there is none or it cannot be read.
    pub fn latest_judgement(&self, completion: ContentKey) -> Result<Option<CompletionVerdict>> {
        let query = "SELECT judgement FROM latest JOIN verdicts USING (key) WHERE completion = ?1";
        Ok(look_up(&self.lock(), query, completion)?.readable())
    }

    /// The tests that were found for a task, from the latest baseline that contains found tests. The environment of the
    /// baseline does not matter. `None` if there is no such baseline.
    pub fn discovered_tests(&self, task: &TaskId) -> Result<Option<DiscoveredTests>> {
        self.latest_baseline(task, |baseline| baseline.discovered)
    }

    /// The outcomes of an instance's tests, from the latest baseline that contains such outcomes. The environment of
    /// the baseline does not matter. `None` if there is no such baseline.
    pub fn instance_outcomes(&self, task: &TaskId) -> Result<Option<Vec<InstanceOutcome>>> {
        self.latest_baseline(task, |baseline| baseline.instance_outcomes())
    }

    /// Calls `take` with the baselines of a task, latest first, until `take` returns a value. Returns this value, or
    /// `None` if there is none. Skips baselines that cannot be read.
    fn latest_baseline<T>(
        &self,
        task: &TaskId,
        take: impl Fn(Baseline) -> Option<T>,
    ) -> Result<Option<T>> {
        let query = "SELECT baseline FROM baselines WHERE task = ?1 ORDER BY rowid DESC";
        let connection = self.lock();
        let mut rows = usable(&connection, connection.prepare(query))?;
        let text = |row: &rusqlite::Row| Ok(row.get::<_, String>(0).ok());
        for text in usable(&connection, rows.query_map(params![task.as_str()], text))? {
            let text = usable(&connection, text)?.unwrap_or_default();
            let baseline = serde_json::from_str::<Baseline>(&text).ok();
            if let Some(found) = baseline.and_then(&take) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The number of verdicts in the store.
    pub fn len(&self) -> Result<usize> {
        let connection = self.lock();
        let count = connection.query_row("SELECT count(*) FROM verdicts", [], |row| row.get(0));
        let count: i64 = usable(&connection, count)?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Whether the store has no verdict.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }
}

/// The record under `key` in `column` of `table`; `None` if there is none or it cannot be read. Deletes a record that
/// cannot be read, so that a new record can be inserted.
fn record_of<T: serde::de::DeserializeOwned>(
    connection: &Connection,
    (column, table): (&str, &str),
    key: ContentKey,
) -> Result<Option<T>> {
    let query = format!("SELECT {column} FROM {table} WHERE key = ?1");
    let found = look_up(connection, &query, key)?;
    if matches!(found, Record::Unreadable) {
        // If the deletion fails because another process is writing, the next call deletes the record.
        let delete = format!("DELETE FROM {table} WHERE key = ?1");
        let _ = connection.execute(&delete, params![key.0]);
    }
    Ok(found.readable())
}

/// The result of a query for one record.
enum Record<T> {
    None,
    Unreadable,
    Readable(T),
}

impl<T> Record<T> {
    fn readable(self) -> Option<T> {
        match self {
            Self::Readable(record) => Some(record),
            Self::None | Self::Unreadable => None,
        }
    }
}

/// Runs a query that has the parameter `key` and returns at most one JSON text. Parses the text as a record.
fn look_up<T: serde::de::DeserializeOwned>(
    connection: &Connection,
    query: &str,
    key: ContentKey,
) -> Result<Record<T>> {
    let text = |row: &rusqlite::Row| Ok(row.get::<_, String>(0).ok());
    let mut rows = usable(connection, connection.prepare_cached(query))?;
    let Some(text) = usable(connection, rows.query_row(params![key.0], text).optional())? else {
        return Ok(Record::None);
    };
    let record = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(record.map_or(Record::Unreadable, Record::Readable))
}

fn insert_verdict(
    connection: &Connection,
    key: ContentKey,
    run: &str,
    task: &TaskId,
    judgement: &CompletionVerdict,
) -> Result<()> {
    if judgement.verdict == Verdict::Infrastructure {
        return Ok(());
    }
    let insert = "INSERT OR IGNORE INTO verdicts (key, run, task, verdict, judgement) VALUES (?1, ?2, ?3, ?4, ?5)";
    let word = judgement.verdict.word();
    let row = params![key.0, run, task.as_str(), word, json(judgement)?];
    usable(
        connection,
        connection
            .prepare_cached(insert)
            .and_then(|mut all| all.execute(row)),
    )
    .map(drop)
}

fn insert_latest(
    connection: &Connection,
    completion: ContentKey,
    task: &TaskId,
    key: ContentKey,
) -> Result<()> {
    let insert = "INSERT OR REPLACE INTO latest (completion, task, key) VALUES (?1, ?2, ?3)";
    let row = params![completion.0, task.as_str(), key.0];
    usable(
        connection,
        connection
            .prepare_cached(insert)
            .and_then(|mut all| all.execute(row)),
    )
    .map(drop)
}

/// The tables with their columns.
const TABLES: [(&str, &str); 3] = [
    ("verdicts", "key, run, task, verdict, judgement, at"),
    ("baselines", "key, task, baseline"),
    ("latest", "completion, task, key"),
];

/// A query that fails if the table lacks one of the columns.
fn probe((table, columns): (&str, &str)) -> String {
    format!("SELECT {columns} FROM {table} LIMIT 0")
}

/// Renames each table that lacks an expected column, and creates an empty table under the old name. The renamed table
/// comes from another program or is damaged. Evaluations make the missing records again.
fn set_aside(connection: &Connection) -> rusqlite::Result<()> {
    for table in TABLES {
        if let Err(rusqlite::Error::SqlInputError { .. }) = connection.prepare(&probe(table)) {
            let (table, _) = table;
            let number = rand::random::<u32>();
            let rename = format!("ALTER TABLE {table} RENAME TO {table}_unreadable_{number:08x}");
            connection.execute_batch(&format!("{rename}; {SCHEMA}"))?;
        }
    }
    Ok(())
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|why| Error::internal(format!("cannot write JSON: {why}")))
}

/// Limits what the database can make SQLite do, and returns the version of the store. Errors when it is newer than this
/// program, or contains something that can run code of somebody else.
fn checked(connection: &Connection) -> Result<i64> {
    let check = || {
        connection.busy_timeout(BUSY_TIMEOUT)?;
        restrict(connection)?;
        let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        Ok((version, foreign_entry(connection, SCHEMA)?))
    };
    let (version, foreign) = usable(connection, retry_while_busy(BUSY_TIMEOUT, check))?;
    if version > VERSION {
        let what = format!("the store of verdicts has version {version}, newer than {VERSION}");
        let hint =
            "use the version of Evoscope that wrote it, or set EVOSCOPE_HOME to another folder";
        return Err(at_file(connection, Error::data(what).hint(hint)));
    }
    if let Some(name) = foreign {
        let what =
            format!("the store of verdicts contains '{name}', which Evoscope did not create");
        let hint = "move the file away: an empty one is made in its place";
        return Err(at_file(connection, Error::data(what).hint(hint)));
    }
    Ok(version)
}

/// The result of a query. The error names the database file.
fn usable<T>(connection: &Connection, result: rusqlite::Result<T>) -> Result<T> {
    result.map_err(|why| at_file(connection, unusable(&why)))
}

fn unusable(why: &rusqlite::Error) -> Error {
    Error::data(format!("the store of verdicts cannot be used: {why}")).hint(database_hint(why))
}

fn at_file(connection: &Connection, error: Error) -> Error {
    match connection.path() {
        Some(path) if !path.is_empty() => error.at(path),
        _ => error,
    }
}

#[cfg(test)]
mod tests;
