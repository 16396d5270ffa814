//! Finds the commits that added or removed blocks of lines.
//!
//! A file contains a block if it contains the block's lines in sequence. Blank lines, and spaces at the start and end
//! of a line, do not count. So, unlike in `git blame`, a move, a rename or a change of indentation is not a change. A
//! commit adds a block if no parent of the commit contains the block.
//!
//! One pass over the history searches for all blocks of a request. A folder or a file is read only at the commits that
//! change this folder or file.

mod texts;

use git2::Oid;

use self::texts::Texts;
use super::id::CommitId;
use super::path_history::PathHistory;
use super::repository::Repository;
use super::tree::missing;
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Result};

/// A block that was moved to another file is searched for in at most this many changed files of a commit.
const MAX_SEARCHED: usize = 400;

/// Consecutive lines of a file.
#[derive(Debug, Clone)]
pub struct LineBlock<'a> {
    /// The file that contains the lines.
    pub path: &'a RepoPath,
    /// The lines. Blank lines are ignored, and so are spaces at the start and end of a line.
    pub lines: Vec<&'a str>,
}

impl Repository {
    /// Finds for each block the commit that added the block. The search starts at `newest`. It goes to a parent that
    /// contains the block, at the same path or in a file that the commit changed, and ends if there is none. `None` if
    /// the block's file does not contain the block at `newest`, or if all lines of the block are blank.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when `newest` or its trees cannot be read.
    /// [`Kind::User`](crate::error::Kind::User) when `cancel` is raised.
    pub fn added_by(
        &self,
        newest: CommitId,
        blocks: &[LineBlock],
        cancel: &Cancel,
    ) -> Result<Vec<Option<CommitId>>> {
        let mut found = vec![None; blocks.len()];
        self.with(|repo| {
            let walk = self.walk(repo, blocks, cancel);
            let mut groups = vec![(newest.oid()?, walk.start(newest, blocks)?)];
            while let Some((at, files)) = groups.pop() {
                cancel.check()?;
                let (back, ended) = walk.step_back(at, files)?;
                groups.extend(back);
                for block in ended {
                    found[block] = Some(CommitId::from_oid(at)?);
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Finds for each block the commit that removed the block. The search follows the mainline of `newest`, from `base`
    /// on. It ends at the first commit without the block: neither the file at the same path nor a file that the commit
    /// changed contains the block. `None` if there is no such commit, or if the block's file does not contain the block
    /// at `base`.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when commits or trees cannot be read.
    /// [`Kind::User`](crate::error::Kind::User) when `cancel` is raised.
    pub fn removed_by(
        &self,
        base: CommitId,
        newest: CommitId,
        blocks: &[LineBlock],
        cancel: &Cancel,
    ) -> Result<Vec<Option<CommitId>>> {
        let mut found = vec![None; blocks.len()];
        let after = self.mainline_after(base, newest, cancel)?;
        self.with(|repo| {
            let walk = self.walk(repo, blocks, cancel);
            let mut files = walk.start(base, blocks)?;
            let mut before = base.oid()?;
            for id in after.iter().rev() {
                cancel.check()?;
                let at = id.oid()?;
                let mut present = Vec::new();
                let mut left = files;
                walk.split(walk.tree(at)?, &mut left, &mut present)?;
                walk.elsewhere(before, at, &mut left, &mut present)?;
                for block in left.iter().flat_map(|file| &file.blocks) {
                    found[*block] = Some(*id);
                }
                files = present;
                before = at;
                if files.is_empty() {
                    break;
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn walk<'a>(
        &'a self,
        repo: &'a git2::Repository,
        blocks: &[LineBlock],
        cancel: &'a Cancel,
    ) -> Walk<'a> {
        Walk {
            repository: self,
            repo,
            texts: Texts::new(repo, blocks),
            cancel,
        }
    }
}

struct File {
    trail: PathHistory,
    /// The blocks that the file contains, by their indices in the request.
    blocks: Vec<usize>,
}

/// (commit, the files of the commit that contain blocks).
type Group = (Oid, Vec<File>);

struct Walk<'a> {
    repository: &'a Repository,
    repo: &'a git2::Repository,
    texts: Texts<'a>,
    cancel: &'a Cancel,
}

impl Walk<'_> {
    /// The files of `commit` that contain blocks. Each block is searched for only in its own file.
    fn start(&self, commit: CommitId, blocks: &[LineBlock]) -> Result<Vec<File>> {
        let tree = self
            .repo
            .find_commit(commit.oid()?)
            .map_err(|why| missing("commit", &commit.to_string(), &why))?
            .tree_id();
        let mut files: Vec<File> = Vec::new();
        for (at, block) in blocks.iter().enumerate() {
            let path = block.path.as_str();
            match files.iter_mut().find(|file| file.trail.path() == path) {
                Some(file) => file.blocks.push(at),
                None => files.extend(PathHistory::find(self.repo, tree, path)?.map(|trail| File {
                    trail,
                    blocks: vec![at],
                })),
            }
        }
        for file in &mut files {
            file.blocks = self.texts.occurring(file.trail.blob, &file.blocks)?;
        }
        files.retain(|file| !file.blocks.is_empty());
        Ok(files)
    }

    /// The id of a commit's tree.
    fn tree(&self, commit: Oid) -> Result<Oid> {
        match self.repository.graph().node(self.repo, commit) {
            Some(node) => Ok(node.tree),
            None => self
                .repo
                .find_commit(commit)
                .map(|commit| commit.tree_id())
                .map_err(|why| missing("commit", &commit.to_string(), &why)),
        }
    }

    /// Returns (the parents of `at` that contain blocks, the indices of the blocks that no parent contains). `files`
    /// are the files of `at` that contain blocks. A parent that is missing from the clone is ignored.
    fn step_back(&self, at: Oid, files: Vec<File>) -> Result<(Vec<Group>, Vec<usize>)> {
        let graph = self.repository.graph();
        let Some(node) = graph.node(self.repo, at) else {
            return Ok((Vec::new(), blocks_of(&files)));
        };
        let parents = node.parents();
        let parents = parents.filter_map(|id| Some((id, graph.node(self.repo, id)?.tree)));
        let parents: Vec<_> = parents.collect();
        let mut left = files;
        let mut groups: Vec<Group> = Vec::with_capacity(1);
        for (parent, tree) in &parents {
            let mut files = Vec::new();
            self.split(*tree, &mut left, &mut files)?;
            groups.push((*parent, files));
        }
        for (parent, files) in &mut groups {
            self.elsewhere(at, *parent, &mut left, files)?;
        }
        groups.retain(|(_, files)| !files.is_empty());
        Ok((groups, blocks_of(&left)))
    }

    /// Moves each block from `left` to `found` if the file at the same path in `tree` contains the block.
    fn split(&self, tree: Oid, left: &mut Vec<File>, found: &mut Vec<File>) -> Result<()> {
        for file in &mut *left {
            let Some(trail) = file.trail.at(self.repo, tree)? else {
                continue;
            };
            let blocks = if trail.blob == file.trail.blob {
                std::mem::take(&mut file.blocks)
            } else {
                self.texts.occurring(trail.blob, &file.blocks)?
            };
            file.blocks.retain(|block| !blocks.contains(block));
            if !blocks.is_empty() {
                found.push(File { trail, blocks });
            }
        }
        left.retain(|file| !file.blocks.is_empty());
        Ok(())
    }

    /// Moves each block from `left` to `found` if a file of `commit` contains the block. Only files that differ from
    /// the commit `other` are searched.
    fn elsewhere(
        &self,
        other: Oid,
        commit: Oid,
        left: &mut Vec<File>,
        found: &mut Vec<File>,
    ) -> Result<()> {
        if left.is_empty() {
            return Ok(());
        }
        let tree = self.tree(commit)?;
        for (path, blob) in self.changed(self.tree(other)?, tree, commit)? {
            self.cancel.check()?;
            let blocks = self.texts.occurring(blob, &blocks_of(left))?;
            if let Some(trail) =
                PathHistory::find(self.repo, tree, &path)?.filter(|_| !blocks.is_empty())
            {
                for file in &mut *left {
                    file.blocks.retain(|block| !blocks.contains(block));
                }
                left.retain(|file| !file.blocks.is_empty());
                found.push(File { trail, blocks });
            }
            if left.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// (path, blob) of each file in the tree `new` that differs from the tree `old`, at most [`MAX_SEARCHED`] files.
    /// `new` is the tree of `commit`.
    fn changed(&self, old: Oid, new: Oid, commit: Oid) -> Result<Vec<(String, Oid)>> {
        let failed = |why: git2::Error| missing("changes of", &commit.to_string(), &why);
        let (old, new) = (self.repo.find_tree(old), self.repo.find_tree(new));
        let (old, new) = (old.map_err(failed)?, new.map_err(failed)?);
        let mut options = git2::DiffOptions::new();
        options.skip_binary_check(true).ignore_submodules(true);
        let diff = self
            .repo
            .diff_tree_to_tree(Some(&old), Some(&new), Some(&mut options))
            .map_err(failed)?;
        let files = diff
            .deltas()
            .filter(|delta| delta.new_file().exists())
            .take(MAX_SEARCHED);
        let named = files.filter_map(|delta| {
            let file = delta.new_file();
            Some((file.path()?.to_str()?.to_owned(), file.id()))
        });
        Ok(named.collect())
    }
}

fn blocks_of(files: &[File]) -> Vec<usize> {
    files
        .iter()
        .flat_map(|file| &file.blocks)
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::repository::tests::History;
    use super::*;

    const BLOCK: [&str; 3] = ["def total(basket):", "", "    return sum(basket)"];
    const HAS: &str = "import a\n\ndef total(basket):\n    return sum(basket)\n\nend = 1\n";
    const LACKS: &str = "import a\n\nend = 1\n";

    fn block<'a>(path: &'a RepoPath, lines: &[&'a str]) -> LineBlock<'a> {
        LineBlock {
            path,
            lines: lines.to_vec(),
        }
    }

    fn path(path: &str) -> RepoPath {
        RepoPath::new(path)
    }

    #[test]
    fn the_commit_that_added_a_block_is_found_across_moves_renames_and_merges() {
        let history = History::new();
        let first = history.commit(&[("a.py", LACKS)], &[], "first");
        let branch = history.commit(&[("a.py", LACKS), ("b.py", HAS)], &[first], "add it");
        let indented = HAS.replace("    return", "\treturn");
        let more = history.commit(
            &[("a.py", LACKS), ("b.py", &indented)],
            &[branch],
            "re-indent",
        );
        let other = history.commit(&[("a.py", "import a\n")], &[first], "other work");
        let merge = history.commit(
            &[("a.py", "import a\n"), ("b.py", &indented)],
            &[other, more],
            "merge",
        );
        let moved = history.commit(&[("a.py", &indented)], &[merge], "move it to another file");
        let renamed = history.commit(&[("src/a.py", &indented)], &[moved], "rename the file");
        let repository = history.open();
        let cancel = Cancel::default();
        let added_by = |at, file: &str| {
            let path = path(file);
            let blocks = [block(&path, &BLOCK)];
            repository.added_by(at, &blocks, &cancel).unwrap()[0]
        };
        assert_eq!(added_by(renamed, "src/a.py"), Some(branch));
        assert_eq!(added_by(merge, "b.py"), Some(branch));
        assert_eq!(added_by(first, "a.py"), None);
        assert_eq!(added_by(renamed, "gone.py"), None);
        let (here, there) = (path("src/a.py"), path("gone.py"));
        let together = [
            block(&here, &["", " "]),
            block(&there, &BLOCK),
            block(&here, &["import a"]),
            block(&here, &BLOCK),
            block(&here, &["end = 1"]),
        ];
        assert_eq!(
            repository.added_by(renamed, &together, &cancel).unwrap(),
            [None, None, Some(first), Some(branch), Some(branch)]
        );
    }

    #[test]
    fn the_commit_that_removed_a_block_is_found_across_a_rename() {
        let history = History::new();
        let base = history.commit(&[("a.py", HAS)], &[], "base");
        let renamed = history.commit(&[("b.py", HAS)], &[base], "rename");
        let removed = history.commit(&[("b.py", LACKS)], &[renamed], "drop it");
        let newest = history.commit(&[("b.py", "import b\n")], &[removed], "newest");
        let repository = history.open();
        let cancel = Cancel::default();
        let found = |newest| {
            let path = path("a.py");
            let blocks = [block(&path, &BLOCK), block(&path, &["import a"])];
            repository
                .removed_by(base, newest, &blocks, &cancel)
                .unwrap()
        };
        assert_eq!(found(newest), [Some(removed), Some(newest)]);
        assert_eq!(found(renamed), [None, None]);
    }

    #[test]
    fn the_first_commit_adds_its_blocks_and_a_missing_commit_is_an_error() {
        let history = History::new();
        let gone: CommitId = "1234567890123456789012345678901234567890".parse().unwrap();
        let first = history.commit(&[("a.py", HAS)], &[], "first");
        let newest = history.commit(&[("a.py", HAS), ("b.py", "x = 1\n")], &[first], "newest");
        let repository = history.open();
        let cancel = Cancel::default();
        let path = path("a.py");
        let blocks = [block(&path, &BLOCK)];
        let found = repository.added_by(newest, &blocks, &cancel).unwrap();
        assert_eq!(found, [Some(first)]);
        assert!(repository.added_by(gone, &blocks, &cancel).is_err());
        cancel.raise();
        assert!(repository.added_by(newest, &blocks, &cancel).is_err());
    }
}
