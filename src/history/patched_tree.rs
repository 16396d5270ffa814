//! A commit's tree with patches applied in memory. No object, index or work tree is written to the repository.
//!
//! Only the files that the patches touch are read. They are copied into an object database in memory, and the patches
//! are applied to a tree of only these files.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::hunk_offsets::moved;
use super::id::{BlobId, CommitId};
use super::objects::{self, LARGEST_BLOB};
use super::plain_diff::in_git_format;
use super::repository::Repository;
use super::snapshot::Snapshot;
use super::snapshot_file::SnapshotFile;
use super::tree::{self, EXECUTABLE, REGULAR, TYPE};
use crate::benchmark::RepoPath;
use crate::error::{Error, Result};

/// A patch in git's format, or a unified diff without `diff --git` lines.
#[derive(Debug, Clone, Copy)]
pub struct Patch<'a> {
    /// The patch's name in error messages, such as `the production patch`.
    pub name: &'a str,
    /// The patch's text, as `git diff` or `diff -u` writes it.
    pub text: &'a str,
}

/// A file after all patches.
#[derive(Debug, Clone)]
pub struct PatchedFile {
    /// The file's path, relative to the root.
    pub path: RepoPath,
    /// The file's content. `None` if the file was removed, or is not a regular file.
    pub content: Option<Arc<[u8]>>,
    /// Whether the file is executable.
    pub executable: bool,
    /// The 1-based lines that the last patch added to the file.
    pub added: Vec<u32>,
}

/// The files that the patches touch, while the patches are applied.
struct Touched {
    /// A repository in memory, with the contents of the files.
    memory: git2::Repository,
    /// The files after the patches that have been applied so far.
    index: git2::Index,
    /// Key: the path of a file. Value: the 1-based lines that the last patch added to the file.
    paths: BTreeMap<Vec<u8>, Vec<u32>>,
}

impl Repository {
    /// The tree of a commit with patches applied in order.
    ///
    /// # Errors
    /// As [`patched_files`](Self::patched_files). [`Kind::Data`](crate::error::Kind::Data) when trees are missing.
    pub fn patched(&self, base: CommitId, patches: &[Patch]) -> Result<Snapshot> {
        let changed = self.patched_files(base, patches)?;
        let (mut entries, skipped) = self.with(|repo| tree::list(repo, base))?;
        entries.retain(|entry| changed.iter().all(|file| file.path != entry.path));
        let mut contents = Vec::new();
        for file in changed {
            let Some(content) = file.content else {
                continue;
            };
            let blob = BlobId::of(&content)?;
            entries.push(SnapshotFile {
                path: file.path,
                blob,
                executable: file.executable,
            });
            contents.push((blob, content));
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Snapshot::of_patched(self, base, entries, skipped, contents))
    }

    /// The files that the patches touch, in their final state, ordered by the bytes of their paths. No other file is
    /// read. If the lines of a hunk are at another position in the file, the hunk is applied there.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when a patch cannot be read or does not apply, or when the clone lacks
    /// the commit or the content of a touched file. An error about a hunk names the file and the hunk.
    pub fn patched_files(&self, base: CommitId, patches: &[Patch]) -> Result<Vec<PatchedFile>> {
        self.with(|repo| {
            let tree = tree::tree_of(repo, base)?;
            let mut touched = Touched::new().map_err(|why| failed(&why))?;
            for patch in patches {
                let text = with_last_line_end(patch.text);
                let exists = |path: &str| {
                    let path = RepoPath::new(path);
                    touched.text(path.as_str()).is_some()
                        || objects::entry_at(repo, tree, &path).is_ok_and(|found| found.is_some())
                };
                let text = in_git_format(&text, exists);
                let diff = git2::Diff::from_buffer(text.as_bytes())
                    .map_err(|why| unreadable(*patch, &why))?;
                touched.copy_old_files(repo, tree, &diff)?;
                if let Err(why) = touched.apply(*patch, &diff, base) {
                    let moved = moved(&text, |path| touched.text(path)).ok_or(why)?;
                    let diff = git2::Diff::from_buffer(moved.as_bytes())
                        .map_err(|why| unreadable(*patch, &why))?;
                    touched.apply(*patch, &diff, base)?;
                    touched.note_added(&diff).map_err(|why| failed(&why))?;
                    continue;
                }
                touched.note_added(&diff).map_err(|why| failed(&why))?;
            }
            touched.files()
        })
    }
}

impl Touched {
    fn new() -> std::result::Result<Self, git2::Error> {
        let objects = git2::Odb::new()?;
        objects.add_new_mempack_backend(1)?;
        Ok(Self {
            memory: git2::Repository::from_odb(objects)?,
            index: git2::Index::new()?,
            paths: BTreeMap::new(),
        })
    }

    /// Copies the files that a patch touches from the commit's tree into memory. Files that an earlier patch has
    /// touched are already there.
    fn copy_old_files(
        &mut self,
        repo: &git2::Repository,
        tree: git2::Oid,
        diff: &git2::Diff,
    ) -> Result<()> {
        for delta in diff.deltas() {
            for file in [delta.old_file(), delta.new_file()] {
                let Some(path) = file.path_bytes() else {
                    continue;
                };
                if self.paths.contains_key(path) {
                    continue;
                }
                self.paths.insert(path.to_owned(), Vec::new());
                let shown = String::from_utf8_lossy(path);
                let entry = objects::entry_at(repo, tree, &RepoPath::new(&shown))?;
                let Some((id, mode)) = entry else {
                    continue;
                };
                let content = objects::blob(repo, &shown, id, LARGEST_BLOB)?;
                let content = content.ok_or_else(|| objects::too_large(&shown))?;
                self.add(path, mode, &content).map_err(|why| failed(&why))?;
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        path: &[u8],
        mode: i32,
        content: &[u8],
    ) -> std::result::Result<(), git2::Error> {
        let id = self.memory.blob(content)?;
        let none = git2::IndexTime::new(0, 0);
        self.index.add(&git2::IndexEntry {
            ctime: none,
            mtime: none,
            dev: 0,
            ino: 0,
            mode: mode.unsigned_abs(),
            uid: 0,
            gid: 0,
            file_size: 0,
            id,
            flags: 0,
            flags_extended: 0,
            path: path.to_owned(),
        })
    }

    /// The text of a file after the patches applied so far. `None` if the file does not exist or is not UTF-8.
    fn text(&self, path: &str) -> Option<String> {
        // In a patch, the old name of a new file is `/dev/null`. `get_path` panics on an absolute path.
        if path.starts_with('/') || !self.paths.contains_key(path.as_bytes()) {
            return None;
        }
        let entry = self.index.get_path(Path::new(path), 0)?;
        let blob = self.memory.find_blob(entry.id).ok()?;
        String::from_utf8(blob.content().to_vec()).ok()
    }

    /// Applies a patch. The error names the file and the hunk that do not apply.
    fn apply(&mut self, patch: Patch, diff: &git2::Diff, base: CommitId) -> Result<()> {
        let at = RefCell::new((String::new(), None));
        let mut options = git2::ApplyOptions::new();
        options.delta_callback(|delta| {
            let file = delta.and_then(|delta| delta.new_file().path_bytes().map(<[u8]>::to_vec));
            let file = file.unwrap_or_default();
            *at.borrow_mut() = (String::from_utf8_lossy(&file).into_owned(), None);
            true
        });
        options.hunk_callback(|hunk| {
            at.borrow_mut().1 =
                hunk.map(|hunk| String::from_utf8_lossy(hunk.header()).trim().to_owned());
            true
        });
        let applied = self
            .index
            .write_tree_to(&self.memory)
            .and_then(|tree| self.memory.find_tree(tree))
            .and_then(|tree| self.memory.apply_to_tree(&tree, diff, Some(&mut options)));
        drop(options);
        self.index = applied.map_err(|why| not_applied(patch, &at.into_inner(), base, &why))?;
        Ok(())
    }

    /// Stores which lines a patch has added to each file, and drops the lines of earlier patches.
    fn note_added(&mut self, diff: &git2::Diff) -> std::result::Result<(), git2::Error> {
        self.paths.values_mut().for_each(Vec::clear);
        diff.foreach(
            &mut |_, _| true,
            None,
            None,
            Some(&mut |delta, _, line| {
                let added = line.new_lineno().filter(|_| line.origin() == '+');
                let path = delta.new_file().path_bytes();
                let lines = path.and_then(|path| self.paths.get_mut(path));
                if let (Some(lines), Some(added)) = (lines, added) {
                    lines.push(added);
                }
                true
            }),
        )
    }

    /// The files after all patches.
    fn files(&self) -> Result<Vec<PatchedFile>> {
        let files = self.paths.iter().map(|(path, added)| {
            let shown = String::from_utf8_lossy(path);
            let entry = self.index.get_path(Path::new(&*shown), 0);
            let mode = entry.as_ref().map_or(0, |entry| entry.mode.cast_signed());
            let regular = entry.filter(|_| mode & TYPE == REGULAR);
            let content = regular.map(|entry| {
                let blob = self.memory.find_blob(entry.id);
                blob.map(|blob| Arc::from(blob.content()))
                    .map_err(|why| failed(&why))
            });
            Ok(PatchedFile {
                path: RepoPath::new(&shown),
                content: content.transpose()?,
                executable: mode & EXECUTABLE != 0,
                added: added.clone(),
            })
        });
        files.collect()
    }
}

/// The text with a final line feed, if it is not empty. Some records have patches without a final line feed.
fn with_last_line_end(text: &str) -> std::borrow::Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') {
        text.into()
    } else {
        format!("{text}\n").into()
    }
}

fn failed(why: &git2::Error) -> Error {
    Error::internal(format!("cannot apply a patch in memory: {}", why.message()))
}

fn unreadable(patch: Patch, why: &git2::Error) -> Error {
    Error::data(format!("{} cannot be read: {}", patch.name, why.message()))
        .hint(hint_at_form(patch.text).unwrap_or("give it as 'git diff' or 'diff -u' writes it"))
}

fn not_applied(
    patch: Patch,
    (file, hunk): &(String, Option<String>),
    base: CommitId,
    why: &git2::Error,
) -> Error {
    let place = match hunk {
        Some(hunk) => format!("{file}, hunk '{hunk}'"),
        None => file.clone(),
    };
    let what = format!(
        "{} does not apply to {}: {place}: {}",
        patch.name,
        base.short(),
        why.message()
    );
    Error::data(what).hint(
        hint_at_form(patch.text)
            .unwrap_or("check that the base commit is the one that the patch was made against"),
    )
}

/// A hint at the fix, if the form of a patch may be the reason why it cannot be used.
fn hint_at_form(patch: &str) -> Option<&'static str> {
    let binary = patch.lines().any(|line| line.starts_with("Binary files "));
    let crlf = patch.contains(" @@\r\n");
    if binary {
        Some("the patch lacks the data of binary files: make it with 'git diff --binary'")
    } else if crlf {
        Some("the patch has CRLF line ends: give it with LF line ends")
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
