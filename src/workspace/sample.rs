//! The sample: a small benchmark in all four formats over an invented project, carried inside the binary.
//!
//! `sample-data/` is embedded as it is in the source tree; `sample-data/README.md` says what is in it. On the
//! first start it is written into the cache as the four official checkouts, with the project's newest tree as their
//! sources and its git repository built from the patches of `sample-data/project/history`.

mod patch;
mod repository;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use include_dir::{Dir, DirEntry, File, include_dir};
use sha2::{Digest, Sha256};

use crate::benchmark::Verdict;
use crate::error::{Error, Result};
pub use repository::build_repository;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/sample-data");

/// The folder of the patches among the embedded files; they become [`REPOSITORY`] and are not written themselves.
const HISTORY: &str = "project/history";

/// The bare repository, from the sample's root.
const REPOSITORY: &str = "project/siskin.git";

/// Where the newest tree is written, from the sample's root: the project's place in each official checkout.
const SOURCES: [&str; 2] = [
    "evocodebench/Source_Code/siskin",
    "deveval/Source_Code/Scientific-Engineering/siskin",
];

/// The folder that holds the sample's `evoscope.toml`, written under `cache` if it is not there yet.
///
/// The folder is named by the content's hash and appears by a rename, so that two processes may start at once and a
/// newer binary never sees an older one's files. An error of kind data when `cache` cannot be written.
pub fn materialize(cache: &Path) -> Result<PathBuf> {
    let files = embedded_files();
    let samples = cache.join("sample");
    let root = samples.join(content_key(&files));
    if root.is_dir() {
        return Ok(root);
    }
    let cannot = |error| {
        Error::io("write the sample", &samples, error)
            .hint("set EVOSCOPE_HOME to a folder that can be written")
    };
    fs::create_dir_all(&samples).map_err(cannot)?;
    let draft = tempfile::Builder::new()
        .prefix(".draft-")
        .tempdir_in(&samples)
        .map_err(cannot)?;
    write_files(&files, draft.path())?;
    let draft = draft.keep();
    match fs::rename(&draft, &root) {
        Ok(()) => Ok(root),
        Err(error) => {
            let _ = fs::remove_dir_all(&draft);
            if root.is_dir() {
                Ok(root)
            } else {
                Err(cannot(error))
            }
        }
    }
}

/// The verdict that the sample expects for a completion; `None` where it has no such completion.
pub fn expected_verdict(
    namespace: &str,
    setting: &str,
    model: &str,
    sample: u32,
) -> Option<Verdict> {
    let table = EMBEDDED
        .get_file("expected_verdicts.csv")?
        .contents_utf8()?;
    let start = format!("{namespace},{setting},{model},{sample},");
    let row = table.lines().find_map(|line| line.strip_prefix(&start))?;
    row.split(',').next()?.parse().ok()
}

/// Every embedded file, in the order of paths.
fn embedded_files() -> Vec<&'static File<'static>> {
    let mut files = Vec::new();
    let mut folders = vec![&EMBEDDED];
    while let Some(folder) = folders.pop() {
        for entry in folder.entries() {
            match entry {
                DirEntry::Dir(inner) => folders.push(inner),
                DirEntry::File(file) => files.push(file),
            }
        }
    }
    files.sort_by_key(|file| file.path());
    files
}

/// 32 hexadecimal digits of the SHA-256 over paths, lengths and contents.
fn content_key(files: &[&File<'_>]) -> String {
    let mut hash = Sha256::new();
    for file in files {
        hash.update(file.path().as_os_str().as_encoded_bytes());
        hash.update([0]);
        hash.update((file.contents().len() as u64).to_le_bytes());
        hash.update(file.contents());
    }
    let digest = hash.finalize();
    let key = digest
        .iter()
        .take(16)
        .fold(0, |key: u128, byte| key << 8 | u128::from(*byte));
    format!("{key:032x}")
}

fn write_files(files: &[&File<'_>], root: &Path) -> Result<()> {
    let mut patches = Vec::new();
    for file in files {
        if file.path().starts_with(HISTORY) {
            patches.push((file.path(), file.contents()));
        } else {
            write_file(&root.join(file.path()), file.contents())?;
        }
    }
    let repository = root.join(REPOSITORY);
    build_repository(&patches, &repository)?;
    for source in SOURCES {
        repository::write_newest_tree(&repository, &root.join(source))?;
    }
    Ok(())
}

fn write_file(path: &Path, contents: &[u8]) -> Result<()> {
    let cannot = |error| Error::io("write", path, error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(cannot)?;
    }
    fs::write(path, contents).map_err(cannot)
}
