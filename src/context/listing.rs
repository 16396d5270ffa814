//! A context: a ranked list of snippets, with the lines of each snippet.

use std::cmp::Ordering;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::benchmark::RepoPath;
use crate::history::{CommitId, Date};

/// How much two token sets have in common: their Jaccard similarity, as an exact fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overlap {
    /// The number of tokens in both sets.
    pub shared: u32,
    /// The number of distinct tokens in the two sets together.
    pub union: u32,
}

impl Overlap {
    /// The similarity as a number from 0 to 1; 0 when both sets are empty.
    pub fn score(self) -> f64 {
        if self.union == 0 {
            0.0
        } else {
            f64::from(self.shared) / f64::from(self.union)
        }
    }

    /// Compares two similarities as exact fractions. The similarity of two empty sets is 0.
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

/// How a line of a context relates to the other tree of the comparison. The base tree is from the base commit, and the
/// newest tree is the latest version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// A blank line, or a line of a context that is not compared.
    #[default]
    Plain,
    /// The other tree has the line too, at the same path and next to the same lines.
    Shared,
    /// The other tree has the line elsewhere: in another file, or next to other lines.
    Moved,
    /// Only the newest tree has the line: it comes from the future.
    Leaked,
    /// Only the base tree has the line: it was removed later.
    Missing,
}

/// A line of a snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemLine {
    /// The text without the line ending.
    pub text: Box<str>,
    /// How the line relates to the other tree.
    pub mark: Mark,
    /// Whether the line belongs to the target itself.
    pub target: bool,
}

/// The commit that added leaked lines or removed missing lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Introduced {
    /// The commit's id.
    pub commit: CommitId,
    /// The commit's author date.
    pub date: Date,
    /// The commit's author.
    pub author: String,
}

/// One snippet of a context: lines `start..=end` of a file, 1-based.
#[derive(Debug, Clone, Serialize)]
pub struct ContextItem {
    /// The position in the list, from 1.
    pub rank: usize,
    /// The file.
    pub path: RepoPath,
    /// The first line, 1-based.
    pub start: u32,
    /// The last line, 1-based and inclusive.
    pub end: u32,
    /// The similarity to the query. In settings that rank by names, the similarity of the names. `None` if the setting
    /// computes no similarity.
    #[serde(flatten)]
    pub overlap: Option<Overlap>,
    /// The BM25 score. `None` unless retrieval ranks by BM25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bm25: Option<f64>,
    /// How often the same text occurs in the tree.
    pub occurrences: u32,
    /// For a snippet of the newest tree: whether no file of the base tree contains the snippet's non-blank lines as one
    /// block. `None` before a comparison, and for a snippet of the base tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leak_any: Option<bool>,
    /// For a snippet of the newest tree: whether the base tree lacks at least half of the snippet's non-blank lines.
    /// `None` as for `leak_any`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leak_half: Option<bool>,
    /// For a snippet of the base tree: whether no file of the newest tree contains the snippet's non-blank lines as one
    /// block. `None` before a comparison, and for a snippet of the newest tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_any: Option<bool>,
    /// For a snippet of the base tree: whether the newest tree lacks at least half of the snippet's non-blank lines.
    /// `None` as for `missing_any`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_half: Option<bool>,
    /// Whether the snippet overlaps the target. `None` if this was not determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<bool>,
    /// The commit that added the first block of leaked lines, or removed the first block of missing lines. `None` until
    /// [`trace`](super::trace) has found the commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub introduced: Option<Introduced>,
    /// The lines of the snippet.
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

    /// The lines of the snippet, separated by line feeds.
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| &*line.text).collect();
        lines.join("\n")
    }
}

/// The context that one setting takes from one tree.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ContextListing {
    /// The commit of the tree, or the folder's name.
    pub revision: String,
    /// How many distinct snippets the setting chose from.
    pub candidates: usize,
    /// The chosen snippets, the best first.
    pub items: Vec<ContextItem>,
}
