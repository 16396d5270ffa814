//! A cache on disk of what runners found in runs and can use again: bytecode and the libraries that a project's tests load.
//!
//! Without it each session compiles the project's files and its changed tests again: on 12 projects of DevEval a second
//! set of completions takes more than twice as long. Losing it costs time only, so that no error of it stops a run.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, params};

use super::runner::Reusable;
use crate::files::{CACHE_RESERVE, has_free_space};

/// How long another process may hold the cache.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How many days bytecode is stored that no session uses.
const RETENTION_DAYS: u32 = 90;

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    DROP TABLE IF EXISTS bytecode; DROP TABLE IF EXISTS libraries;
    CREATE TABLE IF NOT EXISTS reusable (
        scope TEXT NOT NULL, description TEXT NOT NULL, data BLOB NOT NULL, used INTEGER NOT NULL,
        PRIMARY KEY (scope, description)
    );
";
const TODAY: &str = "CAST(julianday('now') AS INTEGER)";

/// The cache; empty, and not written to, where its file cannot be opened.
pub struct BytecodeCache {
    connection: Option<Mutex<Connection>>,
    path: PathBuf,
    /// What is left free on the disk for verdicts, in bytes.
    reserve: u64,
}

impl BytecodeCache {
    /// Opens the cache at `path`, making it and its folder when they are not there.
    pub fn open(path: &Path) -> Self {
        let open = || {
            std::fs::create_dir_all(path.parent()?).ok()?;
            let connection = Connection::open(path).ok()?;
            connection.busy_timeout(BUSY_TIMEOUT).ok()?;
            connection.execute_batch(SCHEMA).ok()?;
            let old = format!("DELETE FROM reusable WHERE used < {TODAY} - {RETENTION_DAYS}");
            connection.execute(&old, []).ok()?;
            Some(Mutex::new(connection))
        };
        Self {
            connection: open(),
            path: path.to_owned(),
            reserve: CACHE_RESERVE,
        }
    }

    /// A cache that stores nothing.
    pub fn disabled() -> Self {
        Self {
            connection: None,
            path: PathBuf::new(),
            reserve: CACHE_RESERVE,
        }
    }

    fn lock(&self) -> Option<MutexGuard<'_, Connection>> {
        let connection = self.connection.as_ref()?;
        Some(connection.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What is known for a scope: an environment and a project.
    pub(super) fn known(&self, scope: &str) -> Vec<Reusable> {
        let found = || {
            let connection = self.lock()?;
            let used =
                format!("UPDATE reusable SET used = {TODAY} WHERE scope = ?1 AND used < {TODAY}");
            connection.execute(&used, params![scope]).ok()?;
            let mut rows = connection
                .prepare_cached("SELECT description, data FROM reusable WHERE scope = ?1")
                .ok()?;
            let known = rows.query_map(params![scope], |row| {
                Ok(Reusable {
                    description: row.get(0)?,
                    data: row.get(1)?,
                })
            });
            known.ok()?.collect::<Result<_, _>>().ok()
        };
        found().unwrap_or_default()
    }

    /// Stores what a run has found, unless the disk has little space left.
    pub(super) fn insert(&self, scope: &str, found: &[Reusable]) {
        if found.is_empty() || !has_free_space(&self.path, self.reserve) {
            return;
        }
        let write = || {
            let mut connection = self.lock()?;
            let all = connection.transaction().ok()?;
            let insert = format!("INSERT OR REPLACE INTO reusable VALUES (?1, ?2, ?3, {TODAY})");
            for each in found {
                let row = params![scope, each.description, each.data];
                all.execute(&insert, row).ok()?;
            }
            all.commit().ok()
        };
        // A cache that cannot be written costs time, not a run.
        let _ = write();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_known_in_its_scope_and_a_damaged_file_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache/bytecode.sqlite");
        let found = [Reusable {
            description: serde_json::json!({"source": "a.py", "size": 2}),
            data: vec![1, 2],
        }];
        let cache = BytecodeCache::open(&path);
        cache.insert("one", &found);
        assert_eq!(BytecodeCache::open(&path).known("one"), found);
        assert!(cache.known("other").is_empty());
        let full = BytecodeCache {
            reserve: u64::MAX - 1,
            ..cache
        };
        full.insert("full", &found);
        assert!(full.known("full").is_empty());
        drop(full);
        std::fs::write(&path, "no database").unwrap();
        assert!(BytecodeCache::open(&path).known("one").is_empty());
    }
}
