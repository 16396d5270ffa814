//! Which commit brought a run of lines, and which one took it.
//!
//! A run is looked for as text: its stripped, non-blank lines, one after the other. So moves, renames and re-indentation
//! do not count as bringing or taking, as they would for blame; what was never there before is what a commit brought.

use git2::{Commit as Found, Oid};

use super::id::CommitId;
use super::repository::Repository;
use super::tree::missing;
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Result};

/// Files that one commit changed and that are looked through for a run that came from elsewhere.
const LOOKED_THROUGH: usize = 400;

impl Repository {
    /// The commit that brought a run of lines: walking back from `newest`, whose file `path` has it, the last one of
    /// whose parents none has it, at that path or in a file that the commit changed. On a merge the branch that has the
    /// run is followed. `None` when the file of `newest` has no such run, or the run has no line that is not blank.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when `newest` or its trees cannot be read; cancelled.
    pub fn brought(
        &self,
        newest: CommitId,
        path: &RepoPath,
        run: &[&str],
        cancel: &Cancel,
    ) -> Result<Option<CommitId>> {
        let run = Run::new(run);
        self.with(|repo| {
            let mut at = find(repo, newest)?;
            let mut path = path.to_string();
            let Some(mut blob) = blob_at(&at, &path) else {
                return Ok(None);
            };
            if !run.stands_in(repo, blob) {
                return Ok(None);
            }
            loop {
                cancel.check()?;
                let Some(step) = run.step_back(repo, &at, &path, blob)? else {
                    return CommitId::from_oid(at.id()).map(Some);
                };
                (at, path, blob) = step;
            }
        })
    }

    /// The commit of the mainline up to `newest` that took a run of lines, which `base` has in the file `path`: the first
    /// after `base` that no longer has it, at that path or in a file that the commit changed. `None` when none took it,
    /// or the file of `base` has no such run.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when commits or trees cannot be read; cancelled.
    pub fn taken(
        &self,
        base: CommitId,
        newest: CommitId,
        path: &RepoPath,
        run: &[&str],
        cancel: &Cancel,
    ) -> Result<Option<CommitId>> {
        let run = Run::new(run);
        let old = self.ancestors(base, cancel)?;
        let line = self.mainline(newest, cancel)?.commits;
        let after = line
            .iter()
            .take_while(|commit| !old.contains(commit))
            .count();
        self.with(|repo| {
            let mut before = find(repo, base)?;
            let mut path = path.to_string();
            let Some(mut blob) = blob_at(&before, &path).filter(|blob| run.stands_in(repo, *blob))
            else {
                return Ok(None);
            };
            for id in line[..after].iter().rev() {
                cancel.check()?;
                let commit = find(repo, *id)?;
                match run.in_file(repo, &commit, &path, blob) {
                    Some(same) => blob = same,
                    None => match run.elsewhere(repo, &before, &commit)? {
                        Some(moved) => (path, blob) = moved,
                        None => return Ok(Some(*id)),
                    },
                }
                before = commit;
            }
            Ok(None)
        })
    }
}

/// The stripped, non-blank lines of a run.
struct Run(Vec<Vec<u8>>);

impl Run {
    fn new(lines: &[&str]) -> Self {
        let lines = lines
            .iter()
            .map(|line| line.trim())
            .filter(|line| !line.is_empty());
        Self(lines.map(|line| line.as_bytes().to_vec()).collect())
    }

    /// Whether a blob has the lines one after the other, blank lines aside.
    fn stands_in(&self, repo: &git2::Repository, blob: Oid) -> bool {
        let Ok(blob) = repo.find_blob(blob) else {
            return false;
        };
        let lines = blob.content().split(|byte| matches!(byte, b'\n' | b'\r'));
        let lines: Vec<&[u8]> = lines
            .map(<[u8]>::trim_ascii)
            .filter(|line| !line.is_empty())
            .collect();
        !self.0.is_empty() && lines.windows(self.0.len()).any(|window| window == self.0)
    }

    /// The file's blob in a commit, when it has the run; `known` is a blob that has it.
    fn in_file(
        &self,
        repo: &git2::Repository,
        commit: &Found,
        path: &str,
        known: Oid,
    ) -> Option<Oid> {
        let blob = blob_at(commit, path)?;
        (blob == known || self.stands_in(repo, blob)).then_some(blob)
    }

    /// The first parent that has the run, with the file that has it there.
    fn step_back<'r>(
        &self,
        repo: &'r git2::Repository,
        at: &Found<'r>,
        path: &str,
        known: Oid,
    ) -> Result<Option<(Found<'r>, String, Oid)>> {
        // A parent that the clone has not got is as good as none.
        for parent in at.parents() {
            if let Some(blob) = self.in_file(repo, &parent, path, known) {
                return Ok(Some((parent, path.to_owned(), blob)));
            }
        }
        for parent in at.parents() {
            if let Some((path, blob)) = self.elsewhere(repo, at, &parent)? {
                return Ok(Some((parent, path, blob)));
            }
        }
        Ok(None)
    }

    /// The file of `commit` that has the run, among those that differ from `other`.
    fn elsewhere(
        &self,
        repo: &git2::Repository,
        other: &Found,
        commit: &Found,
    ) -> Result<Option<(String, Oid)>> {
        let mut options = git2::DiffOptions::new();
        options.skip_binary_check(true).ignore_submodules(true);
        let diff = repo
            .diff_tree_to_tree(
                Some(&tree_of(other)?),
                Some(&tree_of(commit)?),
                Some(&mut options),
            )
            .map_err(|why| missing("changes of", &commit.id().to_string(), &why))?;
        let files = diff
            .deltas()
            .filter(|delta| delta.new_file().exists())
            .take(LOOKED_THROUGH);
        let found = files.filter_map(|delta| {
            let file = delta.new_file();
            let path = file.path()?.to_str()?.to_owned();
            self.stands_in(repo, file.id()).then_some((path, file.id()))
        });
        Ok(found.take(1).next())
    }
}

fn find(repo: &git2::Repository, id: CommitId) -> Result<Found<'_>> {
    repo.find_commit(id.oid()?)
        .map_err(|why| missing("commit", &id.to_string(), &why))
}

fn tree_of<'r>(commit: &Found<'r>) -> Result<git2::Tree<'r>> {
    commit
        .tree()
        .map_err(|why| missing("tree of", &commit.id().to_string(), &why))
}

fn blob_at(commit: &Found, path: &str) -> Option<Oid> {
    let entry = commit.tree().ok()?.get_path(path.as_ref()).ok()?;
    (entry.kind() == Some(git2::ObjectType::Blob)).then(|| entry.id())
}

#[cfg(test)]
mod tests {
    use super::super::repository::tests::History;
    use super::*;

    const RUN: [&str; 3] = ["def total(basket):", "", "    return sum(basket)"];
    const HAS: &str = "import a\n\ndef total(basket):\n    return sum(basket)\n\nend = 1\n";
    const LACKS: &str = "import a\n\nend = 1\n";

    fn path(path: &str) -> RepoPath {
        RepoPath::new(path)
    }

    #[test]
    fn the_commit_is_found_behind_moves_renames_and_merges() {
        let history = History::new();
        let first = history.commit(&[("a.py", LACKS)], &[], "first");
        let branch = history.commit(&[("a.py", LACKS), ("b.py", HAS)], &[first], "bring it");
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
        let brought = |at, file: &str| repository.brought(at, &path(file), &RUN, &cancel).unwrap();
        assert_eq!(brought(renamed, "src/a.py"), Some(branch));
        assert_eq!(brought(merge, "b.py"), Some(branch));
        assert_eq!(brought(first, "a.py"), None);
        assert_eq!(brought(renamed, "gone.py"), None);
        assert_eq!(
            repository
                .brought(renamed, &path("src/a.py"), &["", " "], &cancel)
                .unwrap(),
            None
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
            repository
                .taken(base, newest, &path("a.py"), &RUN, &cancel)
                .unwrap()
        };
        assert_eq!(found(newest), Some(taken));
        assert_eq!(found(renamed), None);
    }

    #[test]
    fn a_clone_that_ends_early_gives_its_first_commit() {
        let history = History::new();
        let gone: CommitId = "1234567890123456789012345678901234567890".parse().unwrap();
        let first = history.commit(&[("a.py", HAS)], &[], "first");
        let newest = history.commit(&[("a.py", HAS), ("b.py", "x = 1\n")], &[first], "newest");
        let repository = history.open();
        let cancel = Cancel::default();
        assert_eq!(
            repository
                .brought(newest, &path("a.py"), &RUN, &cancel)
                .unwrap(),
            Some(first)
        );
        assert!(
            repository
                .brought(gone, &path("a.py"), &RUN, &cancel)
                .is_err()
        );
        cancel.raise();
        assert!(
            repository
                .brought(newest, &path("a.py"), &RUN, &cancel)
                .is_err()
        );
    }
}
