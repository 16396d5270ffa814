//! The encodings of source files. All code that decodes a source, or puts new text into one, uses this module.

use std::borrow::Cow;
use std::fmt::Write as _;

use encoding_rs::Encoding;

use crate::benchmark::{Language, LanguageFeature};

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// How the bytes of a source encode its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Charset(Kind);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Utf8,
    /// ISO 8859-1: each byte is the character with its number.
    Latin1,
    /// As [`Kind::Latin1`], for a source that may write all other characters as Unicode escapes: `\u20ac`.
    Escaped,
    Other(&'static Encoding),
}

impl Charset {
    /// The encoding of a source: in Python, the encoding that the source declares (PEP 263); in Java, ISO 8859-1 if the
    /// source is not UTF-8. Otherwise UTF-8, also if the declared encoding is unknown or does not fit the bytes.
    pub fn of(language: Language, source: &[u8]) -> Self {
        let found = if language.has(LanguageFeature::Latin1Sources) {
            let is_utf8 = std::str::from_utf8(source).is_ok();
            if is_utf8 { Kind::Utf8 } else { Kind::Escaped }
        } else if source.starts_with(MARK) {
            Kind::Utf8
        } else {
            declared(source).unwrap_or(Kind::Utf8)
        };
        // Text must not be lost when a source is decoded and encoded again.
        let charset = Self(found);
        let kept = match charset.0 {
            Kind::Other(_) => {
                let text = charset.decode(source);
                charset.encode(&text).is_ok_and(|bytes| *bytes == *source)
            }
            _ => true,
        };
        if kept { charset } else { Self(Kind::Utf8) }
    }

    /// The text of a source or of a part of it. Bytes that are not in the encoding become U+FFFD.
    pub fn decode(self, source: &[u8]) -> Cow<'_, str> {
        match self.0 {
            Kind::Utf8 => String::from_utf8_lossy(source),
            Kind::Latin1 | Kind::Escaped => encoding_rs::mem::decode_latin1(source),
            Kind::Other(encoding) => encoding.decode_without_bom_handling(source).0,
        }
    }

    /// The text of a source; `None` if the source has bytes that are not in the encoding.
    pub fn decode_exactly(self, source: &[u8]) -> Option<Cow<'_, str>> {
        match self.0 {
            Kind::Utf8 => std::str::from_utf8(source).ok().map(Cow::Borrowed),
            _ => Some(self.decode(source)),
        }
    }

    /// The bytes of a text.
    ///
    /// # Errors
    /// The first character that the encoding does not have.
    pub fn encode(self, text: &str) -> Result<Cow<'_, [u8]>, char> {
        match self.0 {
            Kind::Utf8 => Ok(Cow::Borrowed(text.as_bytes())),
            Kind::Latin1 => {
                let bytes = text.chars().map(|c| u8::try_from(c).map_err(|_| c));
                Ok(Cow::Owned(bytes.collect::<Result<_, _>>()?))
            }
            Kind::Escaped => {
                let text = escaped(text, 256);
                let bytes = text.chars().map(|c| u8::try_from(c).map_err(|_| c));
                Ok(Cow::Owned(bytes.collect::<Result<_, _>>()?))
            }
            Kind::Other(encoding) => {
                let (bytes, _, replaced) = encoding.encode(text);
                if !replaced {
                    return Ok(bytes);
                }
                let missing = |c: &char| encoding.encode(c.encode_utf8(&mut [0; 4])).2;
                Err(text
                    .chars()
                    .find(missing)
                    .unwrap_or(char::REPLACEMENT_CHARACTER))
            }
        }
    }

    /// New text for a source, with escapes for characters that other programs may read differently: if a Java source is
    /// not UTF-8, its encoding is not certain.
    pub fn writable(self, text: &str) -> Cow<'_, str> {
        match self.0 {
            Kind::Escaped if !text.is_ascii() => Cow::Owned(escaped(text, 128)),
            _ => Cow::Borrowed(text),
        }
    }

    /// The usual name of the encoding.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Utf8 => "UTF-8",
            Kind::Latin1 | Kind::Escaped => "ISO-8859-1",
            Kind::Other(encoding) => encoding.name(),
        }
    }
}

/// The text with Unicode escapes in place of all characters from the number `first` on.
fn escaped(text: &str, first: u32) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if u32::from(c) < first {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// The encoding that a comment in the first two lines of a Python source declares. `None` if there is no declaration,
/// or if the encoding is unknown.
fn declared(source: &[u8]) -> Option<Kind> {
    let mut lines = source.split(|byte| matches!(byte, b'\n' | b'\r'));
    let (first, second) = (lines.next()?, lines.next());
    let second = match source.get(first.len()..first.len() + 2) {
        Some(b"\r\n") => lines.next(),
        _ => second,
    };
    let is_blank = |line: &[u8]| {
        let text = line.trim_ascii_start();
        text.is_empty() || text.starts_with(b"#")
    };
    let second = second.filter(|_| is_blank(first));
    [Some(first), second]
        .into_iter()
        .flatten()
        .find_map(declared_in)
}

/// The encoding that a line declares: `# -*- coding: latin-1 -*-`.
fn declared_in(line: &[u8]) -> Option<Kind> {
    let comment = line.trim_ascii_start().strip_prefix(b"#")?;
    let at = memchr::memmem::find_iter(comment, b"coding").find_map(|at| {
        let rest = &comment[at + "coding".len()..];
        rest.strip_prefix(b":").or_else(|| rest.strip_prefix(b"="))
    })?;
    let name: String = at
        .trim_ascii_start()
        .iter()
        .map(|byte| char::from(*byte))
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        .collect();
    kind(&name.to_ascii_lowercase().replace('_', "-"))
}

/// The encoding with one of Python's names. Most of them are names in the Encoding Standard too.
fn kind(name: &str) -> Option<Kind> {
    match name {
        "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" | "8859" | "cp819" | "l1" | "latin" => {
            Some(Kind::Latin1)
        }
        "cp932" | "ms932" | "mskanji" => Some(Kind::Other(encoding_rs::SHIFT_JIS)),
        "cp936" | "936" => Some(Kind::Other(encoding_rs::GBK)),
        "cp949" | "949" | "euckr" => Some(Kind::Other(encoding_rs::EUC_KR)),
        "cp950" | "950" => Some(Kind::Other(encoding_rs::BIG5)),
        "eucjp" | "ujis" => Some(Kind::Other(encoding_rs::EUC_JP)),
        "latin9" | "latin-9" => Some(Kind::Other(encoding_rs::ISO_8859_15)),
        "latin2" | "latin-2" => Some(Kind::Other(encoding_rs::ISO_8859_2)),
        "mac-roman" | "macroman" => Some(Kind::Other(encoding_rs::MACINTOSH)),
        "ascii" | "us-ascii" => None,
        _ => match Encoding::for_label(name.as_bytes())? {
            encoding if encoding == encoding_rs::UTF_8 => Some(Kind::Utf8),
            encoding => encoding
                .is_ascii_compatible()
                .then_some(Kind::Other(encoding)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(source: &[u8]) -> (String, &'static str) {
        let charset = Charset::of(Language::Python, source);
        (charset.decode(source).into_owned(), charset.name())
    }

    #[test]
    fn the_declared_encoding_of_a_python_source_is_used() {
        for (head, byte, name) in [
            ("# -*- coding: latin-1 -*-\n", "\u{fc}", "ISO-8859-1"),
            (
                "#!/usr/bin/python\r\n# vim: set fileencoding=ISO8859_1 :\r\n",
                "\u{fc}",
                "ISO-8859-1",
            ),
            ("# coding: cp1252\n", "\u{fc}", "windows-1252"),
            ("\n# coding=cp1251\n", "\u{44c}", "windows-1251"),
            ("#coding:koi8_r\r", "\u{3d}", "KOI8-R"),
        ] {
            let mut source = head.as_bytes().to_vec();
            source.push(if name == "KOI8-R" { b'=' } else { 0xfc });
            let (text, found) = decoded(&source);
            assert_eq!((text, found), (format!("{head}{byte}"), name));
        }
    }

    #[test]
    fn other_sources_are_utf8() {
        for source in [
            "# coding: utf-8\n\u{fc}",
            "x = 1\n# coding: latin-1\n\u{fc}",
            "\n\n# coding: latin-1\n\u{fc}",
            "# coding: no-such-encoding\n\u{fc}",
            "\u{feff}# coding: latin-1\n\u{fc}",
        ] {
            assert_eq!(decoded(source.as_bytes()), (source.to_owned(), "UTF-8"));
        }
        let (text, name) = decoded(b"x = '\xfc'\n");
        assert_eq!((&*text, name), ("x = '\u{fffd}'\n", "UTF-8"));
        // The declared encoding does not fit the bytes.
        assert_eq!(decoded(b"# coding: euc-jp\n\xff").1, "UTF-8");
    }

    #[test]
    fn a_character_that_an_encoding_lacks_is_reported() {
        let latin1 = Charset::of(Language::Python, b"# coding: latin-1\n");
        assert_eq!(&*latin1.encode("\u{fc}").unwrap(), b"\xfc");
        assert_eq!(latin1.encode("\u{fc}\u{20ac}\u{2728}"), Err('\u{20ac}'));
        let cp1252 = Charset::of(Language::Python, b"# coding: cp1252\n");
        assert_eq!(&*cp1252.encode("\u{20ac}").unwrap(), b"\x80");
        assert_eq!(cp1252.encode("\u{20ac}\u{2728}"), Err('\u{2728}'));
        let java = Charset::of(Language::Java, b"// \xfc\n");
        assert_eq!(
            &*java.encode("\u{fc}\u{1f600}").unwrap(),
            b"\xfc\\ud83d\\ude00"
        );
    }
}
