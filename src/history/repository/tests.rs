use super::*;
use crate::history::{BlobId, CommitId};

/// A bare repository for a test, with commits at dates one day apart.
pub(crate) struct History {
    pub folder: tempfile::TempDir,
    pub git: git2::Repository,
}

impl History {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let git = git2::Repository::init_bare(folder.path()).unwrap();
        Self { folder, git }
    }

    pub fn open(&self) -> Repository {
        Repository::open(self.folder.path()).unwrap()
    }

    pub fn blob(&self, bytes: &[u8]) -> BlobId {
        BlobId::from_oid(self.git.blob(bytes).unwrap()).unwrap()
    }

    /// Writes a tree without folders. An entry has a name, a mode and a blob id.
    pub fn tree(&self, entries: &[(&[u8], i32, BlobId)]) -> git2::Oid {
        self.raw_tree(entries)
    }

    /// Writes the bytes of a tree object without the checks of libgit2, so that an entry may have any name.
    pub fn raw_tree(&self, entries: &[(&[u8], i32, BlobId)]) -> git2::Oid {
        let mut sorted = entries.to_vec();
        sorted.sort_by_key(|(name, ..)| name.to_vec());
        let mut bytes = Vec::new();
        for (name, mode, blob) in sorted {
            bytes.extend_from_slice(format!("{mode:o} ").as_bytes());
            bytes.extend_from_slice(name);
            bytes.push(0);
            bytes.extend_from_slice(blob.as_bytes());
        }
        let odb = self.git.odb().unwrap();
        odb.write(git2::ObjectType::Tree, &bytes).unwrap()
    }

    /// Commits a tree. The date is one day after the newest parent's date.
    pub fn commit_tree(&self, tree: git2::Oid, parents: &[CommitId], message: &str) -> CommitId {
        let tree = self.git.find_tree(tree).unwrap();
        let found: Vec<_> = parents
            .iter()
            .map(|id| self.git.find_commit(id.oid().unwrap()).unwrap())
            .collect();
        let day = found.iter().map(|c| c.time().seconds()).max().unwrap_or(0) + 86_400;
        let who =
            git2::Signature::new("Ada", "ada@example.org", &git2::Time::new(day, 60)).unwrap();
        let parents: Vec<_> = found.iter().collect();
        let id = self
            .git
            .commit(None, &who, &who, message, &tree, &parents)
            .unwrap();
        CommitId::from_oid(id).unwrap()
    }

    /// Commits these files, with folders as needed, and moves HEAD to the commit.
    pub fn commit(&self, files: &[(&str, &str)], parents: &[CommitId], message: &str) -> CommitId {
        let mut index = git2::Index::new().unwrap();
        for (path, text) in files {
            let id = self.git.blob(text.as_bytes()).unwrap();
            index.add(&index_entry(path, id)).unwrap();
        }
        let tree = index.write_tree_to(&self.git).unwrap();
        let id = self.commit_tree(tree, parents, message);
        self.git
            .reference("refs/heads/main", id.oid().unwrap(), true, "test")
            .unwrap();
        self.git.set_head("refs/heads/main").unwrap();
        id
    }

    pub fn tag(&self, name: &str, commit: CommitId) {
        self.git
            .reference(
                &format!("refs/tags/{name}"),
                commit.oid().unwrap(),
                true,
                "test",
            )
            .unwrap();
    }
}

fn index_entry(path: &str, id: git2::Oid) -> git2::IndexEntry {
    git2::IndexEntry {
        ctime: git2::IndexTime::new(0, 0),
        mtime: git2::IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode: 0o100_644,
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.as_bytes().to_vec(),
    }
}

#[test]
fn a_revision_is_read_from_objects() {
    let history = History::new();
    let one = history.commit(&[("a.py", "1"), ("p/b.py", "2")], &[], "first\n\nbody");
    let two = history.commit(&[("a.py", "3")], &[one], "second");
    history.tag("v1", one);
    let repository = history.open();
    assert_eq!(repository.resolve("HEAD").unwrap(), two);
    assert_eq!(repository.resolve("v1").unwrap(), one);
    assert_eq!(repository.resolve(&one.to_string()[..9]).unwrap(), one);
    let snapshot = repository.snapshot("HEAD~1").unwrap();
    let paths: Vec<_> = snapshot.entries().iter().map(|e| e.path.as_str()).collect();
    assert_eq!(paths, ["a.py", "p/b.py"]);
    assert_eq!(&*snapshot.read(snapshot.entries()[1].blob).unwrap(), b"2");
    let commit = repository.commit(one).unwrap();
    assert_eq!(
        (commit.summary.as_str(), commit.author.as_str()),
        ("first", "Ada")
    );
    assert_eq!(commit.date.to_string(), "1970-01-02");
}

#[test]
fn an_unknown_revision_or_repository_is_an_error_with_a_hint() {
    let history = History::new();
    let repository = history.open();
    let empty = repository.snapshot("HEAD").unwrap_err();
    assert!(empty.to_string().contains("no commit yet"), "{empty}");
    history.commit(&[("a.py", "1")], &[], "first");
    let unknown = repository.snapshot("v9").unwrap_err();
    assert!(unknown.to_string().contains("'v9'"), "{unknown}");
    assert!(unknown.advice().is_some());
    let none = Repository::open(Path::new("/no/such")).unwrap_err();
    assert!(none.advice().is_some());
}

#[test]
fn a_missing_blob_is_an_error_and_other_blobs_are_read() {
    let history = History::new();
    let here = history.blob(b"x = 1\n");
    let gone = BlobId::of(b"never written").unwrap();
    let tree = history.tree(&[(b"a.py", 0o100_644, here), (b"b.py", 0o100_644, gone)]);
    let commit = history.commit_tree(tree, &[], "partial");
    let snapshot = history.open().snapshot_of(commit).unwrap();
    assert_eq!(snapshot.entries().len(), 2);
    assert!(snapshot.read(here).is_ok());
    let error = snapshot.read(gone).unwrap_err();
    assert!(error.advice().unwrap().contains("refetch"), "{error}");
}

#[test]
fn a_partial_clone_opens_although_libgit2_does_not_know_the_extension() {
    let history = History::new();
    history.commit(&[("a.py", "1")], &[], "first");
    let mut config = history.git.config().unwrap();
    config.set_i32("core.repositoryformatversion", 1).unwrap();
    config.set_str("extensions.partialclone", "origin").unwrap();
    assert_eq!(history.open().snapshot("HEAD").unwrap().entries().len(), 1);
}

#[test]
fn a_work_tree_is_opened_by_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    git2::Repository::init(folder.path()).unwrap();
    assert!(Repository::open(folder.path()).is_ok());
}

#[test]
fn a_date_shows_the_calendar_day_in_the_authors_time_zone() {
    let day = |seconds, offset| Date { seconds, offset }.to_string();
    assert_eq!(day(1_437_339_347, 120), "2015-07-19");
    assert_eq!(day(-1, 0), "1969-12-31");
    assert_eq!(day(951_782_400, 0), "2000-02-29");
    assert_eq!(day(1_437_339_599, 120), "2015-07-19");
    assert_eq!(day(1_437_343_199, 120), "2015-07-19");
    assert_eq!(day(1_437_343_200, 120), "2015-07-20");
}
