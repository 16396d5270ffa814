//! The files of a project that are copied into a sandbox. The folders of version control, the files that contain
//! targets (withheld files), and copies of targets are left out.

mod folders;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::copies::{self, TargetText};
use super::own_distribution::{OwnDistribution, missing_version_module};
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Error, Result};
use crate::history::{FileSource, Listing, ProjectFile, SourceTree};

/// The files that are copied into a sandbox before any run.
#[derive(Debug, Clone)]
pub struct ProjectFiles {
    /// The project's name, changed so that it is a valid folder name.
    pub name: String,
    /// The tree that the files come from.
    pub tree: SourceTree,
    /// The files in byte order of their paths, without the withheld files.
    pub files: Vec<ProjectFile>,
    /// The files that contain targets, sorted by path. Each run sends these files to the sandbox, unchanged or with a
    /// completion in place of the target's body.
    pub withheld: Vec<RepoPath>,
    /// Files that are missing in the sandbox, because the clone of the repository lacks their content.
    pub missing: Vec<RepoPath>,
    /// Files that are missing in the sandbox, because they contain copies of targets. In byte order.
    pub copies: Vec<RepoPath>,
    /// Sources that contain copies of targets and stay, because the project's tests import them. In byte order.
    pub duplicates: Vec<RepoPath>,
    /// Folders to create even if they contain no file: the folders that the project's Makefile creates, and the folders
    /// that `evoscope.toml` names.
    pub folders: Vec<RepoPath>,
}

impl ProjectFiles {
    /// Lists the project at `root`, without version control, the `withheld` files and their copies in build products.
    /// Paths in `withheld` that do not exist are ignored.
    pub fn list(name: &str, root: &Path, withheld: &[RepoPath], cancel: &Cancel) -> Result<Self> {
        Self::of_tree(name, root.into(), withheld, cancel)
    }

    /// Like [`list`](Self::list), for the files of `tree`.
    pub fn of_tree(
        name: &str,
        tree: SourceTree,
        withheld: &[RepoPath],
        cancel: &Cancel,
    ) -> Result<Self> {
        let Listing {
            files: mut found,
            missing,
        } = tree.list(cancel)?;
        let held: BTreeSet<&str> = withheld.iter().map(RepoPath::as_str).collect();
        found.retain(|file| !held.contains(file.path.as_str()) && !is_copy(&file.path, withheld));
        found.sort_by(|a, b| a.path.cmp(&b.path));
        let mut withheld: Vec<RepoPath> = withheld.to_vec();
        withheld.sort();
        withheld.dedup();
        withheld.retain(|path| tree.is_file(path.as_str()));
        Ok(Self {
            name: safe_name(name),
            folders: folders::made_by_the_project(&tree),
            tree,
            files: found,
            withheld,
            missing,
            copies: Vec::new(),
            duplicates: Vec::new(),
        })
    }

    /// Adds the files below `folder`, such as test data that is missing from the project's sources. A file of the
    /// project is never replaced.
    pub fn with_files(mut self, folder: &Path, cancel: &Cancel) -> Result<Self> {
        let mut added = SourceTree::from(folder).list(cancel)?.files;
        added.retain(|file| {
            !self.tree.has(file.path.as_str()) && !is_copy(&file.path, &self.withheld)
        });
        self.files.append(&mut added);
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(self)
    }

    /// Adds what an installation of a Python project would make, and what some projects read when they are imported: the
    /// metadata of the project's own distribution, and the module with its version. A file of the project is never
    /// replaced.
    #[must_use]
    pub fn with_metadata(mut self) -> Self {
        let made = made_by_installation(&self.tree).into_iter();
        self.files.extend(made.map(|(path, text)| ProjectFile {
            path,
            source: FileSource::Made(text.into()),
            executable: false,
        }));
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self
    }

    /// Leaves out the files that contain copies of `targets`, unless the project's tests import them. Errors when a file
    /// cannot be read, or when `cancel` is raised.
    pub fn without_copies(mut self, targets: &[TargetText], cancel: &Cancel) -> Result<Self> {
        let paths: Vec<&RepoPath> = self.files.iter().map(|file| &file.path).collect();
        let read = |path: &RepoPath| self.read(path);
        let found = copies::find(targets, &paths, &self.withheld, &read, cancel)?;
        self.files
            .retain(|file| found.unneeded.binary_search(&file.path).is_err());
        self.copies = found.unneeded;
        self.duplicates = found.needed;
        Ok(self)
    }

    /// Adds the `declared` folders. Errors if a path is not a plain relative path inside the project.
    pub fn with_folders(mut self, declared: &[String]) -> Result<Self> {
        for path in declared {
            let plain = path.trim_start_matches("./").trim_end_matches('/');
            if !folders::is_inside(plain) {
                let error = Error::user(format!(
                    "'{path}' is not a folder inside the project {}",
                    self.name
                ));
                return Err(
                    error.hint("name folders from the project's root: folders = [\"tests/db\"]")
                );
            }
            self.folders.push(RepoPath::new(plain));
        }
        self.folders.sort();
        self.folders.dedup();
        Ok(self)
    }

    /// A hash of the paths and contents of all files, including withheld files, and of the paths of [`Self::folders`].
    pub fn content_hash(&self, cancel: &Cancel) -> Result<[u8; 32]> {
        let mut hash = Sha256::new();
        for file in &self.files {
            cancel.check()?;
            add_to(&mut hash, &file.path, &file.read()?);
        }
        for path in &self.withheld {
            add_to(&mut hash, path, &self.read(path)?);
        }
        for path in &self.folders {
            add_to(&mut hash, path, b"folder");
        }
        Ok(hash.finalize().into())
    }

    /// Copies the files, without the withheld files, into the folder `base/NAME` (NAME is the project's name), and
    /// creates [`Self::folders`] in it. Returns this folder.
    pub fn copy_into(&self, base: &Path) -> Result<PathBuf> {
        let target = base.join(&self.name);
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |why: io::Error| Error::io("copy into the sandbox", &path, why)
        };
        fs::create_dir_all(&target).map_err(failed(&target))?;
        for path in &self.folders {
            let folder = target.join(path);
            fs::create_dir_all(&folder).map_err(failed(&folder))?;
        }
        for file in &self.files {
            let into = target.join(&file.path);
            if let Some(folder) = into.parent() {
                fs::create_dir_all(folder).map_err(failed(folder))?;
            }
            fs::write(&into, file.read()?).map_err(failed(&into))?;
            let mode = if file.executable { 0o755 } else { 0o644 };
            fs::set_permissions(&into, fs::Permissions::from_mode(mode)).map_err(failed(&into))?;
        }
        Ok(target)
    }

    /// The content of the file at `path`. The file may be withheld.
    pub fn read(&self, path: &RepoPath) -> Result<Vec<u8>> {
        match self.file(path) {
            Some(file) => file.read(),
            None => self.tree.read(path.as_str()),
        }
    }

    /// The paths of all files. The withheld files come last.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        let files = self.files.iter().map(|file| &file.path);
        files.chain(&self.withheld)
    }

    fn file(&self, path: &RepoPath) -> Option<&ProjectFile> {
        let at = self.files.binary_search_by(|file| file.path.cmp(path));
        at.ok().map(|at| &self.files[at])
    }

    /// Whether the file at `path` is executable. False for withheld and unknown files.
    pub fn is_executable(&self, path: &RepoPath) -> bool {
        self.file(path).is_some_and(|file| file.executable)
    }
}

/// The files (path, text) that an installation of a Python project would make in the project's root, and that are not in
/// the tree: see [`ProjectFiles::with_metadata`].
pub(crate) fn made_by_installation(tree: &SourceTree) -> Vec<(RepoPath, String)> {
    let is_metadata =
        |name: &str| has_extension(name, "dist-info") || has_extension(name, "egg-info");
    let mut children = ["", "src/"].iter().flat_map(|folder| tree.children(folder));
    let has_metadata = children.any(|(name, _)| is_metadata(&name));
    let own = OwnDistribution::read(tree).filter(|_| !has_metadata);
    let metadata = own.iter().flat_map(OwnDistribution::files);
    let metadata = metadata.map(|(path, text)| (RepoPath::new(&path), text));
    metadata.chain(missing_version_module(tree)).collect()
}

fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|end| end == extension)
}

fn add_to(hash: &mut Sha256, path: &RepoPath, text: &[u8]) {
    for part in [path.as_str().as_bytes(), text] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
}

/// Whether `path` is a build product's copy of a withheld file: `build/lib/pkg/a.py` for `pkg/a.py`.
fn is_copy(path: &RepoPath, withheld: &[RepoPath]) -> bool {
    let built = path
        .as_str()
        .split('/')
        .any(|part| matches!(part, "build" | "dist" | "_build") || has_extension(part, "egg"));
    built
        && withheld.iter().any(|held| {
            let inner = held.as_str().strip_prefix("src/").unwrap_or(held.as_str());
            path.as_str().ends_with(&format!("/{inner}"))
        })
}

/// Makes a folder name from `name`: replaces each character except ASCII letters, digits, `.`, `_` and `-` by `-`, then
/// removes `.` and `-` from the beginning.
pub(crate) fn safe_name(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect::<String>()
        .trim_start_matches(['.', '-'])
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{import_roots, top_level_modules};

    fn project() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("src/pkg/__init__.py", ""),
            ("src/pkg/a.py", "A = 1\n"),
            ("src/pkg/b.py", "B = 1\n"),
            ("build/lib/pkg/a.py", "A = 1\n"),
            ("tests/test_a.py", "x = 1\n"),
            (".git/objects/ab/cd", "blob"),
            ("src/pkg/__pycache__/a.cpython-311.pyc", "code"),
        ] {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    #[test]
    fn version_control_withheld_files_and_their_copies_are_excluded() {
        let dir = project();
        let held = [RepoPath::new("src/pkg/a.py")];
        let files = ProjectFiles::list("T/p q", dir.path(), &held, &Cancel::default()).unwrap();
        let paths: Vec<_> = files.files.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(
            paths,
            ["src/pkg/__init__.py", "src/pkg/b.py", "tests/test_a.py"]
        );
        assert_eq!(files.name, "T-p-q");
    }

    #[test]
    fn added_files_never_replace_files_of_the_project() {
        let (dir, extra) = (project(), tempfile::tempdir().unwrap());
        fs::create_dir_all(extra.path().join("tests/data")).unwrap();
        fs::write(extra.path().join("tests/data/a.bin"), "made").unwrap();
        fs::write(extra.path().join("tests/test_a.py"), "y = 1\n").unwrap();
        let cancel = Cancel::default();
        let held = [RepoPath::new("src/pkg/a.py")];
        let files = ProjectFiles::list("p", dir.path(), &held, &cancel).unwrap();
        let files = files.with_files(extra.path(), &cancel).unwrap();
        let text = |path| String::from_utf8(files.read(&RepoPath::new(path)).unwrap()).unwrap();
        assert_eq!(text("tests/data/a.bin"), "made");
        assert_eq!(text("tests/test_a.py"), "x = 1\n");
    }

    #[test]
    fn the_metadata_of_a_distribution_are_added_unless_the_project_has_some() {
        let dir = project();
        let setup = "from setuptools import setup\nsetup(name='pkg', version='1.2')\n";
        fs::write(dir.path().join("setup.py"), setup).unwrap();
        let cancel = Cancel::default();
        let list = || {
            ProjectFiles::list("p", dir.path(), &[], &cancel)
                .unwrap()
                .with_metadata()
        };
        let path = RepoPath::new("pkg-1.2.dist-info/METADATA");
        let text = String::from_utf8(list().read(&path).unwrap()).unwrap();
        assert!(text.contains("Version: 1.2"), "{text}");
        fs::create_dir(dir.path().join("src/pkg.egg-info")).unwrap();
        assert!(list().read(&path).is_err());
    }

    #[test]
    fn a_src_layout_is_importable() {
        let dir = project();
        let held = ["src/pkg/a.py", "src/pkg/of_another_release.py"].map(RepoPath::new);
        let files = ProjectFiles::list("p", dir.path(), &held, &Cancel::default()).unwrap();
        assert_eq!(files.withheld, held[..1]);
        assert_eq!(import_roots(&files.tree, &held[0]), ["", "src"]);
        let modules = top_level_modules(files.paths(), &["", "src"]);
        assert_eq!(modules, ["pkg", "src", "tests"]);
    }

    #[test]
    fn the_hash_changes_with_folders_and_withheld_files() {
        let dir = project();
        let held = [RepoPath::new("src/pkg/a.py")];
        let cancel = Cancel::default();
        let files = ProjectFiles::list("p", dir.path(), &held, &cancel).unwrap();
        let before = files.content_hash(&cancel).unwrap();
        let more = files
            .clone()
            .with_folders(&["./out/db/".to_owned()])
            .unwrap();
        assert_ne!(before, more.content_hash(&cancel).unwrap());
        assert_eq!(more.folders, [RepoPath::new("out/db")]);
        assert!(files.clone().with_folders(&["../out".to_owned()]).is_err());
        fs::write(dir.path().join("src/pkg/a.py"), "A = 2\n").unwrap();
        assert_ne!(before, files.content_hash(&cancel).unwrap());
    }

    #[test]
    fn a_file_that_contains_a_target_is_left_out_whatever_its_name_is() {
        let dir = project();
        let code = "def f(a):\n    return a * 7919 + 13\n";
        for path in ["src/pkg/a.py", "src/pkg/tmp_a.py", "notes/a.txt"] {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, code).unwrap();
        }
        let (cancel, path) = (Cancel::default(), RepoPath::new("src/pkg/a.py"));
        let held = std::slice::from_ref(&path);
        let files = ProjectFiles::list("p", dir.path(), held, &cancel).unwrap();
        let target = TargetText {
            path: &path,
            name: "f",
            body: "    return a * 7919 + 13\n",
            docstring: 0,
            language: crate::benchmark::Language::Python,
        };
        let files = files.without_copies(&[target], &cancel).unwrap();
        assert_eq!(
            files.copies,
            ["notes/a.txt", "src/pkg/tmp_a.py"].map(RepoPath::new)
        );
        let paths: Vec<_> = files.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(
            paths,
            ["src/pkg/__init__.py", "src/pkg/b.py", "tests/test_a.py"]
        );
    }
}
