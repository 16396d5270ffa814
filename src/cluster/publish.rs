//! Publishes files: a file appears complete or not at all, and the first file at a path stays.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The result of publishing a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Published {
    /// The published file is now at the path.
    First,
    /// Another file was already at the path. It has these contents.
    Earlier(Vec<u8>),
}

type Link<'a> = &'a dyn Fn(&Path, &Path) -> io::Result<()>;

/// Writes a file with `contents` to `path`, unless `path` exists already. Creates the folder if it is missing.
/// `writer` becomes a part of the temporary file's name. Errors when the file cannot be written, or when an earlier
/// file cannot be read.
pub(super) fn publish(path: &Path, contents: &[u8], writer: &str) -> Result<Published> {
    publish_with(path, contents, writer, &|from, to| fs::hard_link(from, to))
}

fn publish_with(path: &Path, contents: &[u8], writer: &str, link: Link<'_>) -> Result<Published> {
    let temporary = temporary_path(path, writer);
    let written = write_synced(&temporary, contents).and_then(|()| linked(&temporary, path, link));
    let _ = fs::remove_file(&temporary);
    match written {
        Ok(true) => Ok(Published::First),
        Ok(false) => fs::read(path)
            .map(Published::Earlier)
            .map_err(|why| Error::io("read", path, why)),
        Err(why) => Err(Error::io("write", path, why)),
    }
}

fn temporary_path(path: &Path, writer: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{writer}.{:08x}", rand::random::<u32>()))
}

fn write_synced(path: &Path, contents: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(contents)?;
    file.sync_all()
}

/// Makes `path` a hard link to the file at `temporary`. Returns false if another file is at `path`. A network file
/// system may make the link but report an error, because an answer was lost. [`is_linked`] detects this case.
fn linked(temporary: &Path, path: &Path, link: Link<'_>) -> io::Result<bool> {
    let made = link(temporary, path);
    if made.is_err() && !is_linked(temporary, path)? {
        return if path.exists() {
            Ok(false)
        } else {
            made.map(|()| true)
        };
    }
    // Some file systems cannot sync a folder. The file is complete even then.
    let folder = path.parent().map(File::open);
    if let Some(Ok(folder)) = folder {
        let _ = folder.sync_all();
    }
    Ok(true)
}

fn is_linked(temporary: &Path, path: &Path) -> io::Result<bool> {
    let own = fs::metadata(temporary)?;
    let same = |other: fs::Metadata| (other.dev(), other.ino()) == (own.dev(), own.ino());
    Ok(own.nlink() == 2 || fs::metadata(path).is_ok_and(same))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_file_at_a_path_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results/ab/key.json");
        assert_eq!(publish(&path, b"one", "a").unwrap(), Published::First);
        let second = publish(&path, b"two", "b").unwrap();
        assert_eq!(second, Published::Earlier(b"one".to_vec()));
        let names = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(names, 1, "no temporary file is left");
    }

    #[test]
    fn a_link_counts_as_made_if_it_exists_although_an_error_was_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.json");
        let lost = |from: &Path, to: &Path| {
            fs::hard_link(from, to)?;
            Err(io::ErrorKind::AlreadyExists.into())
        };
        let made = publish_with(&path, b"one", "a", &lost).unwrap();
        assert_eq!(made, Published::First);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        let refused = |_: &Path, _: &Path| Err(io::ErrorKind::StorageFull.into());
        let other = folder.path().join("other.json");
        assert!(publish_with(&other, b"one", "a", &refused).is_err());
        assert!(!other.exists());
    }
}
