//! The graph of commits. Each commit's tree and parents are read once, and reused by all searches through history.

use std::sync::{Mutex, PoisonError};

use git2::{ObjectType, Oid};
use rustc_hash::FxHashMap;

/// The parts of a commit that are needed for searches through history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// The commit's tree.
    pub tree: Oid,
    first: Option<Oid>,
    /// The parents after the first, if the commit is a merge.
    others: Option<Box<[Oid]>>,
}

impl Node {
    /// The first parent, which may be missing from the clone. `None` for a commit without parents.
    pub fn first(&self) -> Option<Oid> {
        self.first
    }

    /// The parents in order. Some may be missing from the clone.
    pub fn parents(&self) -> impl Iterator<Item = Oid> {
        self.first
            .into_iter()
            .chain(self.others.iter().flatten().copied())
    }

    /// Parses the start of a commit object: a line `tree ID`, then a line `parent ID` for each parent. `None` if the
    /// first line is not valid.
    fn read(commit: &[u8]) -> Option<Self> {
        let mut lines = commit.split(|byte| *byte == b'\n');
        let id = |line: &[u8], name: &[u8]| {
            let hex = line.strip_prefix(name)?;
            Oid::from_str(std::str::from_utf8(hex).ok()?).ok()
        };
        let tree = id(lines.next()?, b"tree ")?;
        let mut parents = lines.map_while(|line| id(line, b"parent "));
        let first = parents.next();
        let others: Box<[Oid]> = parents.collect();
        Some(Self {
            tree,
            first,
            others: (!others.is_empty()).then_some(others),
        })
    }
}

/// The commits that have been read.
#[derive(Default)]
pub(super) struct Graph(Mutex<FxHashMap<Oid, Node>>);

impl Graph {
    /// The tree and parents of a commit. `None` if the clone has no such commit, for example because the clone is
    /// shallow.
    pub fn node(&self, repo: &git2::Repository, commit: Oid) -> Option<Node> {
        let nodes = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = nodes().get(&commit) {
            return Some(known.clone());
        }
        let objects = repo.odb().ok()?;
        let object = objects.read(commit).ok()?;
        if object.kind() != ObjectType::Commit {
            return None;
        }
        let node = Node::read(object.data())?;
        nodes().insert(commit, node.clone());
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::super::repository::tests::History;
    use super::*;

    #[test]
    fn a_node_has_the_tree_and_the_parents_that_libgit2_reads() {
        let history = History::new();
        let one = history.commit(&[("a.py", "1")], &[], "one");
        let two = history.commit(&[("a.py", "2")], &[one], "two");
        let merge = history.commit(&[("a.py", "3")], &[two, one], "merge");
        let graph = Graph::default();
        for id in [one, two, merge, two] {
            let commit = history.git.find_commit(id.oid().unwrap()).unwrap();
            let node = graph.node(&history.git, commit.id()).unwrap();
            assert_eq!(node.tree, commit.tree_id());
            assert_eq!(node.first(), commit.parent_id(0).ok());
            assert!(node.parents().eq(commit.parent_ids()));
        }
        assert!(graph.node(&history.git, Oid::ZERO_SHA1).is_none());
        let tree = history
            .git
            .find_commit(one.oid().unwrap())
            .unwrap()
            .tree_id();
        assert!(graph.node(&history.git, tree).is_none());
        assert!(Node::read(b"tree short\n").is_none());
    }
}
