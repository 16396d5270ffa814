//! Help for databases: hints for errors, retries while a database is busy, and the space that a cache leaves on a disk.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::statvfs::statvfs;
use rusqlite::{Error, ErrorCode, ffi};

/// How to fix an error of a database file, in the imperative.
pub fn database_hint(why: &Error) -> &'static str {
    let Some(error) = why.sqlite_error() else {
        return "move the file away: an empty one is made in its place";
    };
    match error.extended_code {
        ffi::SQLITE_IOERR_LOCK
        | ffi::SQLITE_IOERR_RDLOCK
        | ffi::SQLITE_IOERR_CHECKRESERVEDLOCK
        | ffi::SQLITE_IOERR_SHMOPEN
        | ffi::SQLITE_IOERR_SHMLOCK
        | ffi::SQLITE_IOERR_SHMMAP => {
            return "its file system has no locks: set EVOSCOPE_HOME to a folder on a local disk";
        }
        _ => {}
    }
    match error.code {
        ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
            "give yourself write permission for the file and its folder, or set EVOSCOPE_HOME to another folder"
        }
        ErrorCode::DiskFull => {
            "free space on its disk: 'evoscope cache clear' removes what can be made again"
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            "another process is using it: wait until that ends, and run the command again"
        }
        ErrorCode::SystemIoFailure => {
            "check its disk, or set EVOSCOPE_HOME to a folder on another disk"
        }
        _ => "move the file away: an empty one is made in its place",
    }
}

/// Repeats `work` while the database is busy, until `timeout` has passed. SQLite's own busy timeout does not cover a
/// change of the journal mode, or the recovery of the write-ahead log after its writer was killed.
pub fn retry_while_busy<T>(
    timeout: Duration,
    mut work: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let began = Instant::now();
    loop {
        match work() {
            Err(why) if is_busy(&why) && began.elapsed() < timeout => {
                thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

fn is_busy(why: &Error) -> bool {
    matches!(
        why.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Whether more than `reserve` bytes are free on the disk of `path`. True if the free space is not known. A cache
/// must leave space for data that cannot be made again.
pub fn has_free_space(path: &Path, reserve: u64) -> bool {
    statvfs(path).map_or(true, |disk| {
        disk.blocks_available().saturating_mul(disk.fragment_size()) > reserve
    })
}

/// The space that a cache leaves free on its disk, in bytes.
pub const CACHE_RESERVE: u64 = 64 << 20;

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    fn hint(code: i32) -> &'static str {
        database_hint(&Error::SqliteFailure(ffi::Error::new(code), None))
    }

    #[test]
    fn the_hint_depends_on_the_cause_of_the_error() {
        for (code, word) in [
            (ffi::SQLITE_READONLY, "write permission"),
            (ffi::SQLITE_READONLY_DIRECTORY, "write permission"),
            (ffi::SQLITE_CANTOPEN, "write permission"),
            (ffi::SQLITE_FULL, "free space"),
            (ffi::SQLITE_BUSY, "another process"),
            (ffi::SQLITE_IOERR_LOCK, "no locks"),
            (ffi::SQLITE_IOERR_SHMMAP, "no locks"),
            (ffi::SQLITE_IOERR_WRITE, "check its disk"),
            (ffi::SQLITE_CORRUPT, "move the file away"),
            (ffi::SQLITE_NOTADB, "move the file away"),
        ] {
            assert!(hint(code).contains(word), "{code}: {}", hint(code));
        }
        let other = Connection::open_in_memory().unwrap();
        let why = other.query_row("SELECT 1 WHERE 0", [], |_| Ok(()));
        assert!(database_hint(&why.unwrap_err()).contains("move the file away"));
    }

    #[test]
    fn free_space_is_compared_with_the_reserve() {
        let folder = tempfile::tempdir().unwrap();
        assert!(has_free_space(folder.path(), 0));
        assert!(!has_free_space(folder.path(), u64::MAX - 1));
        assert!(has_free_space(&folder.path().join("missing"), u64::MAX - 1));
    }
}
