//! The space on disk of files and folders.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What is known about some files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// The space on disk, in bytes.
    pub bytes: u64,
    /// When the latest change was, in seconds after 1970. 0 without files.
    pub changed: i64,
}

/// Adds up files. A file with several names (hard links) counts once, at its first name.
#[derive(Debug, Default)]
pub(super) struct Disk {
    /// The device and the number of each counted file that has several names.
    counted: HashSet<(u64, u64)>,
}

impl Disk {
    /// Counts a file, or a folder with its content. Links are not followed. What cannot be read counts nothing.
    pub fn count(&mut self, path: &Path) -> Usage {
        let mut usage = Usage::default();
        let mut waiting = vec![path.to_owned()];
        while let Some(path) = waiting.pop() {
            let Ok(about) = fs::symlink_metadata(&path) else {
                continue;
            };
            usage.changed = usage.changed.max(about.mtime());
            let identity = (about.dev(), about.ino());
            if about.is_dir() {
                let inside = fs::read_dir(&path).into_iter().flatten().flatten();
                waiting.extend(inside.map(|entry| entry.path()));
            } else if about.nlink() > 1 && !self.counted.insert(identity) {
                continue;
            }
            usage.bytes += about.blocks() * 512;
        }
        usage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_two_names_counts_once() {
        let home = tempfile::tempdir().unwrap();
        let (first, second) = (home.path().join("first"), home.path().join("second"));
        for folder in [&first, &second] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(first.join("a"), vec![1; 100_000]).unwrap();
        let mut disk = Disk::default();
        let empty = disk.count(&second).bytes;
        let alone = disk.count(&first).bytes;
        assert!(alone >= 100_000 + empty, "{alone}");
        fs::hard_link(first.join("a"), second.join("b")).unwrap();
        let mut disk = Disk::default();
        assert_eq!(disk.count(&first).bytes, alone);
        assert!(disk.count(&second).bytes < 50_000);
        assert_eq!(disk.count(&home.path().join("missing")), Usage::default());
    }
}
