//! Finds the file at one path in the trees of many commits. Folders that have not changed are not read again.

use std::rc::Rc;

use git2::Oid;

use super::objects;
use super::tree::{FOLDER, REGULAR, TYPE};
use crate::error::Result;

/// A regular file in a tree (the root folder of a commit), with the ids of the folders on its path.
#[derive(Debug, Clone)]
pub(super) struct PathHistory {
    path: Rc<str>,
    /// The ids of the tree and of each folder on the path, the tree first.
    folders: Vec<Oid>,
    /// The id of the file's blob.
    pub blob: Oid,
}

impl PathHistory {
    /// The file at `path` in a tree. `None` if there is no regular file at that path. Errors when a tree is missing.
    pub fn find(repo: &git2::Repository, tree: Oid, path: &str) -> Result<Option<Self>> {
        look(repo, tree, &path.into(), None)
    }

    /// As [`find`](Self::find), for the same path in the tree `tree`.
    pub fn at(&self, repo: &git2::Repository, tree: Oid) -> Result<Option<Self>> {
        look(repo, tree, &self.path, Some(self))
    }

    /// The path of the file.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// Finds the file at `path` in a tree. If a folder on the path is equal to the folder at the same position in `known`,
/// the file is the same as in `known`, and the folder is not read.
fn look(
    repo: &git2::Repository,
    tree: Oid,
    path: &Rc<str>,
    known: Option<&PathHistory>,
) -> Result<Option<PathHistory>> {
    let mut folders = Vec::with_capacity(known.map_or(4, |known| known.folders.len()));
    let mut at = tree;
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        if let Some(known) = known.filter(|known| known.folders.get(folders.len()) == Some(&at)) {
            folders.extend_from_slice(&known.folders[folders.len()..]);
            at = known.blob;
            break;
        }
        folders.push(at);
        let folder = objects::tree(repo, path, at)?;
        let wanted = if names.peek().is_none() {
            REGULAR
        } else {
            FOLDER
        };
        let entry = folder.get_name_bytes(name.as_bytes());
        let Some(entry) = entry.filter(|entry| entry.filemode_raw() & TYPE == wanted) else {
            return Ok(None);
        };
        at = entry.id();
    }
    Ok(Some(PathHistory {
        path: Rc::clone(path),
        folders,
        blob: at,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::repository::tests::History;
    use super::*;

    #[test]
    fn a_path_is_found_in_every_tree_and_equal_folders_are_not_read_again() {
        let history = History::new();
        let tree = |files: &[(&str, &str)]| {
            let id = history.commit(files, &[], "x").oid().unwrap();
            history.git.find_commit(id).unwrap().tree_id()
        };
        let first = tree(&[("a/b/c.py", "1"), ("a/d.py", "2")]);
        let in_same_folder = tree(&[("a/b/c.py", "1"), ("a/d.py", "3")]);
        let changed = tree(&[("a/b/c.py", "4")]);
        let gone = tree(&[("a/b.py", "1"), ("a/b/c.py/d.py", "1")]);
        let trail = PathHistory::find(&history.git, first, "a/b/c.py");
        let trail = trail.unwrap().unwrap();
        assert_eq!(trail.folders.len(), 3);
        let moved = trail.at(&history.git, in_same_folder).unwrap().unwrap();
        assert_eq!(moved.blob, trail.blob);
        assert_eq!(moved.folders[2], trail.folders[2]);
        assert_eq!(moved.folders[0], in_same_folder);
        let at_changed = moved.at(&history.git, changed).unwrap().unwrap();
        assert_ne!(at_changed.blob, trail.blob);
        assert!(moved.at(&history.git, gone).unwrap().is_none());
        for path in ["a/b", "a/d.py/e"] {
            let found = PathHistory::find(&history.git, first, path).unwrap();
            assert!(found.is_none(), "{path}");
        }
    }
}
