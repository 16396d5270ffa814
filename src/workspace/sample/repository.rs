//! Builds the git repository of a sample from its patches. The commit ids are the same every time.

use std::collections::HashMap;
use std::path::Path;

use git2::{Buf, Diff, Oid, Repository, RepositoryInitOptions, TreeWalkMode, TreeWalkResult};

use super::patch::Patch;
use super::write_file;
use crate::error::{Error, Result};

fn cannot(error: git2::Error) -> Error {
    Error::data(format!("cannot build the repository: {}", error.message())).because(error)
}

/// Builds a bare repository in the new folder `target`. `patches` has (path, content) of each patch file, the oldest
/// first. Returns the commit id of the last patch as 40 hexadecimal digits. Errors of kind data, with the path of the
/// patch, when a patch cannot be read, names an unknown parent, or does not apply.
pub fn build_repository(patches: &[(&Path, &[u8])], target: &Path) -> Result<String> {
    let mut options = RepositoryInitOptions::new();
    options
        .bare(true)
        .external_template(false)
        .initial_head("main");
    let repository = Repository::init_opts(target, &options).map_err(cannot)?;
    let mut read = Vec::with_capacity(patches.len());
    for (path, contents) in patches {
        read.push((*path, Patch::read(path, contents)?));
    }
    let made = write_commits(&repository, &read)?;
    // Open the repository again: the first handle would write new objects to memory and not to the disk.
    let repository = Repository::open_bare(target).map_err(cannot)?;
    let name = target.file_stem().unwrap_or_default().to_string_lossy();
    for ((_, patch), id) in read.iter().zip(&made) {
        write_names(&repository, patch, *id, &name).map_err(cannot)?;
    }
    let newest = made
        .last()
        .ok_or_else(|| Error::data("no patches").at(target))?;
    Ok(newest.to_string())
}

/// Writes all commits, with their trees and files, as one pack. Returns the ids of the commits, in the order of the
/// patches.
fn write_commits(repository: &Repository, patches: &[(&Path, Patch<'_>)]) -> Result<Vec<Oid>> {
    let database = repository.odb().map_err(cannot)?;
    let memory = database.add_new_mempack_backend(1000).map_err(cannot)?;
    let mut by_number = HashMap::new();
    let mut made = Vec::with_capacity(patches.len());
    for (path, patch) in patches {
        let id = write_commit(repository, patch, &by_number).map_err(|error| {
            Error::data(format!("does not apply: {}", error.message()))
                .at(*path)
                .because(error)
        })?;
        by_number.insert(patch.number, id);
        made.push(id);
    }
    let mut pack = Buf::new();
    memory.dump(repository, &mut pack).map_err(cannot)?;
    let mut writer = database.packwriter().map_err(cannot)?;
    std::io::Write::write_all(&mut writer, &pack)
        .map_err(|error| Error::io("write the pack", repository.path(), error))?;
    writer.commit().map_err(cannot)?;
    Ok(made)
}

/// Creates the commit of one patch. `by_number` has the commits that were already created. Key: number of the patch,
/// value: id of the commit.
fn write_commit(
    repository: &Repository,
    patch: &Patch<'_>,
    by_number: &HashMap<&str, Oid>,
) -> std::result::Result<Oid, git2::Error> {
    let parents = patch
        .parents
        .iter()
        .map(|number| {
            let id = by_number
                .get(number)
                .ok_or_else(|| git2::Error::from_str(&format!("no patch {number} before it")))?;
            repository.find_commit(*id)
        })
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let before = match parents.first() {
        Some(parent) => parent.tree()?,
        None => repository.find_tree(repository.treebuilder(None)?.write()?)?,
    };
    let diff = Diff::from_buffer(patch.diff)?;
    let after = repository
        .apply_to_tree(&before, &diff, None)?
        .write_tree_to(repository)?;
    repository.commit(
        None,
        &patch.author,
        &patch.committer,
        patch.message,
        &repository.find_tree(after)?,
        &parents.iter().collect::<Vec<_>>(),
    )
}

/// Creates the branch and the tag that a patch names.
fn write_names(
    repository: &Repository,
    patch: &Patch<'_>,
    id: Oid,
    project: &str,
) -> std::result::Result<(), git2::Error> {
    if let Some(branch) = patch.branch {
        repository.reference(
            &format!("refs/heads/{branch}"),
            id,
            true,
            "built from patches",
        )?;
    }
    if let Some(tag) = patch.tag {
        let commit = repository.find_object(id, None)?;
        let message = format!("{project} {}\n", tag.trim_start_matches('v'));
        repository.tag(tag, &commit, &patch.committer, &message, false)?;
    }
    Ok(())
}

/// Writes the files of the newest commit of `main` into the new folder `target`.
pub(super) fn write_newest_tree(repository: &Path, target: &Path) -> Result<()> {
    let repository = Repository::open_bare(repository).map_err(cannot)?;
    let tree = repository.revparse_single("main^{tree}").map_err(cannot)?;
    let tree = tree.peel_to_tree().map_err(cannot)?;
    let mut outcome = Ok(());
    let walked = tree.walk(TreeWalkMode::PreOrder, |folder, entry| {
        let (Ok(name), Ok(object)) = (entry.name(), entry.to_object(&repository)) else {
            return TreeWalkResult::Ok;
        };
        if let Some(blob) = object.as_blob() {
            outcome = write_file(&target.join(folder).join(name), blob.content());
        }
        if outcome.is_ok() {
            TreeWalkResult::Ok
        } else {
            TreeWalkResult::Abort
        }
    });
    outcome?;
    walked.map_err(cannot)
}
