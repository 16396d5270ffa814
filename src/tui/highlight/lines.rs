//! A text divided into lines.

use std::ops::Range;
use std::sync::Arc;

/// A text and the byte offsets of its line starts. LF or CRLF ends a line and is not part of it. If the text ends with
/// LF or CRLF, no empty line follows.
#[derive(Debug, Clone)]
pub struct SourceLines {
    text: Arc<str>,
    starts: Vec<usize>,
}

impl SourceLines {
    /// Splits a text.
    pub fn new(text: &str) -> Self {
        let text: Arc<str> = text.into();
        let feeds = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let starts = std::iter::once(0)
            .chain(feeds)
            .filter(|start| *start < text.len())
            .collect();
        Self { text, starts }
    }

    /// Splits the bytes of a text. Bytes that are not valid UTF-8 become U+FFFD.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::new(&String::from_utf8_lossy(bytes))
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of lines.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line with the 0-based `number`, without its line ending. Empty if there is no such line.
    pub fn line(&self, number: usize) -> &str {
        &self.text[self.bytes(number)]
    }

    /// The byte range of the line with the 0-based `number`, without its line ending. If there is no such line, an
    /// empty range at the end of the text.
    pub fn bytes(&self, number: usize) -> Range<usize> {
        let Some(&start) = self.starts.get(number) else {
            return self.text.len()..self.text.len();
        };
        let end = self
            .starts
            .get(number + 1)
            .copied()
            .unwrap_or(self.text.len());
        let line = &self.text[start..end];
        let line = line.strip_suffix('\n').unwrap_or(line);
        start..start + line.strip_suffix('\r').unwrap_or(line).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let lines = SourceLines::new(text);
        (0..lines.count())
            .map(|number| lines.line(number).to_owned())
            .collect()
    }

    #[test]
    fn lines_end_with_lf_or_crlf() {
        assert_eq!(split("a\r\nb\n\nc"), ["a", "b", "", "c"]);
        assert_eq!(split("a\n"), ["a"]);
        assert_eq!(split(""), Vec::<String>::new());
        assert_eq!(SourceLines::new("a").line(7), "");
    }
}
