//! Which commit added a run of lines, and which one removed it.
//!
//! A run is looked for as text: its stripped, non-blank lines, one after the other. So moves, renames and re-indentation
//! do not count as adding or removing, as they would for blame; what was never there before is what a commit added.
//!
//! All runs of a question go through history together: a commit is read once, a folder only where it changed, and a
//! content only where a file changed.

mod texts;

use git2::Oid;

use self::texts::Texts;
use super::id::CommitId;
use super::path_history::PathHistory;
use super::repository::Repository;
use super::tree::missing;
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Result};

/// Files that one commit changed and that are looked through for a run that came from elsewhere.
const LOOKED_THROUGH: usize = 400;

/// Consecutive lines of a file: when were they added or removed?
#[derive(Debug, Clone)]
pub struct Run<'a> {
    /// The file that has them.
    pub path: &'a RepoPath,
    /// The lines; blank ones and the blanks around them do not count.
    pub lines: Vec<&'a str>,
}

impl Repository {
    /// For each run, the commit that added it: walking back from `newest`, where the file has it, the last one of which the
    /// parents none has it, at that path or in a file that the commit changed. On a merge the branch that has the run is
    /// followed. `None` when the file of `newest` has no such run, or the run has no line that is not blank.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when `newest` or its trees cannot be read; cancelled.
    pub fn added_by(
        &self,
        newest: CommitId,
        runs: &[Run],
        cancel: &Cancel,
    ) -> Result<Vec<Option<CommitId>>> {
        let mut found = vec![None; runs.len()];
        self.with(|repo| {
            let walk = self.walk(repo, runs, cancel);
            let mut groups = vec![(newest.oid()?, walk.start(newest, runs)?)];
            while let Some((at, files)) = groups.pop() {
                cancel.check()?;
                let (back, ended) = walk.step_back(at, files)?;
                groups.extend(back);
                for run in ended {
                    found[run] = Some(CommitId::from_oid(at)?);
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// For each run that a file of `base` has, the commit of the mainline up to `newest` that took it: the first after
    /// `base` that no longer has it, at that path or in a file that the commit changed. `None` when none took it, or the
    /// file of `base` has no such run.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when commits or trees cannot be read; cancelled.
    pub fn taken(
        &self,
        base: CommitId,
        newest: CommitId,
        runs: &[Run],
        cancel: &Cancel,
    ) -> Result<Vec<Option<CommitId>>> {
        let mut found = vec![None; runs.len()];
        let after = self.mainline_after(base, newest, cancel)?;
        self.with(|repo| {
            let walk = self.walk(repo, runs, cancel);
            let mut files = walk.start(base, runs)?;
            let mut before = base.oid()?;
            for id in after.iter().rev() {
                cancel.check()?;
                let at = id.oid()?;
                let mut present = Vec::new();
                let mut left = files;
                walk.split(walk.tree(at)?, &mut left, &mut present);
                walk.elsewhere(before, at, &mut left, &mut present)?;
                for run in left.iter().flat_map(|file| &file.runs) {
                    found[*run] = Some(*id);
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
        runs: &[Run],
        cancel: &'a Cancel,
    ) -> Walk<'a> {
        Walk {
            repository: self,
            repo,
            texts: Texts::new(repo, runs),
            cancel,
        }
    }
}

/// A file of a commit and the runs that it has.
struct File {
    trail: PathHistory,
    runs: Vec<usize>,
}

/// Files of one commit.
type Group = (Oid, Vec<File>);

/// Runs on their way through history.
struct Walk<'a> {
    repository: &'a Repository,
    repo: &'a git2::Repository,
    texts: Texts<'a>,
    cancel: &'a Cancel,
}

impl Walk<'_> {
    /// The files of the first commit that have their runs.
    fn start(&self, commit: CommitId, runs: &[Run]) -> Result<Vec<File>> {
        let tree = self
            .repo
            .find_commit(commit.oid()?)
            .map_err(|why| missing("commit", &commit.to_string(), &why))?
            .tree_id();
        let mut files: Vec<File> = Vec::new();
        for (at, run) in runs.iter().enumerate() {
            let path = run.path.as_str();
            match files.iter_mut().find(|file| file.trail.path() == path) {
                Some(file) => file.runs.push(at),
                None => files.extend(PathHistory::find(self.repo, tree, path).map(|trail| File {
                    trail,
                    runs: vec![at],
                })),
            }
        }
        for file in &mut files {
            file.runs = self.texts.occurring(file.trail.blob, &file.runs);
        }
        files.retain(|file| !file.runs.is_empty());
        Ok(files)
    }

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

    /// The parents that contain the runs, and the runs that no parent contains: the commit added them. A parent
    /// that the clone has not got is as good as none.
    fn step_back(&self, at: Oid, files: Vec<File>) -> Result<(Vec<Group>, Vec<usize>)> {
        let graph = self.repository.graph();
        let Some(node) = graph.node(self.repo, at) else {
            return Ok((Vec::new(), runs_of(&files)));
        };
        let parents = node.parents();
        let parents = parents.filter_map(|id| Some((id, graph.node(self.repo, id)?.tree)));
        let parents: Vec<_> = parents.collect();
        let mut left = files;
        let mut groups: Vec<Group> = Vec::with_capacity(1);
        for (parent, tree) in &parents {
            let mut files = Vec::new();
            self.split(*tree, &mut left, &mut files);
            groups.push((*parent, files));
        }
        for (parent, files) in &mut groups {
            self.elsewhere(at, *parent, &mut left, files)?;
        }
        groups.retain(|(_, files)| !files.is_empty());
        Ok((groups, runs_of(&left)))
    }

    /// Takes out of `left` the runs that are at the same path in `tree`.
    fn split(&self, tree: Oid, left: &mut Vec<File>, found: &mut Vec<File>) {
        left.retain_mut(|file| {
            let Some(trail) = file.trail.at(self.repo, tree) else {
                return true;
            };
            let runs = if trail.blob == file.trail.blob {
                std::mem::take(&mut file.runs)
            } else {
                self.texts.occurring(trail.blob, &file.runs)
            };
            file.runs.retain(|run| !runs.contains(run));
            if !runs.is_empty() {
                found.push(File { trail, runs });
            }
            !file.runs.is_empty()
        });
    }

    /// Takes out of `left` the runs in a file of `commit` that differs from `other`.
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
            let runs = self.texts.occurring(blob, &runs_of(left));
            if let Some(trail) =
                PathHistory::find(self.repo, tree, &path).filter(|_| !runs.is_empty())
            {
                for file in &mut *left {
                    file.runs.retain(|run| !runs.contains(run));
                }
                left.retain(|file| !file.runs.is_empty());
                found.push(File { trail, runs });
            }
            if left.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// The files of `new`, the tree of `commit`, that differ from `old`.
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
            .take(LOOKED_THROUGH);
        let named = files.filter_map(|delta| {
            let file = delta.new_file();
            Some((file.path()?.to_str()?.to_owned(), file.id()))
        });
        Ok(named.collect())
    }
}

fn runs_of(files: &[File]) -> Vec<usize> {
    files.iter().flat_map(|file| &file.runs).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::super::repository::tests::History;
    use super::*;

    const RUN: [&str; 3] = ["def total(basket):", "", "    return sum(basket)"];
    const HAS: &str = "import a\n\ndef total(basket):\n    return sum(basket)\n\nend = 1\n";
    const LACKS: &str = "import a\n\nend = 1\n";

    fn run<'a>(path: &'a RepoPath, lines: &[&'a str]) -> Run<'a> {
        Run {
            path,
            lines: lines.to_vec(),
        }
    }

    fn path(path: &str) -> RepoPath {
        RepoPath::new(path)
    }

    #[test]
    fn the_commit_is_found_behind_moves_renames_and_merges() {
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
            let runs = [run(&path, &RUN)];
            repository.added_by(at, &runs, &cancel).unwrap()[0]
        };
        assert_eq!(added_by(renamed, "src/a.py"), Some(branch));
        assert_eq!(added_by(merge, "b.py"), Some(branch));
        assert_eq!(added_by(first, "a.py"), None);
        assert_eq!(added_by(renamed, "gone.py"), None);
        let (here, there) = (path("src/a.py"), path("gone.py"));
        let together = [
            run(&here, &["", " "]),
            run(&there, &RUN),
            run(&here, &["import a"]),
            run(&here, &RUN),
            run(&here, &["end = 1"]),
        ];
        assert_eq!(
            repository.added_by(renamed, &together, &cancel).unwrap(),
            [None, None, Some(first), Some(branch), Some(branch)]
        );
    }

    #[test]
    fn the_commit_that_took_it_is_found_behind_a_rename() {
        let history = History::new();
        let base = history.commit(&[("a.py", HAS)], &[], "base");
        let renamed = history.commit(&[("b.py", HAS)], &[base], "rename");
        let taken = history.commit(&[("b.py", LACKS)], &[renamed], "drop it");
        let newest = history.commit(&[("b.py", "import b\n")], &[taken], "newest");
        let repository = history.open();
        let cancel = Cancel::default();
        let found = |newest| {
            let path = path("a.py");
            let runs = [run(&path, &RUN), run(&path, &["import a"])];
            repository.taken(base, newest, &runs, &cancel).unwrap()
        };
        assert_eq!(found(newest), [Some(taken), Some(newest)]);
        assert_eq!(found(renamed), [None, None]);
    }

    #[test]
    fn a_clone_that_ends_early_gives_its_first_commit() {
        let history = History::new();
        let gone: CommitId = "1234567890123456789012345678901234567890".parse().unwrap();
        let first = history.commit(&[("a.py", HAS)], &[], "first");
        let newest = history.commit(&[("a.py", HAS), ("b.py", "x = 1\n")], &[first], "newest");
        let repository = history.open();
        let cancel = Cancel::default();
        let path = path("a.py");
        let runs = [run(&path, &RUN)];
        let found = repository.added_by(newest, &runs, &cancel).unwrap();
        assert_eq!(found, [Some(first)]);
        assert!(repository.added_by(gone, &runs, &cancel).is_err());
        cancel.raise();
        assert!(repository.added_by(newest, &runs, &cancel).is_err());
    }
}
