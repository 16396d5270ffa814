//! Reads JSON as Python's `json` module does. That module writes three things that strict JSON does not have: a half of
//! a surrogate pair (`"\ud83d"`), the numbers `NaN`, `Infinity` and `-Infinity`, and a name that occurs twice in an
//! object. All readers of records use this module, so that a record which one of them accepts is accepted by all.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::de::DeserializeOwned;
use serde_json::Value;

const BOM: &[u8] = b"\xef\xbb\xbf";
/// The numbers that strict JSON does not have. They are read as null.
const NO_NUMBERS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// The text of a JSON value, as strict JSON.
///
/// The half of a surrogate pair becomes U+FFFD, and `NaN`, `Infinity` and `-Infinity` become null. Bytes that are not
/// UTF-8 become U+FFFD. A byte order mark is left out. A text without any of these is borrowed unchanged.
#[derive(Debug)]
pub struct JsonText<'a> {
    text: Cow<'a, str>,
    /// (offset in `text`, offset in the original bytes) after each replacement that changed the length.
    shifts: Vec<(usize, usize)>,
    is_lossy: bool,
}

impl<'a> JsonText<'a> {
    /// The text of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        let start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let shifts = if start == 0 {
            Vec::new()
        } else {
            vec![(0, start)]
        };
        let rest = &bytes[start..];
        match std::str::from_utf8(rest) {
            Ok(text) if !may_need_repair(rest) => Self {
                text: text.into(),
                shifts,
                is_lossy: false,
            },
            read => {
                let mut repair = Repair {
                    original: start,
                    shifts,
                    ..Repair::default()
                };
                for chunk in rest.utf8_chunks() {
                    repair.add(chunk.valid());
                    repair.replace(chunk.invalid().len(), "\u{fffd}");
                }
                Self {
                    text: repair.text.into(),
                    shifts: repair.shifts,
                    is_lossy: read.is_err(),
                }
            }
        }
    }

    /// The text as strict JSON, if the original is JSON as Python reads it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the original has bytes that are not UTF-8.
    pub fn is_lossy(&self) -> bool {
        self.is_lossy
    }

    /// Converts an offset in [`Self::as_str`] to the offset in the original bytes. The offset must not be inside a
    /// replacement.
    pub fn original_offset(&self, at: usize) -> usize {
        let later = self.shifts.partition_point(|(text, _)| *text <= at);
        let shift = later.checked_sub(1).map(|last| self.shifts[last]);
        shift.map_or(at, |(text, original)| original + (at - text))
    }
}

/// Parses a JSON value as Python reads it; see [`JsonText`]. Errors when `bytes` are no such value, are not UTF-8, or are
/// not a `T`.
pub fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    let json = JsonText::new(bytes);
    if json.is_lossy() {
        return Err(serde::de::Error::custom("holds bytes that are not UTF-8"));
    }
    let text = json.as_str();
    serde_json::from_str(text).or_else(|why| match without_repeated_names(text, &why) {
        Some(text) => serde_json::from_str(&text),
        None => Err(why),
    })
}

/// `json` with the last value of each name that occurs more than once in an object. `None` unless `why`, the error that
/// the parser returned for `json`, is about such a name.
pub fn without_repeated_names(json: &str, why: &serde_json::Error) -> Option<String> {
    if !why.to_string().contains("duplicate field") {
        return None;
    }
    let value: Value = serde_json::from_str(json).ok()?;
    Some(value.to_string())
}

/// Whether `bytes` may have something that [`Repair`] replaces. False if it certainly has not.
fn may_need_repair(bytes: &[u8]) -> bool {
    static SIGNS: LazyLock<[Finder<'static>; 4]> =
        LazyLock::new(|| ["\\ud", "\\uD", "NaN", "Infinity"].map(Finder::new));
    SIGNS.iter().any(|sign| sign.find(bytes).is_some())
}

/// Writes a strict JSON text from the original text.
#[derive(Debug, Default)]
struct Repair {
    text: String,
    /// How many original bytes were read.
    original: usize,
    shifts: Vec<(usize, usize)>,
    /// Whether the original read so far ends inside a string.
    in_string: bool,
}

impl Repair {
    fn add(&mut self, mut rest: &str) {
        while let Some(first) = rest.chars().next() {
            rest = match first {
                '"' => {
                    self.in_string = !self.in_string;
                    self.copy(rest, 1)
                }
                '\\' if self.in_string => self.escape(rest),
                '-' | 'N' | 'I' if !self.in_string => {
                    let number = NO_NUMBERS.iter().find(|number| rest.starts_with(**number));
                    match number {
                        Some(number) => {
                            self.replace(number.len(), "null");
                            &rest[number.len()..]
                        }
                        None => self.copy(rest, 1),
                    }
                }
                _ => {
                    let start = first.len_utf8();
                    let end = rest[start..].find(['"', '\\', '-', 'N', 'I']);
                    self.copy(rest, end.map_or(rest.len(), |end| start + end))
                }
            };
        }
    }

    /// Copies the escape at the start of `rest`, or replaces it if it is the half of a surrogate pair. Returns the text
    /// after it.
    fn escape<'t>(&mut self, rest: &'t str) -> &'t str {
        match code_unit(rest) {
            Some(0xd800..=0xdbff) if matches!(code_unit(&rest[6..]), Some(0xdc00..=0xdfff)) => {
                self.copy(rest, 12)
            }
            Some(0xd800..=0xdfff) => {
                self.replace(6, "\\ufffd");
                &rest[6..]
            }
            // The next character is copied too, because it may be a quotation mark.
            _ => {
                let length = rest.chars().take(2).map(char::len_utf8).sum();
                self.copy(rest, length)
            }
        }
    }

    fn copy<'t>(&mut self, rest: &'t str, length: usize) -> &'t str {
        let (copied, rest) = rest.split_at(length);
        self.text.push_str(copied);
        self.original += length;
        rest
    }

    /// Replaces the next `length` original bytes by `text`. Does nothing if `length` is 0.
    fn replace(&mut self, length: usize, text: &str) {
        if length == 0 {
            return;
        }
        self.text.push_str(text);
        self.original += length;
        if text.len() != length {
            self.shifts.push((self.text.len(), self.original));
        }
    }
}

/// The code unit of the escape `\uXXXX` at the start of `text`. `None` if `text` begins otherwise.
fn code_unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let are_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| are_digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_python_writes_beyond_strict_json_is_read() {
        for (written, read) in [
            (
                r#"["\ud83d", "\uDE00x", "\ud83d\ud83d\ude00"]"#,
                r#"["\ufffd", "\ufffdx", "\ufffd\ud83d\ude00"]"#,
            ),
            (
                r#"["\\ud83d", "\"NaN", "\ud83"]"#,
                r#"["\\ud83d", "\"NaN", "\ud83"]"#,
            ),
            (
                r#"{"a":NaN,"b":[Infinity,-Infinity],"c":-1}"#,
                r#"{"a":null,"b":[null,null],"c":-1}"#,
            ),
            (
                r#"{"NaN": "Infinity", "é": NaN}"#,
                r#"{"NaN": "Infinity", "é": null}"#,
            ),
        ] {
            assert_eq!(
                JsonText::new(written.as_bytes()).as_str(),
                read,
                "{written}"
            );
        }
        let marked = JsonText::new(b"\xef\xbb\xbf[1]");
        assert_eq!((marked.as_str(), marked.original_offset(1)), ("[1]", 4));
        let lossy = JsonText::new(b"[\"\xff\", NaN]");
        assert_eq!(
            (lossy.as_str(), lossy.is_lossy()),
            ("[\"\u{fffd}\", null]", true)
        );
    }

    #[test]
    fn the_last_value_of_a_repeated_name_counts() {
        #[derive(serde::Deserialize, PartialEq, Debug)]
        struct Record {
            a: Option<u32>,
        }
        assert_eq!(
            parse_json::<Record>(b"{\"a\": 1, \"a\": 2}").unwrap().a,
            Some(2)
        );
        assert_eq!(parse_json::<Record>(b"{\"a\": NaN}").unwrap().a, None);
        assert!(parse_json::<Record>(b"{\"a\": \"x\"}").is_err());
        assert!(parse_json::<Value>(b"\"\xff\"").is_err());
    }

    proptest! {
        #[test]
        fn offsets_lead_back_to_the_original(bytes in "([a-z\"\\\\é]|NaN|Infinity|\\\\ud83d|\\\\ude00){0,20}", bad in any::<bool>()) {
            let mut bytes = bytes.into_bytes();
            if bad {
                bytes.splice(0..0, *b"\xff,");
            }
            let json = JsonText::new(&bytes);
            prop_assert_eq!(json.original_offset(0), 0);
            prop_assert_eq!(json.original_offset(json.as_str().len()), bytes.len());
            for (at, comma) in json.as_str().match_indices(['a', 'z', ',']) {
                prop_assert_eq!(bytes[json.original_offset(at)], comma.as_bytes()[0]);
            }
        }

        #[test]
        fn strict_json_stays_as_it_is(value in "\\PC{0,20}", number in any::<i64>()) {
            let text = serde_json::json!({"a": value, "b": [number, value]}).to_string();
            let json = JsonText::new(text.as_bytes());
            prop_assert_eq!(json.as_str(), &text);
        }
    }
}
