//! Cleans text: control and invisible characters become visible pictures such as `␛`, tabs become blanks, and combining
//! marks stay with their letters.

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::escape::{code_point, is_hidden, picture};

/// The number of columns between tab stops.
pub const TAB: usize = 4;

/// The maximum number of characters in a grapheme cluster that is shown unchanged. Clusters of real text are shorter.
/// Longer clusters would draw over the rows above and below.
const LONGEST_CLUSTER: usize = 12;

/// A unit to show: a grapheme cluster of the source, the blanks of a tab, or the picture of a control character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The byte range of the source that the piece represents.
    pub source: Range<usize>,
    /// The text to show. It is not empty and has no control characters.
    pub shown: Cow<'a, str>,
    /// The 0-based first column of the piece.
    pub column: usize,
    /// The width in columns; at least 1.
    pub width: usize,
    /// Whether `shown` is the picture of a character that must not reach the terminal.
    pub picture: bool,
}

/// The pieces of one line, from left to right. A line feed in the line is treated like any other control character. An
/// escape sequence becomes the picture of its first character, followed by its other characters: `␛[31m`.
pub fn pieces(line: &str) -> impl Iterator<Item = Piece<'_>> {
    Pieces {
        line,
        at: 0,
        column: 0,
        pending: None,
    }
}

/// The cleaned line; borrowed if nothing changes.
pub fn sanitize(line: &str) -> Cow<'_, str> {
    if line.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(line);
    }
    let mut clean = String::with_capacity(line.len() + 8);
    for piece in pieces(line) {
        clean.push_str(&piece.shown);
    }
    if clean == line {
        Cow::Borrowed(line)
    } else {
        Cow::Owned(clean)
    }
}

struct Pieces<'a> {
    line: &'a str,
    at: usize,
    column: usize,
    /// The end of the latest grapheme cluster that is shown character by character; `None` if there was none yet.
    pending: Option<usize>,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let start = self.at;
        let (shown, picture) = self.take()?;
        let width = shown.width();
        let piece = Piece {
            source: start..self.at,
            shown,
            column: self.column,
            width,
            picture,
        };
        self.column += width;
        Some(piece)
    }
}

impl<'a> Pieces<'a> {
    /// Moves past the next piece. Returns (the text to show for this piece, whether this text is a picture). `None` at
    /// the end of the line.
    fn take(&mut self) -> Option<(Cow<'a, str>, bool)> {
        let bytes = self.line.as_bytes();
        let byte = *bytes.get(self.at)?;
        if matches!(byte, b' '..=b'~') && bytes.get(self.at + 1).is_none_or(u8::is_ascii) {
            self.at += 1;
            return Some((Cow::Borrowed(&self.line[self.at - 1..self.at]), false));
        }
        if byte == b'\t' {
            self.at += 1;
            let blanks = TAB - self.column % TAB;
            return Some((Cow::Borrowed(&"    "[..blanks]), false));
        }
        if byte.is_ascii_control() {
            self.at += 1;
            return Some((picture(char::from(byte)), true));
        }
        if self.pending.is_some_and(|end| self.at < end) {
            return self.single();
        }
        self.cluster()
    }

    /// The next grapheme cluster, or only its first character if the cluster cannot be shown unchanged. Combining marks
    /// without a letter are shown on a dotted circle or as code points.
    fn cluster(&mut self) -> Option<(Cow<'a, str>, bool)> {
        let cluster = self.line[self.at..].graphemes(true).next()?;
        if !is_plain(cluster) {
            self.pending = Some(self.at + cluster.len());
            return self.single();
        }
        self.at += cluster.len();
        if cluster.width() > 0 {
            return Some((Cow::Borrowed(cluster), false));
        }
        let carried = format!("◌{cluster}");
        let joined = carried.width() == 1 && carried.graphemes(true).nth(1).is_none();
        Some(if joined {
            (Cow::Owned(carried), false)
        } else {
            (code_points(cluster), true)
        })
    }

    /// The next character; a picture if it is invisible.
    fn single(&mut self) -> Option<(Cow<'a, str>, bool)> {
        let rest = &self.line[self.at..];
        let c = rest.chars().next()?;
        self.at += c.len_utf8();
        let own = &rest[..c.len_utf8()];
        if is_hidden(c) || own.width() == 0 || c == JOINER {
            return Some((picture(c), true));
        }
        Some((Cow::Borrowed(own), false))
    }
}

const JOINER: char = '\u{200d}';

/// Whether a grapheme cluster may be shown unchanged: it has no hidden character, it neither starts nor ends with a
/// joiner, and it is not too long.
fn is_plain(cluster: &str) -> bool {
    !cluster.chars().any(is_hidden)
        && !cluster.ends_with(JOINER)
        && !cluster.starts_with(JOINER)
        && cluster.chars().nth(LONGEST_CLUSTER).is_none()
}

fn code_points(cluster: &str) -> Cow<'static, str> {
    cluster.chars().map(code_point).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn control_and_hidden_characters_become_visible() {
        for (text, clean) in [
            ("\u{1b}[31mred\u{1b}[0m", "␛[31mred␛[0m"),
            ("\u{1b}]52;c;aGk=\u{7}", "␛]52;c;aGk=␇"),
            ("\u{9b}2J", "⟨U+009B⟩2J"),
            ("\u{90}q\u{9c}", "⟨U+0090⟩q⟨U+009C⟩"),
            ("a\u{202e}b\u{2066}c", "a⟨U+202E⟩b⟨U+2066⟩c"),
            ("pass\u{200b}word", "pass⟨U+200B⟩word"),
            ("a\u{200d}b", "a⟨U+200D⟩b"),
            ("\u{feff}x\r", "⟨U+FEFF⟩x␍"),
            ("one\ntwo\0", "one␊two␀"),
            ("\u{301}x", "◌\u{301}x"),
            ("\u{1d127}x", "⟨U+1D127⟩x"),
        ] {
            assert_eq!(sanitize(text), clean, "{text:?}");
        }
    }

    #[test]
    fn visible_text_of_any_script_is_unchanged() {
        for text in [
            "日本語のテスト",
            "e\u{301}té",
            "👩\u{200d}👧",
            "ก\u{e33}",
            "नमस्ते",
            "Größe ≥ 3",
        ] {
            assert!(matches!(sanitize(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn a_tab_ends_at_the_next_tab_stop() {
        assert_eq!(sanitize("a\tb"), "a   b");
        assert_eq!(sanitize("日\tb"), "日  b");
        assert_eq!(sanitize("\t\tb"), "        b");
    }

    #[test]
    fn a_long_sequence_of_combining_marks_becomes_code_points() {
        let tower = format!("a{}", "\u{301}".repeat(300));
        let clean = sanitize(&tower);
        assert!(clean.starts_with("a⟨U+0301⟩⟨U+0301⟩"));
    }

    fn hostile() -> impl Strategy<Value = String> {
        let character = prop_oneof![
            any::<char>(),
            prop::char::range('\0', '\u{9f}'),
            prop::char::range('\u{2000}', '\u{206f}'),
            prop::char::range('\u{300}', '\u{310}'),
            Just('\t'),
            Just('漢'),
            Just(JOINER),
        ];
        prop::collection::vec(character, 0..60).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left_and_columns_add_up(text in hostile()) {
            let clean = sanitize(&text);
            prop_assert!(!clean.chars().any(is_hidden), "{clean:?}");
            prop_assert_eq!(sanitize(&clean), clean.as_ref());
            let (mut at, mut column) = (0, 0);
            for piece in pieces(&text) {
                prop_assert_eq!(piece.source.start, at);
                prop_assert_eq!(piece.column, column);
                prop_assert!(piece.width > 0 && !piece.shown.is_empty());
                at = piece.source.end;
                column += piece.width;
            }
            prop_assert_eq!(at, text.len());
        }
    }
}
