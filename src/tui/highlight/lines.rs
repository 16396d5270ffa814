//! A text divided into lines.

use std::ops::Range;
use std::sync::Arc;

/// A text and the starts of its lines. Lines end with LF or CRLF, which is not part of them. A text that ends with a
/// line ending has no empty line after it.
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

    /// Splits bytes of any encoding; what is not UTF-8 becomes U+FFFD.
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

    /// The line `number`, from 0; empty beyond the last.
    pub fn line(&self, number: usize) -> &str {
        &self.text[self.bytes(number)]
    }

    /// The byte range of the line `number`, from 0, without its line ending.
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
