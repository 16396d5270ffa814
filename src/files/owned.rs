//! Files of lines. Only one process at a time can append to such a file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::output::rewrite;
use crate::error::{Error, Result};

/// A file of lines, locked while this value exists, so that no other Evoscope process writes to it. If the file system
/// has no locks, the file is not locked.
pub struct OwnedFile {
    path: PathBuf,
    file: File,
}

/// A file that is open for appending.
pub enum OpenedFile {
    /// A new or existing regular file.
    Owned(OwnedFile),
    /// Something else, such as `/dev/stdout` or a pipe, opened for writing. It has no earlier lines.
    Stream(File),
}

/// The longest line, with its line feed, in bytes.
const LONGEST_LINE: u64 = 256 << 20;
/// How long to wait for a lock before the file counts as in use. Waiting is necessary because a new child process has
/// the locks of its parent for a short time, until the child closes the inherited files.
const LOCK_WAIT: Duration = Duration::from_millis(200);

impl OwnedFile {
    /// Opens the file at `path` to read and append, or creates it. Does not change its contents. Errors when the file
    /// cannot be opened, or when another process has locked it.
    pub fn open(path: &Path) -> Result<OpenedFile> {
        let cannot = |why| Error::io("write", path, why);
        if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
            let stream = OpenOptions::new().write(true).open(path).map_err(cannot)?;
            return Ok(OpenedFile::Stream(stream));
        }
        loop {
            let file = OpenOptions::new()
                .read(true)
                .append(true)
                .create(true)
                .open(path)
                .map_err(cannot)?;
            if !lock(&file) {
                return Err(in_use(path, &file));
            }
            // Another process may have replaced the file between the opening and the lock.
            if is_at(&file, path).map_err(cannot)? {
                let path = path.to_owned();
                return Ok(OpenedFile::Owned(Self { path, file }));
            }
        }
    }

    /// Calls `each` with the byte offset of each line and the line, including its line feed. The last line may lack its
    /// line feed. Errors when the file cannot be read, or when `each` returns an error.
    pub fn each_line(&self, mut each: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        let cannot = |why| Error::io("read", &self.path, why);
        let mut reader = BufReader::new(&self.file);
        reader.seek(SeekFrom::Start(0)).map_err(cannot)?;
        let (mut at, mut line) = (0, Vec::new());
        loop {
            let mut limited = reader.by_ref().take(LONGEST_LINE);
            if limited.read_until(b'\n', &mut line).map_err(cannot)? == 0 {
                return Ok(());
            }
            if line.len() as u64 == LONGEST_LINE {
                let what = format!("a line has more than {} MB", LONGEST_LINE >> 20);
                return Err(Error::data(what)
                    .at(&self.path)
                    .hint("move the file away, or name another one"));
            }
            each(at, &line)?;
            at += line.len() as u64;
            line.clear();
        }
    }

    /// Appends lines, each with its line feed. After an error, none of the lines are in the file.
    pub fn append(&mut self, lines: &[u8]) -> Result<()> {
        let before = self.file.metadata().map(|about| about.len());
        let written = before.and_then(|before| {
            self.file.write_all(lines).inspect_err(|_| {
                // Removes the bytes that were written. This works on a full disk too.
                let _ = self.file.set_len(before);
            })
        });
        written.map_err(|why| Error::io("write", &self.path, why))
    }

    /// Truncates the file to `length` bytes.
    pub fn truncate(&mut self, length: u64) -> Result<()> {
        self.changed(self.file.set_len(length))
    }

    /// Waits until the file's lines are on the disk.
    pub fn sync(&self) -> Result<()> {
        self.changed(self.file.sync_all())
    }

    /// Removes the lines for which `stays` returns false. `stays` gets the byte offset of a line. If the process is
    /// killed, either all of these lines are removed or none.
    pub fn retain(self, mut stays: impl FnMut(u64) -> bool) -> Result<()> {
        let permissions = self.file.metadata().map(|about| about.permissions()).ok();
        let written = rewrite(&self.path, permissions, |new| {
            let mut new = io::BufWriter::new(new);
            let copied = self.each_line(|at, line| {
                let copied = if stays(at) {
                    new.write_all(line)
                } else {
                    Ok(())
                };
                copied.map_err(|why| Error::io("write", &self.path, why))
            });
            copied.map_err(io::Error::other)?;
            new.flush()
        });
        self.changed(written.map(drop))
    }

    fn changed(&self, done: io::Result<()>) -> Result<()> {
        done.map_err(|why| Error::io("write", &self.path, why))
    }
}

/// Whether `path` still refers to this open file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let own = file.metadata()?;
    Ok(fs::metadata(path).is_ok_and(|named| named.dev() == own.dev() && named.ino() == own.ino()))
}

fn in_use(path: &Path, file: &File) -> Error {
    let holder = file.metadata().ok().and_then(|about| holder(about.ino()));
    let who = holder.map_or("another process".to_owned(), |id| format!("process {id}"));
    Error::user(format!("{who} is writing to this file"))
        .at(path)
        .hint("wait until it ends, or name another file")
}

/// Locks a file. Returns false if another process has held the lock for [`LOCK_WAIT`]. Returns true if the file
/// system has no locks.
fn lock(file: &File) -> bool {
    let until = Instant::now() + LOCK_WAIT;
    while let Err(TryLockError::WouldBlock) = file.try_lock() {
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}

/// The id of the process that has locked the file with this inode; `None` if the id is not known. Linux lists a lock
/// in `/proc/locks` as `1: FLOCK ADVISORY WRITE 4711 08:02:1234 0 EOF`, with the process id 4711 and the inode 1234.
fn holder(inode: u64) -> Option<u32> {
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let held = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let file = words.get(5)?.rsplit(':').next()?;
        let own = words.get(1) == Some(&"FLOCK") && file.parse() == Ok(inode);
        own.then(|| words[4].parse().ok())?
    };
    locks.lines().find_map(held).filter(|id| *id != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(path: &Path) -> OwnedFile {
        match OwnedFile::open(path).unwrap() {
            OpenedFile::Owned(file) => file,
            OpenedFile::Stream(_) => panic!("a stream"),
        }
    }

    #[test]
    fn a_second_opening_is_refused_until_the_first_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        let mut first = owned(&path);
        first.append(b"a\n").unwrap();
        let Err(why) = OwnedFile::open(&path) else {
            panic!("opened twice")
        };
        let expected = format!("process {} is writing to this file", std::process::id());
        assert_eq!(why.what(), expected);
        drop(first);
        owned(&path).append(b"b\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\nb\n");
    }

    #[test]
    fn truncate_removes_the_end_and_retain_removes_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        fs::write(&path, "a\nbc\nd\npart").unwrap();
        let mut file = owned(&path);
        file.truncate(7).unwrap();
        let mut read = Vec::new();
        file.each_line(|at, line| {
            read.push((at, line.to_vec()));
            Ok(())
        })
        .unwrap();
        assert_eq!(
            read,
            [
                (0, b"a\n".to_vec()),
                (2, b"bc\n".to_vec()),
                (5, b"d\n".to_vec())
            ]
        );
        file.retain(|at| at != 2).unwrap();
        owned(&path).append(b"e\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\nd\ne\n");
    }

    #[test]
    fn a_device_is_opened_as_a_stream() {
        let opened = OwnedFile::open(Path::new("/dev/null")).unwrap();
        assert!(matches!(opened, OpenedFile::Stream(_)));
    }
}
