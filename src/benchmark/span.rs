//! Spans of lines, and paths of files in a source tree.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Consecutive lines of a file: at least one, from `first` to `last` inclusive, counted from 1. In JSON:
/// `[first, last]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "[u32; 2]", into = "[u32; 2]")]
pub struct LineSpan {
    first: u32,
    last: u32,
}

impl LineSpan {
    /// The span from `first` to `last`. `None` if `first` is 0 or greater than `last`.
    pub fn new(first: u32, last: u32) -> Option<Self> {
        (first >= 1 && first <= last).then_some(Self { first, last })
    }

    /// The span of the single 1-based `line`. Line 0 counts as line 1.
    pub fn line(line: u32) -> Self {
        let line = line.max(1);
        Self {
            first: line,
            last: line,
        }
    }

    /// The first line, 1-based.
    pub fn first(self) -> u32 {
        self.first
    }

    /// The last line, 1-based and inclusive.
    pub fn last(self) -> u32 {
        self.last
    }

    /// The number of lines.
    pub fn count(self) -> u32 {
        self.last - self.first + 1
    }

    /// Whether the span contains the 1-based `line`.
    pub fn contains(self, line: u32) -> bool {
        (self.first..=self.last).contains(&line)
    }

    /// Whether the two spans have a line in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// The smallest span that contains `self` and `other`.
    #[must_use]
    pub fn cover(self, other: Self) -> Self {
        Self {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
        }
    }

    /// The 0-based range of these lines in the list of all lines of the file.
    pub fn range(self) -> std::ops::Range<usize> {
        (self.first as usize - 1)..self.last as usize
    }
}

impl TryFrom<[u32; 2]> for LineSpan {
    type Error = String;

    fn try_from([first, last]: [u32; 2]) -> Result<Self, String> {
        Self::new(first, last).ok_or_else(|| {
            format!("[{first}, {last}] is not a span of lines (1-based, first <= last)")
        })
    }
}

impl From<LineSpan> for [u32; 2] {
    fn from(span: LineSpan) -> Self {
        [span.first, span.last]
    }
}

impl fmt::Display for LineSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}-{}", self.first, self.last)
        }
    }
}

/// A file's path inside a project: `/` between components, no leading slash. Paths are ordered by their bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RepoPath(Arc<str>);

impl RepoPath {
    /// The path, without `./` and `/` at its start.
    pub fn new(path: &str) -> Self {
        Self(path.trim_start_matches("./").trim_start_matches('/').into())
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The folder of the file; empty for a file in the project's root.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<std::path::Path> for RepoPath {
    fn as_ref(&self) -> &std::path::Path {
        std::path::Path::new(&*self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_one_based_inclusive_and_never_empty() {
        assert!(LineSpan::new(0, 3).is_none());
        assert!(LineSpan::new(4, 3).is_none());
        let span = LineSpan::new(2, 4).unwrap();
        assert_eq!((span.count(), span.range()), (3, 1..4));
        assert!(span.contains(4) && !span.contains(5));
        assert!(span.overlaps(LineSpan::line(4)) && !span.overlaps(LineSpan::line(5)));
        assert_eq!(serde_json::to_string(&span).unwrap(), "[2,4]");
        assert!(serde_json::from_str::<LineSpan>("[0,1]").is_err());
    }

    #[test]
    fn a_path_has_no_leading_slash() {
        let path = RepoPath::new("./a/b.py");
        assert_eq!(
            (path.as_str(), path.file_name(), path.folder()),
            ("a/b.py", "b.py", "a")
        );
    }
}
