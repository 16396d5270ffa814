//! A made-up Python project with five years of history, in a bare git repository.
//!
//! The rates of change are those of a large real project, measured at 50 commits over five years. A sixth of the files
//! change each month. The 50 trees together have five times as many different file contents as the first and the last
//! tree together.

use std::collections::BTreeMap;
use std::path::Path;

use git2::{Index, IndexEntry, IndexTime, Oid, Repository, Signature, Time};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Minimum number of files in the newest tree.
pub const FILES: usize = 1_000;
/// Minimum number of lines in the newest tree.
pub const LINES: usize = 400_000;
/// Number of commits on the mainline, one a month.
pub const MONTHS: usize = 61;

/// Number of files in the first tree.
const FIRST: usize = 760;
/// Average number of lines in a new file.
const FILE_LINES: usize = 360;

/// Makes the repository in `folder`. The first commit is the base commit, and `HEAD` is the latest version. Every third
/// month ends with a merge commit, and every second month with a tag.
pub fn write_history(folder: &Path) {
    let mut made = Made::new(folder);
    for _ in 0..FIRST {
        made.add_file();
    }
    let mut head = made.commit(0, &[]);
    for month in 1..MONTHS {
        for _ in 0..(FILES - FIRST) / (MONTHS - 1) {
            made.add_file();
        }
        made.edit(made.files.len() / 6);
        if month == MONTHS - 1 {
            made.fill();
        }
        head = if month % 3 == 0 {
            let branch = made.commit(month, &[head]);
            made.commit(month, &[head, branch])
        } else {
            made.commit(month, &[head])
        };
        if month % 2 == 0 {
            let name = format!("refs/tags/v{}.{}.0", month / 24, month / 2 % 12);
            made.git.reference(&name, head, true, "made").unwrap();
        }
    }
    made.git
        .reference("refs/heads/main", head, true, "made")
        .unwrap();
    made.git.set_head("refs/heads/main").unwrap();
    made.pack(folder);
}

struct Made {
    git: Repository,
    index: Index,
    rng: ChaCha8Rng,
    words: Vec<String>,
    files: BTreeMap<String, Vec<String>>,
    names: Vec<String>,
    changed: Vec<String>,
}

impl Made {
    fn new(folder: &Path) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(400_000);
        let words = (0..12_000).map(|_| word(&mut rng)).collect();
        Self {
            git: Repository::init_bare(folder).unwrap(),
            index: Index::new().unwrap(),
            rng,
            words,
            files: BTreeMap::new(),
            names: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// A random word of `words`. The first words are far more frequent than the last.
    fn word(&mut self) -> String {
        let at: f64 = self.rng.random_range(0.0..1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss
        )]
        let at = (at.powi(4) * self.words.len() as f64) as usize;
        self.words[at].clone()
    }

    fn name(&mut self) -> String {
        let count = self.rng.random_range(1..4);
        let words: Vec<_> = (0..count).map(|_| self.word()).collect();
        words.join("_")
    }

    fn sentence(&mut self) -> String {
        let count = self.rng.random_range(4..12);
        let words: Vec<_> = (0..count).map(|_| self.word()).collect();
        format!("{}.", words.join(" "))
    }

    fn statement(&mut self, indent: usize) -> String {
        let (a, b, c) = (self.name(), self.name(), self.name());
        let text = match self.rng.random_range(0..9) {
            0 => format!("if {a} is None:"),
            1 => format!("    {a} = self.{b}({c})"),
            2 => format!("for {a} in {b}.{c}():"),
            3 => format!("    raise ValueError(f\"{{{a}}}: {b} {c}\")"),
            4 => format!("return {a}"),
            5 => format!("{a} = [{b} for {b} in self.{c} if {b}]"),
            6 => "else:".to_owned(),
            7 => format!("self._{a}[{b:?}] = {c}"),
            _ => format!("{a}, {b} = {c}.split(\".\")"),
        };
        format!("{}{text}", " ".repeat(indent))
    }

    /// A blank line, then a function with a docstring.
    fn function(&mut self) -> Vec<String> {
        let indent = 4 * self.rng.random_range(0..2_usize);
        let pad = " ".repeat(indent);
        let (name, one, two) = (self.name(), self.name(), self.name());
        let mut lines = vec![
            String::new(),
            format!("{pad}def {name}(self, {one}, {two}=None):"),
            format!("{pad}    \"\"\"{}", self.sentence()),
        ];
        for _ in 0..self.rng.random_range(0..5) {
            let text = self.sentence();
            lines.push(format!("{pad}    {text}"));
        }
        lines.push(format!("{pad}    \"\"\""));
        for _ in 0..self.rng.random_range(4..22) {
            let statement = self.statement(indent + 4);
            lines.push(statement);
        }
        lines
    }

    fn add_file(&mut self) {
        let (part, name) = (self.names.len() % 40, self.names.len());
        let path = format!("made/part{part}/{}_{name}.py", self.name());
        let mut lines = vec!["import os".to_owned()];
        for _ in 0..self.rng.random_range(3..12) {
            let (module, name) = (self.word(), self.name());
            lines.push(format!("from made.{module} import {name}"));
        }
        let length = self.rng.random_range(FILE_LINES / 2..FILE_LINES * 3 / 2);
        while lines.len() < length {
            let function = self.function();
            lines.extend(function);
        }
        self.names.push(path.clone());
        self.changed.push(path.clone());
        self.files.insert(path, lines);
    }

    fn edit(&mut self, count: usize) {
        for _ in 0..count {
            let at: f64 = self.rng.random_range(0.0..1.0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss
            )]
            let at = (at.powi(2) * self.names.len() as f64) as usize;
            let path = self.names[at].clone();
            for _ in 0..self.rng.random_range(1..4) {
                self.hunk(&path);
            }
            self.changed.push(path);
        }
    }

    fn hunk(&mut self, path: &str) {
        let count = self.files[path].len();
        let at = self.rng.random_range(0..count);
        let new = match self.rng.random_range(0..4) {
            0 => self.function(),
            1 => Vec::new(),
            _ => vec![self.statement(8), self.statement(8)],
        };
        let gone = match new.len() {
            3.. => 0,
            _ => self.rng.random_range(1..6),
        };
        let lines = self.files.get_mut(path).unwrap();
        lines.splice(at..(at + gone).min(count), new);
    }

    /// Appends functions to files until the tree has [`LINES`] lines.
    fn fill(&mut self) {
        let mut lines: usize = self.files.values().map(Vec::len).sum();
        let mut at = 0;
        while lines < LINES {
            let path = self.names[at % self.names.len()].clone();
            let function = self.function();
            lines += function.len();
            self.files.get_mut(&path).unwrap().extend(function);
            self.changed.push(path);
            at += 1;
        }
    }

    fn commit(&mut self, month: usize, parents: &[Oid]) -> Oid {
        for path in std::mem::take(&mut self.changed) {
            let text = self.files[&path].join("\n") + "\n";
            let id = self.git.blob(text.as_bytes()).unwrap();
            self.index.add(&entry(&path, id)).unwrap();
        }
        let tree = self.index.write_tree_to(&self.git).unwrap();
        let tree = self.git.find_tree(tree).unwrap();
        let seconds = 1_546_300_800 + i64::try_from(month).unwrap() * 30 * 86_400;
        let who = Signature::new("Ada", "ada@example.org", &Time::new(seconds, 0)).unwrap();
        let parents: Vec<_> = parents
            .iter()
            .map(|id| self.git.find_commit(*id).unwrap())
            .collect();
        let parents: Vec<_> = parents.iter().collect();
        let message = format!("month {month}");
        self.git
            .commit(None, &who, &who, &message, &tree, &parents)
            .unwrap()
    }

    /// Packs all objects, as in a clone, and deletes the loose objects.
    fn pack(self, folder: &Path) {
        let mut builder = self.git.packbuilder().unwrap();
        let mut walk = self.git.revwalk().unwrap();
        walk.push_head().unwrap();
        builder.insert_walk(&mut walk).unwrap();
        builder.write(&folder.join("objects/pack"), 0).unwrap();
        for place in std::fs::read_dir(folder.join("objects")).unwrap() {
            let place = place.unwrap();
            if place.file_name().len() == 2 {
                std::fs::remove_dir_all(place.path()).unwrap();
            }
        }
    }
}

fn word(rng: &mut ChaCha8Rng) -> String {
    const PARTS: [&str; 20] = [
        "ba", "co", "den", "fi", "gra", "hal", "in", "jo", "kel", "lo", "mar", "ne", "or", "pre",
        "qui", "re", "sta", "tu", "ver", "za",
    ];
    let count = rng.random_range(2..4);
    (0..count)
        .map(|_| PARTS[rng.random_range(0..PARTS.len())])
        .collect()
}

fn entry(path: &str, id: Oid) -> IndexEntry {
    IndexEntry {
        ctime: IndexTime::new(0, 0),
        mtime: IndexTime::new(0, 0),
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
