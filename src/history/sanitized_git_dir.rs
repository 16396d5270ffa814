//! Makes a substitute for a git folder if libgit2 rejects the folder's configuration, or if the configuration includes
//! other files.
//!
//! A partial clone (`git clone --filter=…`) sets `extensions.partialclone`, and libgit2 1.9 refuses to open it. The
//! substitute has copies of the references, a link to the real objects (git's `alternates`), and no configuration.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use super::git_dir::common_dir;

/// Whether a substitute can be opened. `why` is the error of opening the git folder. True for every unsupported
/// extension except `refstorage`, which changes how references are stored.
pub(super) fn would_help(why: &git2::Error) -> bool {
    let message = why.message();
    message.contains("unsupported extension") && !message.contains("refstorage")
}

/// Makes the substitute for `git_dir`. The substitute is deleted when the returned value is dropped.
pub(super) fn make(git_dir: &Path) -> io::Result<TempDir> {
    let shared = common_dir(git_dir);
    let shadow = TempDir::with_prefix("evoscope-")?;
    let at = shadow.path();
    fs::create_dir_all(at.join("objects/info"))?;
    let objects = fs::canonicalize(shared.join("objects"))?;
    fs::write(
        at.join("objects/info/alternates"),
        format!("{}\n", objects.display()),
    )?;
    copy_tree(&shared.join("refs"), &at.join("refs"))?;
    for name in ["packed-refs", "shallow"] {
        copy_if_there(&shared.join(name), &at.join(name))?;
    }
    fs::copy(git_dir.join("HEAD"), at.join("HEAD"))?;
    Ok(shadow)
}

fn copy_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::copy(from, to) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => Err(why),
        _ => Ok(()),
    }
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
