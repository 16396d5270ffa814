//! A context as a ranked list of snippets, line by line.

use std::cmp::Ordering;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::benchmark::RepoPath;
use crate::history::{CommitId, Date};

/// How much two token sets have in common: their Jaccard similarity, as an exact fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overlap {
    /// Tokens in both.
    pub shared: u32,
    /// Tokens in either.
    pub union: u32,
}

impl Overlap {
    /// The score as a number from 0 to 1; 0 when both sets are empty.
    pub fn score(self) -> f64 {
        if self.union == 0 {
            0.0
        } else {
            f64::from(self.shared) / f64::from(self.union)
        }
    }

    /// The order of two scores as exact fractions; an empty union counts as 0.
    pub fn compare(self, other: Self) -> Ordering {
        let (a, b) = (u64::from(self.shared), u64::from(other.shared));
        (a * u64::from(other.union.max(1))).cmp(&(b * u64::from(self.union.max(1))))
    }
}

impl Serialize for Overlap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Overlap", 3)?;
        fields.serialize_field("shared", &self.shared)?;
        fields.serialize_field("union", &self.union)?;
        fields.serialize_field("score", &self.score())?;
        fields.end()
    }
}

/// How a line of a context relates to the other tree of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// A blank line, or a line of a context that is not compared.
    #[default]
    Plain,
    /// The other tree has it too, at the same path, in the same run of lines.
    Shared,
    /// The other tree has it, but elsewhere: in another file, or apart from its neighbours.
    Moved,
    /// Only the newest tree has it: it comes from the future.
    Leaked,
    /// Only the base tree has it: it was removed later.
    Missing,
}

/// A line of a snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemLine {
    /// Its text, without the line ending.
    pub text: Box<str>,
    /// How it relates to the other tree.
    pub mark: Mark,
    /// Whether it belongs to the target itself.
    pub target: bool,
}

/// The commit that added a leaked line, or that removed a missing one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Introduced {
    /// The commit.
    pub commit: CommitId,
    /// Its author's date.
    pub date: Date,
    /// Its author.
    pub author: String,
}

/// One snippet of a context: lines `start..=end` of a file, 1-based.
#[derive(Debug, Clone, Serialize)]
pub struct ContextItem {
    /// Its place in the list, from 1.
    pub rank: usize,
    /// Its file.
    pub path: RepoPath,
    /// Its first line.
    pub start: u32,
    /// Its last line.
    pub end: u32,
    /// Its similarity to the query, where the setting ranks by it.
    #[serde(flatten)]
    pub overlap: Option<Overlap>,
    /// Its BM25 score, where the setting ranks by that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bm25: Option<f64>,
    /// How often the same text occurs in the tree.
    pub occurrences: u32,
    /// Newest side: whether the base tree lacks its non-blank lines as a run of consecutive lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leak_any: Option<bool>,
    /// Newest side: whether the base tree lacks at least half of its non-blank lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leak_half: Option<bool>,
    /// Base side: as `leak_any`, but the newest tree lacks them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_any: Option<bool>,
    /// Base side: as `leak_half`, but the newest tree lacks them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_half: Option<bool>,
    /// Whether it overlaps the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<bool>,
    /// The commit that added its newest leaked run, or removed its last missing run. `None` until this is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub introduced: Option<Introduced>,
    /// Its lines.
    #[serde(skip)]
    pub lines: Vec<ItemLine>,
}

impl ContextItem {
    /// A snippet that occurs once, without a score and not compared yet.
    pub fn new(rank: usize, path: RepoPath, start: u32, lines: Vec<ItemLine>) -> Self {
        Self {
            rank,
            path,
            start,
            end: start + super::intern::index(lines.len()).saturating_sub(1),
            overlap: None,
            bm25: None,
            occurrences: 1,
            leak_any: None,
            leak_half: None,
            missing_any: None,
            missing_half: None,
            target: None,
            introduced: None,
            lines,
        }
    }

    /// Its text: its lines, separated by line feeds.
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| &*line.text).collect();
        lines.join("\n")
    }
}

/// A context: what one setting shows of one tree.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ContextListing {
    /// The commit, or the folder's name.
    pub revision: String,
    /// How many distinct snippets the tree has to choose from.
    pub candidates: usize,
    /// The chosen snippets, the best first.
    pub items: Vec<ContextItem>,
}
