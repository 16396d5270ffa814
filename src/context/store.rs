//! A cache on disk that persists between runs of Evoscope. Key: the blob id and the language of a file's content.
//! Value: the functions in the content.
//!
//! The cache is one SQLite file in its own folder. The folder may be deleted at any time. Several processes may use the
//! cache together. An entry that cannot be read or written is computed again, without an error.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use crate::benchmark::Language;
use crate::error::{Error, Result};
use crate::files::{CACHE_RESERVE, has_free_space, retry_while_busy};
use crate::history::{BlobId, FunctionFingerprint};

/// The name of the file, with the version of its format. Increase the version when the format of the entries or the
/// hash of lines changes.
const FILE: &str = "contents-2.sqlite";
/// The largest size of the file, in bytes. When a larger file is opened, the older half of its entries is removed.
const LIMIT: u64 = 256 << 20;
/// How long to wait for another process that has locked the cache.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// The cache. Threads can share it.
pub struct ContextStore {
    connection: Mutex<Connection>,
    folder: PathBuf,
}

impl ContextStore {
    /// Opens the cache in `folder`, or creates it. A file that is not a cache is replaced.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when the folder cannot be created or a faulty file cannot be removed.
    /// [`Kind::User`](crate::error::Kind::User) when the database cannot be opened.
    pub fn open(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|why| Error::io("make the cache", folder, why))?;
        let path = folder.join(FILE);
        let opened = connect(&path).or_else(|_| {
            Self::clear(folder)?;
            connect(&path).map_err(|why| broken(&path, &why))
        })?;
        let store = Self {
            connection: Mutex::new(opened),
            folder: folder.to_owned(),
        };
        store.evict(&path, LIMIT);
        Ok(store)
    }

    /// The size of the cache in `folder`, in bytes.
    pub fn size(folder: &Path) -> u64 {
        let sizes = files(folder)
            .into_iter()
            .filter_map(|path| fs::metadata(path).ok());
        sizes.map(|about| about.len()).sum()
    }

    /// Removes the cache in `folder`. Other files in the folder are not touched.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when one of the cache's files cannot be removed.
    pub fn clear(folder: &Path) -> Result<()> {
        for path in files(folder) {
            match fs::remove_file(&path) {
                Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("remove the cache", &path, why));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The functions of the content with this blob id. `None` if they are not stored or cannot be read.
    pub(super) fn sightings(
        &self,
        language: Language,
        blob: BlobId,
    ) -> Option<Vec<FunctionFingerprint>> {
        let connection = self.connection();
        let mut statement = connection
            .prepare_cached("SELECT functions FROM contents WHERE blob = ?1 AND language = ?2")
            .ok()?;
        let key = params![&blob.as_bytes()[..], language.word()];
        let stored: Option<Vec<u8>> = statement.query_row(key, |row| row.get(0)).optional().ok()?;
        decode(&stored?)
    }

    /// Stores the functions of the content with this blob id, unless the disk has little free space. Ignores errors:
    /// functions that are not stored are computed again.
    pub(super) fn insert(
        &self,
        language: Language,
        blob: BlobId,
        sightings: &[FunctionFingerprint],
    ) {
        if !has_free_space(&self.folder, CACHE_RESERVE) {
            return;
        }
        let connection = self.connection();
        let statement = connection.prepare_cached(
            "INSERT OR REPLACE INTO contents (blob, language, functions) VALUES (?1, ?2, ?3)",
        );
        if let Ok(mut statement) = statement {
            let stored = encode(sightings);
            let _ = statement.execute(params![&blob.as_bytes()[..], language.word(), stored]);
        }
    }

    /// Removes the older half of the entries, if the file is larger than `limit` bytes.
    fn evict(&self, path: &Path, limit: u64) {
        let large = fs::metadata(path).is_ok_and(|about| about.len() > limit);
        if large {
            let _ = self.connection().execute_batch(
                "DELETE FROM contents WHERE id <= (SELECT (MIN(id) + MAX(id)) / 2 FROM contents);
                 VACUUM; PRAGMA wal_checkpoint(TRUNCATE);",
            );
        }
    }

    fn connection(&self) -> std::sync::MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    retry_while_busy(BUSY_TIMEOUT, || {
        connection.pragma_update(None, "journal_mode", "WAL")
    })?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS contents (id INTEGER PRIMARY KEY, blob BLOB NOT NULL, language TEXT NOT NULL,
         functions BLOB NOT NULL, UNIQUE (blob, language))",
    )?;
    Ok(connection)
}

fn files(folder: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|end| folder.join(format!("{FILE}{end}")))
}

fn broken(path: &Path, why: &rusqlite::Error) -> Error {
    Error::user(format!("cannot open the cache: {why}"))
        .at(path)
        .hint("remove it with 'evoscope cache clear', or work without a cache with --no-cache")
}

/// Writes each function as the length of its name, the name, the number of its lines, and the hashes of its lines.
/// Lengths are `u32` and hashes are `u64`, both little-endian.
fn encode(sightings: &[FunctionFingerprint]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let length = |count: usize| super::intern::index(count).to_le_bytes();
    for found in sightings {
        bytes.extend(length(found.qualname.len()));
        bytes.extend(found.qualname.as_bytes());
        bytes.extend(length(found.body.len()));
        bytes.extend(found.body.iter().flat_map(|line| line.to_le_bytes()));
    }
    bytes
}

/// Reads what [`encode`] writes. `None` for any other bytes.
fn decode(mut bytes: &[u8]) -> Option<Vec<FunctionFingerprint>> {
    fn part<'a>(bytes: &mut &'a [u8], size: usize) -> Option<&'a [u8]> {
        let (part, rest) = bytes.split_at_checked(size)?;
        *bytes = rest;
        Some(part)
    }
    let length = |bytes: &mut &[u8]| {
        let number = part(bytes, 4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(number)).ok()
    };
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let size = length(&mut bytes)?;
        let qualname = String::from_utf8(part(&mut bytes, size)?.to_vec()).ok()?;
        let lines = length(&mut bytes)?;
        let body = part(&mut bytes, lines.checked_mul(8)?)?.chunks_exact(8);
        let body = body.filter_map(|line| line.try_into().ok().map(u64::from_le_bytes));
        found.push(FunctionFingerprint {
            qualname,
            body: body.collect(),
        });
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sighting(name: &str, body: &[u64]) -> FunctionFingerprint {
        FunctionFingerprint {
            qualname: name.to_owned(),
            body: body.to_vec(),
        }
    }

    #[test]
    fn stored_functions_are_found_by_later_runs_and_other_processes() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (BlobId::of(b"1").unwrap(), BlobId::of(b"2").unwrap());
        let stored = [sighting("A.é", &[1, u64::MAX]), sighting("f", &[])];
        let first = ContextStore::open(folder.path()).unwrap();
        let second = ContextStore::open(folder.path()).unwrap();
        first.insert(Language::Python, one, &stored);
        second.insert(Language::Python, other, &[]);
        drop(first);
        let third = ContextStore::open(folder.path()).unwrap();
        assert_eq!(third.sightings(Language::Python, one).unwrap(), stored);
        assert_eq!(second.sightings(Language::Python, one).unwrap(), stored);
        assert_eq!(third.sightings(Language::Python, other).unwrap(), []);
        assert_eq!(third.sightings(Language::Java, one), None);
    }

    #[test]
    fn a_file_that_is_no_cache_is_replaced_and_other_files_are_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join(FILE),
            "no database at all, but long enough to look at",
        )
        .unwrap();
        fs::write(folder.path().join("mine"), "x").unwrap();
        let blob = BlobId::of(b"1").unwrap();
        let store = ContextStore::open(folder.path()).unwrap();
        store.insert(Language::Python, blob, &[sighting("f", &[7])]);
        assert!(store.sightings(Language::Python, blob).is_some());
        assert!(ContextStore::size(folder.path()) > 0);
        drop(store);
        ContextStore::clear(folder.path()).unwrap();
        assert_eq!(ContextStore::size(folder.path()), 0);
        assert!(folder.path().join("mine").exists());
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(ContextStore::open(&folder.path().join("file")).is_err());
    }

    #[test]
    fn a_cache_that_is_too_large_loses_the_older_half_of_its_entries() {
        let folder = tempfile::tempdir().unwrap();
        let store = ContextStore::open(folder.path()).unwrap();
        let blobs: Vec<BlobId> = (0..100_u32)
            .map(|at| BlobId::of(&at.to_le_bytes()).unwrap())
            .collect();
        for blob in &blobs {
            store.insert(Language::Python, *blob, &[sighting("f", &[1; 500])]);
        }
        drop(store);
        let store = ContextStore::open(folder.path()).unwrap();
        let before = ContextStore::size(folder.path());
        store.evict(&folder.path().join(FILE), 1_000);
        let left = |blob: &&BlobId| store.sightings(Language::Python, **blob).is_some();
        assert_eq!(blobs.iter().filter(left).count(), 50);
        assert!(left(&&blobs[99]) && !left(&&blobs[0]));
        assert!(ContextStore::size(folder.path()) < before);
    }

    proptest! {
        #[test]
        fn decoded_bytes_are_encoded_to_the_same_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Some(found) = decode(&bytes) {
                prop_assert_eq!(encode(&found), bytes);
            }
        }
    }
}
