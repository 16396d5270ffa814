//! The origin of a project's files: a folder, or a tree from git objects.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::id::BlobId;
use super::objects::too_many;
use super::snapshot::Snapshot;
use super::tree::MOST_ENTRIES;
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Error, Result};
use crate::files::{decode_text, is_file_beneath, read_beneath, too_large};

/// The maximum size of a project's file, in bytes.
const LARGEST_FILE: u64 = 512 << 20;

/// Folders with history, environments or build products. They may contain copies of the reference code, so they are not
/// copied for runs.
const EXCLUDED_FOLDERS: [&str; 14] = [
    ".git",
    ".hg",
    ".svn",
    ".bzr",
    ".tox",
    ".nox",
    ".venv",
    "venv",
    "myenv",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".eggs",
    "node_modules",
];

/// The files of a project. They are read but never written.
#[derive(Debug, Clone)]
pub enum SourceTree {
    /// The files below a folder.
    Folder(PathBuf),
    /// A tree of a repository, with or without patches.
    Snapshot(Snapshot),
}

/// Where the content of one file is.
#[derive(Debug, Clone)]
pub enum FileSource {
    /// Below this folder. A path that leads out of the folder is not read.
    Disk(Arc<Path>),
    /// A blob of a tree.
    Blob(Snapshot, BlobId),
    /// This text, which is in no tree.
    Made(Arc<str>),
}

/// One file of a project.
#[derive(Debug, Clone)]
pub struct ProjectFile {
    /// The file's path, relative to the project's root.
    pub path: RepoPath,
    /// Where the file is read from.
    pub source: FileSource,
    /// Whether the file is executable.
    pub executable: bool,
}

/// The files of a project that the runs of its tests use.
#[derive(Debug, Default)]
pub struct Listing {
    /// The files that can be read.
    pub files: Vec<ProjectFile>,
    /// The files with content that is missing from the clone.
    pub missing: Vec<RepoPath>,
}

impl ProjectFile {
    /// The bytes of the file. Errors when the file cannot be read, or when a file on disk is larger than
    /// `LARGEST_FILE`.
    pub fn read(&self) -> Result<Vec<u8>> {
        match &self.source {
            FileSource::Disk(root) => read_beneath(root, self.path.as_ref(), LARGEST_FILE),
            FileSource::Blob(tree, blob) => tree.read(*blob).map(|bytes| bytes.to_vec()),
            FileSource::Made(text) => Ok(text.as_bytes().to_vec()),
        }
    }
}

impl SourceTree {
    /// The files that runs use, without version control, environments and build products. Errors when a folder cannot
    /// be read or has more than [`MOST_ENTRIES`] entries, when a file on disk is larger than `LARGEST_FILE`, or when
    /// `cancel` is raised.
    pub fn list(&self, cancel: &Cancel) -> Result<Listing> {
        let mut listing = Listing::default();
        match self {
            Self::Folder(root) => listing.files = walk(root, cancel)?,
            Self::Snapshot(tree) => {
                for entry in tree.entries() {
                    cancel.check()?;
                    if entry.path.as_str().split('/').any(is_excluded) {
                        continue;
                    }
                    if tree.lacks(entry.blob) {
                        listing.missing.push(entry.path.clone());
                        continue;
                    }
                    listing.files.push(ProjectFile {
                        path: entry.path.clone(),
                        source: FileSource::Blob(tree.clone(), entry.blob),
                        executable: entry.executable,
                    });
                }
            }
        }
        Ok(listing)
    }

    /// The bytes of the file at `path`. Errors when there is no such file, when it cannot be read, or when it is too
    /// large.
    pub fn read(&self, path: &str) -> Result<Vec<u8>> {
        match self {
            Self::Folder(root) => read_beneath(root, Path::new(path), LARGEST_FILE),
            Self::Snapshot(tree) => match tree.read_path(&RepoPath::new(path))? {
                Some(bytes) => Ok(bytes.to_vec()),
                None => Err(Error::data(format!("{path} is not in {}", tree.label()))),
            },
        }
    }

    /// The text of a file of less than 1 MiB, in any Unicode encoding; see [`decode_text`]. `None` if there is no such
    /// file, if it cannot be read, or if it has 1 MiB or more.
    pub fn small_text(&self, path: &str) -> Option<String> {
        const LIMIT: usize = (1 << 20) - 1;
        let bytes = match self {
            Self::Folder(root) => read_beneath(root, Path::new(path), LIMIT as u64),
            Self::Snapshot(_) => self.read(path),
        };
        let bytes = bytes.ok().filter(|bytes| bytes.len() <= LIMIT)?;
        Some(decode_text(&bytes))
    }

    /// Whether there is a file at `path`.
    pub fn is_file(&self, path: &str) -> bool {
        match self {
            Self::Folder(root) => is_file_beneath(root, Path::new(path)),
            Self::Snapshot(tree) => tree.blob_at(&RepoPath::new(path)).is_some(),
        }
    }

    /// Whether there is a folder at `path`.
    pub fn is_folder(&self, path: &str) -> bool {
        match self {
            Self::Folder(root) => root.join(path).is_dir(),
            Self::Snapshot(tree) => below(tree, path).next().is_some(),
        }
    }

    /// Whether there is a file or a folder at `path`.
    pub fn has(&self, path: &str) -> bool {
        match self {
            Self::Folder(root) => root.join(path).exists(),
            Self::Snapshot(_) => self.is_file(path) || self.is_folder(path),
        }
    }

    /// (name, whether the entry is a folder) for each entry of the folder at `path`. Symbolic links, and names on disk
    /// that are not UTF-8, are left out. Empty if there is no such folder.
    pub fn children(&self, path: &str) -> Vec<(String, bool)> {
        match self {
            Self::Folder(root) => {
                let entries = fs::read_dir(root.join(path)).into_iter().flatten();
                let children = entries.flatten().filter_map(|entry| {
                    let kind = entry.file_type().ok()?;
                    let name = entry.file_name().into_string().ok()?;
                    (kind.is_dir() || kind.is_file()).then_some((name, kind.is_dir()))
                });
                children.collect()
            }
            Self::Snapshot(tree) => {
                let names = below(tree, path).map(|rest| match rest.split_once('/') {
                    Some((folder, _)) => (folder.to_owned(), true),
                    None => (rest.to_owned(), false),
                });
                names.collect::<BTreeMap<_, _>>().into_iter().collect()
            }
        }
    }
}

impl Default for SourceTree {
    fn default() -> Self {
        Self::Folder(PathBuf::new())
    }
}

impl PartialEq for SourceTree {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Folder(one), Self::Folder(two)) => one == two,
            (Self::Snapshot(one), Self::Snapshot(two)) => one.id() == two.id(),
            _ => false,
        }
    }
}

impl Eq for SourceTree {}

impl From<&Path> for SourceTree {
    fn from(root: &Path) -> Self {
        Self::Folder(root.to_owned())
    }
}

/// The paths of a tree's files below `folder`, relative to `folder`.
fn below<'t>(tree: &'t Snapshot, folder: &str) -> impl Iterator<Item = &'t str> {
    let folder = folder.trim_end_matches('/');
    let prefix = if folder.is_empty() {
        String::new()
    } else {
        format!("{folder}/")
    };
    let first = tree
        .entries()
        .partition_point(|entry| entry.path.as_str() < prefix.as_str());
    tree.entries()[first..]
        .iter()
        .map_while(move |entry| entry.path.as_str().strip_prefix(&*prefix))
}

/// Whether runs leave out the paths that contain the component `name`: an excluded folder, or a bytecode file.
fn is_excluded(name: &str) -> bool {
    let bytecode = Path::new(name).extension().is_some_and(|end| end == "pyc");
    EXCLUDED_FOLDERS.contains(&name) || bytecode
}

/// Lists the files below `root` that are not excluded. A link to a file below `root` counts as that file. Other links,
/// and names that are not UTF-8, are left out.
fn walk(root: &Path, cancel: &Cancel) -> Result<Vec<ProjectFile>> {
    let root: Arc<Path> = root.into();
    let mut found = Vec::new();
    // A list instead of recursion, because folders may be nested thousands deep.
    let mut waiting = vec![String::new()];
    let mut count = 0;
    while let Some(inside) = waiting.pop() {
        cancel.check()?;
        let folder = root.join(&inside);
        let cannot = |why| Error::io("read the folder", &folder, why);
        for entry in fs::read_dir(&folder).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            count += 1;
            if count > MOST_ENTRIES {
                return Err(too_many("the folder").at(&*root));
            }
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                continue;
            };
            if is_excluded(&name) {
                continue;
            }
            let path = if inside.is_empty() {
                name
            } else {
                format!("{inside}/{name}")
            };
            match listed(&root, &path, &entry)? {
                Listed::Folder => waiting.push(path),
                Listed::File(file) => found.push(file),
                Listed::Nothing => {}
            }
        }
    }
    Ok(found)
}

/// The kind of an entry in a project's folder.
enum Listed {
    Folder,
    File(ProjectFile),
    /// A link that does not lead to a file of the project, a pipe, or another special file.
    Nothing,
}

fn listed(root: &Arc<Path>, path: &str, entry: &fs::DirEntry) -> Result<Listed> {
    let cannot = |why| Error::io("inspect", &entry.path(), why);
    let kind = entry.file_type().map_err(cannot)?;
    if kind.is_dir() {
        return Ok(Listed::Folder);
    }
    if !(kind.is_file() || kind.is_symlink() && is_file_beneath(root, Path::new(path))) {
        return Ok(Listed::Nothing);
    }
    let about = fs::metadata(entry.path()).map_err(cannot)?;
    if about.len() > LARGEST_FILE {
        return Err(too_large(&entry.path(), about.len(), LARGEST_FILE));
    }
    Ok(Listed::File(ProjectFile {
        path: RepoPath::new(path),
        source: FileSource::Disk(Arc::clone(root)),
        executable: about.permissions().mode() & 0o111 != 0,
    }))
}
