//! The ledger: every verdict, written before the next begins, keyed by the content that it depends on.
//!
//! The key is a hash over the task, its project's files, the completion, the environment and the settings, so that a
//! changed completion is run again and an unchanged one is not. SQLite in WAL mode: a killed process loses nothing
//! that it had recorded.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::protocol::Footing;
use super::verdict::Judgement;
use crate::benchmark::{TaskId, Verdict};
use crate::error::{Error, Result};

/// What a verdict or a footing depends on, as a SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LedgerKey([u8; 32]);

impl LedgerKey {
    /// The key over all parts; each part's length is hashed with it, so that no two lists of parts share a key.
    pub fn over(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// Its bytes, for a key over it.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The latest verdicts, by completion.
#[derive(Debug, Default)]
pub struct Latest {
    tasks: HashSet<String>,
    verdicts: HashMap<LedgerKey, Verdict>,
}

impl Latest {
    /// Whether any completion of the task has a verdict.
    pub fn knows(&self, task: &TaskId) -> bool {
        self.tasks.contains(task.as_str())
    }

    /// The verdict on a completion.
    pub fn verdict(&self, completion: LedgerKey) -> Option<Verdict> {
        self.verdicts.get(&completion).copied()
    }
}

/// The database of verdicts.
pub struct Ledger {
    connection: Mutex<Connection>,
}

/// How long another process may be at the ledger.
const PATIENCE: Duration = Duration::from_secs(30);

// Tables of long rows have their keys in an index of its own (<https://www.sqlite.org/withoutrowid.html>, section 4).
const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS verdicts (
        key BLOB PRIMARY KEY, run TEXT NOT NULL, task TEXT NOT NULL, verdict TEXT NOT NULL,
        judgement TEXT NOT NULL, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    );
    CREATE TABLE IF NOT EXISTS footings (key BLOB PRIMARY KEY, task TEXT NOT NULL, footing TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS code (key BLOB PRIMARY KEY, data TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS modules (
        stock BLOB NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (stock, name)
    );
    CREATE TABLE IF NOT EXISTS stocks (stock BLOB PRIMARY KEY, used INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS latest (completion BLOB PRIMARY KEY, task TEXT NOT NULL, key BLOB NOT NULL) WITHOUT ROWID;
";

/// Notes that a stock of modules is used today.
const USE_STOCK: &str = "
    INSERT INTO stocks (stock, used) VALUES (?1, CAST(julianday('now') AS INTEGER))
    ON CONFLICT DO UPDATE SET used = excluded.used WHERE used < excluded.used";

/// How many days a stock of modules is kept without being used: its environment is gone by then, as a rule, and one that
/// comes back loads its modules from their files once.
const STOCK_DAYS: u32 = 90;

/// How the names of the warden's programs begin among the modules that are kept.
pub(super) const PROGRAM_NAMES: &str = "program ";

impl Ledger {
    /// Opens the ledger at `path`, making it and its folder when they are not there.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|why| Error::io("make the folder", folder, why))?;
        }
        let connection = Connection::open(path).map_err(|why| broken(&why).at(path))?;
        Self::with(connection).map_err(|why| why.at(path))
    }

    /// A ledger that ends with the process.
    pub fn in_memory() -> Result<Self> {
        Self::with(Connection::open_in_memory().map_err(|why| broken(&why))?)
    }

    fn with(connection: Connection) -> Result<Self> {
        connection
            .busy_timeout(PATIENCE)
            .map_err(|why| broken(&why))?;
        connection
            .execute_batch(SCHEMA)
            .map_err(|why| broken(&why))?;
        Ok(Self {
            connection: Mutex::new(connection),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves what was recorded from the log into the database, as far as nobody else is at it, so that to close it is
    /// quick, and drops stocks of modules that have not been used for long. Nothing is lost without.
    pub(super) fn checkpoint(&self) {
        let connection = self.lock();
        let _ = connection.busy_timeout(Duration::ZERO);
        let _ = drop_unused_stocks(&connection);
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let _ = connection.busy_timeout(PATIENCE);
    }

    /// The verdict recorded under `key`.
    pub fn verdict(&self, key: LedgerKey) -> Result<Option<Judgement>> {
        self.look_up("SELECT judgement FROM verdicts WHERE key = ?1", key)
    }

    /// The footing recorded under `key`.
    pub fn footing(&self, key: LedgerKey) -> Result<Option<Footing>> {
        self.look_up("SELECT footing FROM footings WHERE key = ?1", key)
    }

    fn look_up<T: serde::de::DeserializeOwned>(
        &self,
        query: &str,
        key: LedgerKey,
    ) -> Result<Option<T>> {
        let found: Option<String> = self
            .lock()
            .prepare_cached(query)
            .and_then(|mut rows| rows.query_row(params![key.0], |row| row.get(0)).optional())
            .map_err(|why| broken(&why))?;
        // A record of an older shape counts as none: it is made again.
        Ok(found.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Records a verdict. Infrastructure failures are no verdicts on a completion and are not kept.
    pub fn record(
        &self,
        key: LedgerKey,
        run: &str,
        task: &TaskId,
        judgement: &Judgement,
    ) -> Result<()> {
        if judgement.verdict == Verdict::Infrastructure {
            return Ok(());
        }
        let text = json(judgement)?;
        self.lock()
            .execute(
                "INSERT OR REPLACE INTO verdicts (key, run, task, verdict, judgement) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![key.0, run, task.as_str(), judgement.verdict.word(), text],
            )
            .map_err(|why| broken(&why))?;
        Ok(())
    }

    /// Records a footing.
    pub fn record_footing(&self, key: LedgerKey, task: &TaskId, footing: &Footing) -> Result<()> {
        self.lock()
            .execute(
                "INSERT OR REPLACE INTO footings (key, task, footing) VALUES (?1, ?2, ?3)",
                params![key.0, task.as_str(), json(footing)?],
            )
            .map_err(|why| broken(&why))?;
        Ok(())
    }

    /// What a file compiles to, in the warden's form.
    pub(super) fn code(&self, key: LedgerKey) -> Result<Option<String>> {
        self.lock()
            .query_row(
                "SELECT data FROM code WHERE key = ?1",
                params![key.0],
                |row| row.get(0),
            )
            .optional()
            .map_err(|why| broken(&why))
    }

    /// Records what a file compiles to.
    pub(super) fn record_code(&self, key: LedgerKey, data: &str) -> Result<()> {
        self.lock()
            .execute(
                "INSERT OR REPLACE INTO code (key, data) VALUES (?1, ?2)",
                params![key.0, data],
            )
            .map_err(|why| broken(&why))?;
        Ok(())
    }

    /// The modules of a stock, in the warden's form. It counts as used today.
    pub(super) fn modules(&self, stock: LedgerKey) -> Result<Vec<Vec<u8>>> {
        let connection = self.lock();
        connection
            .execute(USE_STOCK, params![stock.0])
            .map_err(|why| broken(&why))?;
        let mut rows = connection
            .prepare_cached("SELECT data FROM modules WHERE stock = ?1")
            .map_err(|why| broken(&why))?;
        let found = rows
            .query_map(params![stock.0], |row| row.get(0))
            .map_err(|why| broken(&why))?;
        found
            .collect::<rusqlite::Result<_>>()
            .map_err(|why| broken(&why))
    }

    /// Records modules of stocks by their names, all at once. A program takes the place of an earlier one.
    pub(super) fn record_modules<'a>(
        &self,
        modules: impl Iterator<Item = (LedgerKey, &'a str, &'a [u8])>,
    ) -> Result<()> {
        let mut connection = self.lock();
        let all = connection.transaction().map_err(|why| broken(&why))?;
        let mut noted = None;
        for (stock, name, data) in modules {
            if name.starts_with(PROGRAM_NAMES) {
                all.execute(
                    "DELETE FROM modules WHERE stock = ?1 AND name GLOB ?2 || '*'",
                    params![stock.0, PROGRAM_NAMES],
                )
                .map_err(|why| broken(&why))?;
            }
            if noted.replace(stock) != Some(stock) {
                all.execute(USE_STOCK, params![stock.0])
                    .map_err(|why| broken(&why))?;
            }
            all.execute(
                "INSERT OR REPLACE INTO modules (stock, name, data) VALUES (?1, ?2, ?3)",
                params![stock.0, name, data],
            )
            .map_err(|why| broken(&why))?;
        }
        all.commit().map_err(|why| broken(&why))
    }

    /// Notes that the verdict under `key` is the latest on a completion, whatever environment it ran in.
    pub fn note(&self, completion: LedgerKey, task: &TaskId, key: LedgerKey) -> Result<()> {
        self.lock()
            .execute(
                "INSERT OR REPLACE INTO latest (completion, task, key) VALUES (?1, ?2, ?3)",
                params![completion.0, task.as_str(), key.0],
            )
            .map_err(|why| broken(&why))?;
        Ok(())
    }

    /// The latest verdict on every completion that was noted and has one.
    pub fn latest(&self) -> Result<Latest> {
        let connection = self.lock();
        let mut rows = connection
            .prepare(
                "SELECT latest.completion, latest.task, verdicts.verdict FROM latest JOIN verdicts USING (key)",
            )
            .map_err(|why| broken(&why))?;
        let found = rows
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .map_err(|why| broken(&why))?;
        let mut latest = Latest::default();
        for row in found {
            let (completion, task, verdict): ([u8; 32], String, String) =
                row.map_err(|why| broken(&why))?;
            // A word of a later release counts as none.
            if let Ok(verdict) = verdict.parse() {
                latest.tasks.insert(task);
                latest.verdicts.insert(LedgerKey(completion), verdict);
            }
        }
        Ok(latest)
    }

    /// The latest judgement of a completion that was noted.
    pub fn latest_judgement(&self, completion: LedgerKey) -> Result<Option<Judgement>> {
        let query = "SELECT judgement FROM latest JOIN verdicts USING (key) WHERE completion = ?1";
        self.look_up(query, completion)
    }

    /// How many verdicts it holds.
    pub fn len(&self) -> Result<usize> {
        let count: i64 = self
            .lock()
            .query_row("SELECT count(*) FROM verdicts", [], |row| row.get(0))
            .map_err(|why| broken(&why))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Whether it holds no verdict.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }
}

/// Drops the stocks that have not been used for long, and with them those that no use is known of.
fn drop_unused_stocks(connection: &Connection) -> rusqlite::Result<()> {
    let dropped = connection.execute(
        "DELETE FROM stocks WHERE used < CAST(julianday('now') AS INTEGER) - ?1",
        params![STOCK_DAYS],
    )?;
    if dropped > 0 {
        let unknown = "DELETE FROM modules WHERE stock NOT IN (SELECT stock FROM stocks)";
        connection.execute(unknown, [])?;
    }
    Ok(())
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|why| Error::internal(format!("cannot write JSON: {why}")))
}

fn broken(why: &rusqlite::Error) -> Error {
    Error::data(format!("the ledger of verdicts cannot be used: {why}"))
        .hint("see that its disk is not full; moving the file away starts an empty ledger")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_their_parts_apart() {
        assert_ne!(
            LedgerKey::over(&[b"ab", b"c"]),
            LedgerKey::over(&[b"a", b"bc"])
        );
        assert_eq!(LedgerKey::over(&[b"ab"]), LedgerKey::over(&[b"ab"]));
    }

    #[test]
    fn what_was_recorded_stands_in_the_database_before_it_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("a"), folder.path().join("b"));
        let ledger = Ledger::open(&path).unwrap();
        let key = LedgerKey::over(&[b"file"]);
        ledger.record_code(key, "code").unwrap();
        ledger.checkpoint();
        std::fs::copy(&path, &copy).unwrap();
        let read = Ledger::open(&copy).unwrap();
        assert_eq!(read.code(key).unwrap().as_deref(), Some("code"));
    }

    #[test]
    fn a_stock_that_has_not_been_used_for_long_is_dropped() {
        let ledger = Ledger::in_memory().unwrap();
        let stocks: [LedgerKey; 3] = [b"a", b"b", b"c"].map(|name| LedgerKey::over(&[name]));
        let modules = stocks
            .iter()
            .map(|stock| (*stock, "os", b"code".as_slice()));
        ledger.record_modules(modules).unwrap();
        let age = |stock: LedgerKey, days: u32| {
            let older = "UPDATE stocks SET used = used - ?1 WHERE stock = ?2";
            ledger
                .lock()
                .execute(older, params![days, stock.0])
                .unwrap();
        };
        let held = |stock: LedgerKey| -> i64 {
            let count = "SELECT count(*) FROM modules WHERE stock = ?1";
            let lock = ledger.lock();
            lock.query_row(count, params![stock.0], |row| row.get(0))
                .unwrap()
        };
        age(stocks[0], STOCK_DAYS + 1);
        age(stocks[1], STOCK_DAYS);
        age(stocks[2], STOCK_DAYS + 1);
        assert_eq!(ledger.modules(stocks[2]).unwrap().len(), 1);
        ledger.checkpoint();
        assert_eq!(stocks.map(held), [0, 1, 1]);
    }
}
