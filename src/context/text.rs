//! Decodes source files and splits them into lines or words.

use std::borrow::Cow;

use crate::benchmark::Language;
use crate::code::Charset;

/// The text of a file, with CRLF and CR replaced by LF. `None` if `bytes` are not in the encoding that the file declares
/// as Python sources do, or not UTF-8 if there is no declaration.
pub(crate) fn decode(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let text = Charset::of(Language::Python, bytes).decode_exactly(bytes)?;
    if memchr::memchr(b'\r', bytes).is_none() {
        return Some(text);
    }
    Some(Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")))
}

/// The lines of a decoded text. Only LF ends a line, and no empty line follows a final LF.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let all = !text.is_empty();
    all.then(|| body.split('\n')).into_iter().flatten()
}

/// A line without leading and trailing whitespace, as Python's `str.strip` returns it.
pub(crate) fn strip(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c))
}

/// The word tokens of a text, in order and with repetitions: maximal runs of `[A-Za-z0-9_]`.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_crlf_cr_or_lf_and_no_line_follows_the_last_line_ending() {
        let split = |bytes: &[u8]| -> Vec<String> {
            lines(&decode(bytes).unwrap()).map(str::to_owned).collect()
        };
        assert_eq!(split(b"a\r\nb\rc\n"), ["a", "b", "c"]);
        assert_eq!(split(b"a\n\n"), ["a", ""]);
        assert_eq!(split(b"\n"), [""]);
        assert_eq!(split(b""), [""; 0]);
        assert_eq!(split(b"a"), ["a"]);
        assert!(decode(b"\xff").is_none());
        assert_eq!(
            decode(b"# coding: latin-1\n\xfc").unwrap(),
            "# coding: latin-1\n\u{fc}"
        );
    }

    #[test]
    fn strip_removes_the_same_whitespace_as_python() {
        assert_eq!(strip("\u{1c}\u{a0}\t x y \u{3000}\u{1f}"), "x y");
        assert_eq!(strip("\u{200b}"), "\u{200b}");
    }

    #[test]
    fn words_are_runs_of_ascii_letters_digits_and_underscores() {
        let found: Vec<_> = words("def naïve_3(self): é=a.b").collect();
        assert_eq!(found, ["def", "na", "ve_3", "self", "a", "b"]);
    }
}
