//! Finds the git folder of a repository, and checks it before libgit2 opens it: libgit2 waits without end for a pipe, and
//! reads a device without end.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files::{self, read_text};

/// The maximum size of a file with references or settings, in bytes.
const LARGEST: u64 = 512 << 20;
/// The maximum number of folders with objects of other repositories (git's `alternates`) that are checked.
const MOST_ALTERNATES: usize = 32;
/// The files of a git folder that libgit2 may open.
const FILES: [&str; 8] = [
    "HEAD",
    "config",
    "config.worktree",
    "packed-refs",
    "shallow",
    "commondir",
    "gitdir",
    "ORIG_HEAD",
];

/// The git folder of the repository at `path`: `.git`, the folder that a file `.git` names, or `path` itself.
pub(super) fn find(path: &Path) -> Result<PathBuf> {
    let inner = path.join(".git");
    if inner.is_dir() {
        return Ok(inner);
    }
    if inner.is_file() {
        let text = read_text(&inner)?;
        let named = text.trim().strip_prefix("gitdir:").unwrap_or("").trim();
        return Ok(path.join(named));
    }
    Ok(path.to_owned())
}

/// The folder with objects and references. For a linked work tree, it is the git folder of the main work tree,
/// otherwise `git_dir`.
pub(super) fn common_dir(git_dir: &Path) -> PathBuf {
    match read_text(&git_dir.join("commondir")) {
        Ok(text) => git_dir.join(text.trim()),
        Err(_) => git_dir.to_owned(),
    }
}

/// Checks that all files of a git folder that libgit2 may open are regular files of limited size. The error names the
/// file. Does not check a folder without `HEAD`, which is no git folder.
pub(super) fn check(git_dir: &Path) -> Result<()> {
    if fs::symlink_metadata(git_dir.join("HEAD")).is_err() {
        // This is no git folder.
        return Ok(());
    }
    check_files(git_dir)?;
    let shared = common_dir(git_dir);
    check_files(&shared)?;
    check_tree(&shared.join("refs"), Some(LARGEST))?;
    if shared != git_dir {
        check_tree(&git_dir.join("refs"), Some(LARGEST))?;
    }
    let mut waiting = vec![shared.join("objects")];
    let mut checked = 0;
    while let Some(objects) = waiting.pop() {
        checked += 1;
        if checked > MOST_ALTERNATES {
            return Err(Error::data("too many alternate folders of objects").at(git_dir));
        }
        check_tree(&objects, None)?;
        let named = read_text(&objects.join("info/alternates")).unwrap_or_default();
        let named = named
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        waiting.extend(named.map(|line| objects.join(line)));
    }
    Ok(())
}

fn check_files(git_dir: &Path) -> Result<()> {
    let paths = FILES.iter().map(|name| git_dir.join(name));
    paths
        .into_iter()
        .try_for_each(|path| check_file(&path, Some(LARGEST)))
}

/// Checks the files below a folder. A missing folder is no error.
fn check_tree(folder: &Path, limit: Option<u64>) -> Result<()> {
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(why) if why.kind() == io::ErrorKind::NotFound => continue,
            Err(why) => return Err(Error::io("list the folder", &folder, why)),
        };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                // Thousands of objects are plain files: their sizes are not asked.
                Ok(kind) if kind.is_file() && limit.is_none() => {}
                _ => check_file(&entry.path(), limit)?,
            }
        }
    }
    Ok(())
}

/// Checks a file or what a link leads to. Missing files and folders are no error.
fn check_file(path: &Path, limit: Option<u64>) -> Result<()> {
    let Ok(about) = fs::metadata(path) else {
        return Ok(());
    };
    if about.is_dir() {
        return Ok(());
    }
    files::regular(path, about.file_type()).map_err(|why| {
        why.hint("remove this file from the git folder, or clone the repository again")
    })?;
    match limit {
        Some(limit) if about.len() > limit => Err(files::too_large(path, about.len(), limit)),
        _ => Ok(()),
    }
}

/// What the configuration of a repository says about how it is stored.
pub(super) struct Storage {
    /// Whether the configuration includes other files.
    pub includes: bool,
    /// Why libgit2 cannot read the repository, and a hint at the fix.
    pub unsupported: Option<(String, &'static str)>,
}

/// Reads the configuration of the repository with the git folder `git_dir`.
pub(super) fn storage(git_dir: &Path) -> Storage {
    let config = read_text(&common_dir(git_dir).join("config")).unwrap_or_default();
    let config = config.to_ascii_lowercase();
    let lines = || config.lines().map(str::trim);
    let value = |name: &str| {
        let mut pairs = lines().filter_map(|line| line.split_once('='));
        let found = pairs.find(|(key, _)| key.trim() == name);
        found.map(|(_, value)| value.trim().trim_matches('"').to_owned())
    };
    let format = value("objectformat").filter(|format| format != "sha1");
    let references = value("refstorage").filter(|storage| storage != "files");
    Storage {
        includes: lines().any(|line| line.starts_with("[include")),
        unsupported: match (format, references) {
            (Some(format), _) => Some((
                format!(
                    "this git repository names its objects by {format}, which Evoscope cannot read"
                ),
                "use a repository with SHA-1 names: git fast-export --all | git -C NEW fast-import, where NEW was made with 'git init --object-format=sha1'",
            )),
            (None, Some(storage)) => Some((
                format!(
                    "this git repository keeps its references as {storage}, which Evoscope cannot read"
                ),
                "convert it with 'git refs migrate --ref-format=files', or clone it with 'git clone --ref-format=files'",
            )),
            (None, None) => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::super::repository::Repository;
    use super::super::repository::tests::History;

    #[test]
    fn a_pipe_or_a_device_in_the_git_folder_is_refused_and_named() {
        for name in [
            "packed-refs",
            "config",
            "HEAD",
            "shallow",
            "commondir",
            "refs/heads/other",
            "objects/info/alternates",
            "objects/ab/cdef",
        ] {
            let history = History::new();
            history.commit(&[("a.py", "x = 1\n")], &[], "one");
            let path = history.folder.path().join(name);
            let _ = std::fs::remove_file(&path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            mkfifo(&path, Mode::S_IRWXU).unwrap();
            let why = Repository::open(history.folder.path()).unwrap_err();
            assert!(why.to_string().contains(name), "{why}");
            assert!(why.to_string().contains("pipe"), "{why}");
            std::fs::remove_file(&path).unwrap();
            std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
            let why = Repository::open(history.folder.path()).unwrap_err();
            assert!(why.to_string().contains("device"), "{why}");
        }
    }

    #[test]
    fn a_configuration_that_includes_a_pipe_is_not_followed() {
        for section in ["[include]", "[includeIf \"gitdir:/\"]", "[Include]"] {
            let history = History::new();
            let commit = history.commit(&[("a.py", "x = 1\n")], &[], "one");
            mkfifo(&history.folder.path().join("pipe"), Mode::S_IRWXU).unwrap();
            let config = history.folder.path().join("config");
            let text = std::fs::read_to_string(&config).unwrap();
            std::fs::write(&config, format!("{text}{section}\n\tpath = pipe\n")).unwrap();
            assert_eq!(history.open().resolve("HEAD").unwrap(), commit, "{section}");
        }
    }

    #[test]
    fn an_unsupported_form_of_repository_is_named() {
        for (setting, said) in [
            ("objectFormat = sha256", "names its objects by sha256"),
            ("refStorage = reftable", "keeps its references as reftable"),
        ] {
            let history = History::new();
            let config = history.folder.path().join("config");
            let text = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n";
            std::fs::write(&config, format!("{text}\t{setting}\n")).unwrap();
            let why = Repository::open(history.folder.path()).unwrap_err();
            assert!(why.what().contains(said), "{why}");
            assert!(why.advice().is_some());
        }
    }
}
