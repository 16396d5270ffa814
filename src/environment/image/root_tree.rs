//! The files of an image: most are files of this machine, at the same paths.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use crate::error::Cancel;

/// The time of files that this machine does not have, in seconds after 1970.
const TIME: u64 = 1_000_000_000;
/// More links than this on one path are a loop.
const MOST_LINKS: usize = 40;

/// Files by their absolute paths. A folder comes before the files in it. All files belong to root, and everybody may
/// read them.
#[derive(Debug, Default)]
pub(super) struct RootTree(BTreeMap<PathBuf, Entry>);

#[derive(Debug, PartialEq, Eq)]
enum Entry {
    Folder {
        mode: u32,
    },
    /// A file of this machine, at the same path.
    Host,
    Link(PathBuf),
    Text(Vec<u8>),
}

impl RootTree {
    /// Adds the file, folder or link `path` of this machine, the folders on the way to it, and what links on the way
    /// lead to. Everybody may enter these folders, because runs do not have the user of this machine. A folder is added
    /// without its content. Adds nothing if the path does not exist. Returns the path without links.
    pub fn add(&mut self, path: &Path) -> Option<PathBuf> {
        let kind = fs::metadata(path).ok()?.file_type();
        if !(kind.is_file() || kind.is_dir()) {
            return None;
        }
        let (mut at, mut links) = (PathBuf::from("/"), 0);
        let mut waiting = names(path);
        while let Some(name) = waiting.pop_front() {
            if name == ".." {
                at.pop();
                continue;
            }
            let next = at.join(name);
            let about = fs::symlink_metadata(&next).ok()?;
            if about.is_symlink() {
                links += 1;
                let target = fs::read_link(&next).ok().filter(|_| links < MOST_LINKS)?;
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                for name in names(&target).into_iter().rev() {
                    waiting.push_front(name);
                }
                self.0.insert(next, Entry::Link(target));
                continue;
            }
            self.0.entry(next.clone()).or_insert(if about.is_dir() {
                let mode = about.permissions().mode() & 0o755 | 0o711;
                Entry::Folder { mode }
            } else {
                Entry::Host
            });
            at = next;
        }
        Some(at)
    }

    /// Adds a folder of this machine with its content, except for the files and folders that `skip` names. Everybody
    /// may list the folder. Links in the folder are added with what they lead to, but not with the content of folders.
    pub fn add_folder(&mut self, folder: &Path, skip: &dyn Fn(&Path) -> bool) {
        let Some(folder) = self.add(folder) else {
            return;
        };
        let mut waiting = vec![folder];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (path, kind) = (entry.path(), entry.file_type());
                if skip(&path) {
                    continue;
                }
                if kind.is_ok_and(|kind| kind.is_dir()) {
                    waiting.push(path);
                } else {
                    self.add(&path);
                }
            }
            self.0.insert(folder, Entry::Folder { mode: 0o755 });
        }
    }

    /// Adds an empty folder that this machine need not have. The folder that contains it must have been added.
    pub fn add_empty_folder(&mut self, path: &str, mode: u32) {
        self.0.insert(path.into(), Entry::Folder { mode });
    }

    /// Adds a file with this content. The folder that contains it must have been added.
    pub fn add_text(&mut self, path: &str, text: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), Entry::Text(text.into()));
    }

    /// Adds a link, unless there is a file at `path`. The folder that contains it must have been added.
    pub fn add_link(&mut self, path: &Path, target: &Path) {
        let target = Entry::Link(target.to_owned());
        self.0.entry(path.to_owned()).or_insert(target);
    }

    /// The paths of the added files of this machine. Folders and links are left out.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let files = self.0.iter().filter(|(_, entry)| **entry == Entry::Host);
        files.map(|(path, _)| path.as_path())
    }

    /// Writes a tar archive of the tree below the folder `prefix`, which is relative. Stops with an error if cancelled.
    pub fn write(&self, prefix: &Path, out: impl Write, cancel: &Cancel) -> io::Result<()> {
        let mut archive = tar::Builder::new(out);
        for (path, entry) in &self.0 {
            if cancel.check().is_err() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let place = prefix.join(path.strip_prefix("/").unwrap_or(path));
            write(&mut archive, path, &place, entry)
                .map_err(|why| io::Error::new(why.kind(), format!("{}: {why}", path.display())))?;
        }
        archive.finish()
    }
}

/// The components of a path, without the root and `.`.
fn names(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

fn write<W: Write>(
    archive: &mut tar::Builder<W>,
    path: &Path,
    place: &Path,
    entry: &Entry,
) -> io::Result<()> {
    match entry {
        Entry::Folder { mode } => {
            let mut header = header(tar::EntryType::Directory, *mode, 0, TIME);
            archive.append_data(&mut header, place, io::empty())
        }
        Entry::Link(target) => {
            let mut header = header(tar::EntryType::Symlink, 0o777, 0, TIME);
            archive.append_link(&mut header, place, target)
        }
        Entry::Text(text) => {
            let mut header = header(tar::EntryType::Regular, 0o644, text.len() as u64, TIME);
            archive.append_data(&mut header, place, text.as_slice())
        }
        Entry::Host => {
            let file = File::open(path)?;
            let about = file.metadata()?;
            let executable = about.permissions().mode() & 0o111 != 0;
            let mode = if executable { 0o755 } else { 0o644 };
            let time = u64::try_from(about.mtime()).unwrap_or(TIME);
            let mut header = header(tar::EntryType::Regular, mode, about.len(), time);
            archive.append_data(&mut header, place, file.take(about.len()))
        }
    }
}

fn header(kind: tar::EntryType, mode: u32, size: u64, time: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(time);
    header
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// (path below `root`, entry) of each entry below `root`.
    fn below<'a>(tree: &'a RootTree, root: &Path) -> Vec<(String, &'a Entry)> {
        let inside = |path: &Path| Some(path.strip_prefix(root).ok()?.display().to_string());
        let entries = tree.0.iter();
        let inside = entries.filter_map(|(path, entry)| Some((inside(path)?, entry)));
        inside.filter(|(path, _)| !path.is_empty()).collect()
    }

    #[test]
    fn links_on_the_way_to_a_file_are_kept_and_followed() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("usr/lib")).unwrap();
        fs::write(root.join("usr/lib/real.1"), "").unwrap();
        symlink("usr/lib", root.join("lib")).unwrap();
        symlink("../real.1", root.join("usr/lib/name")).unwrap();
        let mut tree = RootTree::default();
        let found = tree.add(&root.join("lib/name"));
        assert!(found.is_none(), "a link that leads nowhere is added");
        fs::remove_file(root.join("usr/lib/name")).unwrap();
        symlink("../../lib/real.1", root.join("usr/lib/name")).unwrap();
        let found = tree.add(&root.join("lib/name"));
        assert_eq!(found, Some(root.join("usr/lib/real.1")));
        let names: Vec<_> = below(&tree, &root)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let expected = ["lib", "usr", "usr/lib", "usr/lib/name", "usr/lib/real.1"];
        assert_eq!(names, expected);
    }

    #[test]
    fn everybody_may_enter_the_folders_on_the_way_and_list_the_added_folder() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        let (private, inner) = (root.join("private"), root.join("private/inner"));
        fs::create_dir_all(inner.join("skipped")).unwrap();
        for folder in [&private, &inner] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
        }
        let mut tree = RootTree::default();
        tree.add_folder(&inner, &|path| path.ends_with("skipped"));
        let entries = below(&tree, &root);
        let folder = |mode| Entry::Folder { mode };
        let (way, listed) = (folder(0o711), folder(0o755));
        let expected = [
            ("private".to_owned(), &way),
            ("private/inner".to_owned(), &listed),
        ];
        assert_eq!(entries, expected);
    }

    #[test]
    fn an_archive_has_every_entry_and_no_private_modes() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        let (file, link) = (root.join("program"), root.join("name"));
        fs::write(&file, "text").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o4710)).unwrap();
        let mut tree = RootTree::default();
        tree.add(&file);
        tree.add_link(&link, Path::new("program"));
        tree.add_link(&file, Path::new("replaces nothing"));
        let mut bytes = Vec::new();
        tree.write(Path::new("p"), &mut bytes, &Cancel::default())
            .unwrap();
        let mut archive = tar::Archive::new(bytes.as_slice());
        let last: Vec<_> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let name = entry.path().unwrap().file_name().unwrap().to_owned();
                (name, entry.header().mode().unwrap(), entry.size())
            })
            .collect();
        let last = &last[last.len() - 2..];
        assert_eq!(
            last,
            [("name".into(), 0o777, 0), ("program".into(), 0o755, 4)]
        );
        let cancel = Cancel::default();
        cancel.raise();
        assert!(tree.write(Path::new(""), io::sink(), &cancel).is_err());
    }
}
