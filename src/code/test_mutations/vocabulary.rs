//! The constants and names of a test file. Mutations draw from them, so that a changed expectation looks like one that
//! a person wrote.

use std::collections::BTreeMap;
use std::ops::Range;

use rand::RngExt as _;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use tree_sitter::Node;

use super::mutation::Edit;
use crate::code::children;

/// The maximum length in bytes of a literal that an edit replaces as a whole. In a longer literal, the edit replaces
/// only the changed word, so that the edit's description stays short.
pub(crate) const LONG: usize = 60;
/// The minimum number of digits of a long number. Its first digit must not grow, because the larger number might not
/// fit its type.
const MANY_DIGITS: usize = 9;
/// A form is rare if another form is more than this many times as frequent.
const RARE: usize = 10;
/// The kinds of nodes with the content of a string.
const CONTENTS: [&str; 3] = [
    "string_content",
    "string_fragment",
    "multiline_string_fragment",
];

/// The source of each node in a file, by the kind of the node.
pub(crate) struct Vocabulary<'a> {
    pub text: &'a str,
    found: BTreeMap<String, Vec<&'a str>>,
}

impl<'a> Vocabulary<'a> {
    /// The vocabulary of the file with this text and syntax tree. Left out are the attributes that are called, and the
    /// collections that contain a name, because the name may be unknown in another function.
    pub fn new(root: Node, text: &'a str) -> Self {
        let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            let mut cursor = node.walk();
            waiting.extend(node.children(&mut cursor));
            let is_usable = match node.kind() {
                "attribute" => node.parent().is_none_or(|of| of.kind() != "call"),
                "list" | "tuple" | "dictionary" | "set" => !has_name(node),
                _ => true,
            };
            if is_usable {
                let sources = found.entry(node.kind().to_owned()).or_default();
                sources.push(&text[node.byte_range()]);
            }
        }
        Self { text, found }
    }

    /// The sources of the nodes of this kind, with repetitions.
    pub fn of(&self, kind: &str) -> &[&'a str] {
        self.found.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Whether the name `other` is not rare in the file, compared with the name `own`.
    pub fn often_names(&self, other: &str, own: &str) -> bool {
        let count = |name: &str| {
            let all = self.of("identifier").iter();
            all.filter(|known| **known == name).count()
        };
        is_often(count(other), count(own))
    }

    /// Whether the operator `other` is not rare in the file, compared with the operator `own`.
    pub fn often_has(&self, other: &str, own: &str) -> bool {
        is_often(self.of(other).len(), self.of(own).len())
    }

    /// Draws the source of another node of the kind of `node`, with the same number of lines, for which `suits` returns
    /// true. A source that occurs more often is drawn more often.
    pub fn other(&self, node: Node, suits: impl Fn(&str) -> bool) -> Option<Edit> {
        let own = &self.text[node.byte_range()];
        let lines = |text: &str| text.matches('\n').count();
        let is_other = |other: &&&str| **other != own && lines(other) == lines(own) && suits(other);
        let others: Vec<&&str> = self.of(node.kind()).iter().filter(is_other).collect();
        let drawn = others.choose(&mut rand::rng())?;
        Some((node.byte_range(), (**drawn).to_owned()))
    }

    /// Whether the source of `node` occurs again in another node.
    fn is_repeated(&self, node: Node) -> bool {
        let own = &self.text[node.byte_range()];
        let all = self.of(node.kind()).iter();
        all.filter(|other| **other == own).count() > 1
    }

    /// An edit that replaces a number. A number that the file repeats becomes another number of the file, so that the
    /// changed number is repeated too. Any other number becomes a number that is close to it.
    pub fn other_number(&self, number: Node) -> Option<Edit> {
        let own = &self.text[number.byte_range()];
        let suffix = |text: &str| text.chars().next_back().filter(char::is_ascii_alphabetic);
        let is_like =
            |other: &str| suffix(other) == suffix(own) && other.len().abs_diff(own.len()) <= 1;
        let drawn = || self.other(number, is_like);
        let near = || Some((number.byte_range(), near_number(own)?));
        if self.is_repeated(number) {
            drawn().or_else(near)
        } else {
            near().or_else(drawn)
        }
    }

    /// An edit that replaces a string. A string that the file repeats becomes another string of the file. In any other
    /// string, a word becomes another word of the file's strings.
    pub fn other_string(&self, string: Node) -> Option<Edit> {
        let own = &self.text[string.byte_range()];
        let opening = |text: &str| {
            let quotes = text.find(['"', '\'']).unwrap_or(0);
            let triple = text[quotes..].starts_with("\"\"\"") || text[quotes..].starts_with("'''");
            text[..quotes + if triple { 3 } else { 1 }].to_owned()
        };
        let fits = |a: &str, b: &str| a.len() <= 2 * b.len() + 6;
        let is_like = |other: &str| {
            opening(other) == opening(own)
                && !opening(own).contains(['f', 'F'])
                && fits(own, other)
                && fits(other, own)
        };
        let whole = || self.other(string, is_like);
        let word = || self.other_word(string);
        if self.is_repeated(string) {
            whole().or_else(word)
        } else {
            word().or_else(whole)
        }
    }

    /// An edit that replaces a random word of a string by another word of the file's strings.
    fn other_word(&self, string: Node) -> Option<Edit> {
        let parts = children(string).into_iter();
        let parts = parts.filter(|part| CONTENTS.contains(&part.kind()));
        let mut words: Vec<Range<usize>> = parts
            .flat_map(|part| {
                let found = words(&self.text[part.byte_range()]).into_iter();
                found.map(move |word| part.start_byte() + word.start..part.start_byte() + word.end)
            })
            .collect();
        words.shuffle(&mut rand::rng());
        words.into_iter().find_map(|word| {
            let other = self.word_like(&self.text[word.clone()])?;
            let shown = if string.byte_range().len() > LONG {
                word.clone()
            } else {
                string.byte_range()
            };
            let (before, after) = (shown.start..word.start, word.end..shown.end);
            let with = format!("{}{other}{}", &self.text[before], &self.text[after]);
            Some((shown, with))
        })
    }

    /// Another word that looks like `own`: a close number, a word of the file's strings, or a random code with one
    /// other character.
    fn word_like(&self, own: &str) -> Option<String> {
        if own.contains(|c: char| c.is_ascii_digit()) {
            return other_digit(own);
        }
        let contents = CONTENTS.iter().flat_map(|kind| self.of(kind));
        let all = contents.flat_map(|text| words(text).into_iter().map(|word| &text[word]));
        let is_like = |other: &&str| {
            *other != own && case(other) == case(own) && other.len().abs_diff(own.len()) <= 3
        };
        let others: Vec<&str> = all.filter(is_like).collect();
        let drawn = others.choose(&mut rand::rng());
        drawn.map(|other| (*other).to_owned())
    }

    /// A name of an exception that the file contains and `text` does not. If there is none, one of `common`.
    pub fn other_exception(&self, text: &str, common: &[&str]) -> Option<String> {
        let is_new = |name: &&&str| !text.contains(**name);
        let named = ["identifier", "type_identifier"].into_iter();
        let named = named.flat_map(|kind| self.of(kind));
        let named = named.filter(|name| {
            name.len() > 9 && (name.ends_with("Error") || name.ends_with("Exception"))
        });
        let found: Vec<&&str> = named.filter(is_new).collect();
        let common: Vec<&&str> = common.iter().filter(is_new).collect();
        let others = if found.is_empty() { common } else { found };
        let drawn = others.choose(&mut rand::rng());
        drawn.map(|name| (**name).to_owned())
    }
}

/// Whether `other` forms among `own` forms are too many to be conspicuous.
fn is_often(other: usize, own: usize) -> bool {
    other > 0 && other * RARE >= own
}

fn has_name(node: Node) -> bool {
    matches!(node.kind(), "identifier" | "interpolation")
        || children(node).into_iter().any(has_name)
}

/// Whether the first and the last character are upper case.
fn case(word: &str) -> [bool; 2] {
    let is_upper = |letter: Option<char>| letter.is_some_and(char::is_uppercase);
    [
        is_upper(word.chars().next()),
        is_upper(word.chars().next_back()),
    ]
}

/// The ranges of the words and numbers in the source of a string. Words directly after `\`, `%` or `&`, and all text in
/// braces, are left out: they may be an escape (`\n`), a placeholder (`%s`, `{x}`) or an HTML entity (`&lt;`).
fn words(source: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut special, mut in_braces) = (false, false);
    for (at, letter) in source.char_indices() {
        let is_letter = letter.is_ascii_alphanumeric();
        match letter {
            '{' => in_braces = true,
            '}' => in_braces = false,
            _ => {}
        }
        if is_letter && !special && !in_braces {
            match found.last_mut().filter(|last| last.end == at) {
                Some(last) => last.end = at + 1,
                None => found.push(at..at + 1),
            }
        }
        special = matches!(letter, '\\' | '%' | '&') || special && is_letter;
    }
    found
}

/// A number that is close to `own`: its first significant digit is one more or one less. `None` if there is no digit.
fn near_number(own: &str) -> Option<String> {
    let lower = own.to_ascii_lowercase();
    if ["0x", "0o", "0b"]
        .iter()
        .any(|base| lower.starts_with(base))
    {
        return other_digit(own);
    }
    let end = lower.find(['e', 'j', 'l', 'f', 'd']).unwrap_or(own.len());
    let digits = || {
        own[..end]
            .char_indices()
            .filter(|(_, c)| c.is_ascii_digit())
    };
    let first = digits().find(|(_, digit)| *digit != '0');
    let is_long = digits().count() >= MANY_DIGITS;
    match first {
        Some((at, '1')) if !is_long => Some(replaced(own, at, '2')),
        Some((at, digit @ '2'..='9')) => {
            let grows = !is_long && digit != '9' && rand::rng().random();
            let step = if grows { 1 } else { -1 };
            Some(replaced(
                own,
                at,
                (digit as u8).wrapping_add_signed(step).into(),
            ))
        }
        _ => Some(format!("{}{}", other_digit(&own[..end])?, &own[end..])),
    }
}

/// A text with its last digit replaced by a close digit, which is a digit in the number's base too.
fn other_digit(own: &str) -> Option<String> {
    let is_digit = |(_, c): &(usize, char)| c.is_ascii_digit();
    let (at, digit) = own.char_indices().rfind(is_digit)?;
    let close = match digit {
        '0' => '1',
        '1' if own.starts_with("0b") => '0',
        '1' => '2',
        '2'..='6' if rand::rng().random() => (digit as u8 + 1).into(),
        _ => (digit as u8 - 1).into(),
    };
    Some(replaced(own, at, close))
}

fn replaced(text: &str, at: usize, new: char) -> String {
    format!("{}{new}{}", &text[..at], &text[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_number_has_the_form_of_the_number() {
        for (own, others) in [
            ("1", vec!["2"]),
            ("0", vec!["1"]),
            ("30", vec!["20", "40"]),
            ("0.25", vec!["0.15", "0.35"]),
            ("9L", vec!["8L"]),
            ("1e-7", vec!["2e-7"]),
            ("0x1f", vec!["0x2f"]),
            ("0b1", vec!["0b0"]),
            ("2147483647", vec!["1147483647"]),
            ("1000000000000L", vec!["1000000000001L"]),
        ] {
            for _ in 0..9 {
                let near = near_number(own).unwrap();
                assert!(others.contains(&near.as_str()), "{own}: {near}");
            }
        }
    }

    #[test]
    fn escapes_and_placeholders_are_no_words() {
        let found = |text: &'static str| -> Vec<&str> {
            words(text).into_iter().map(|word| &text[word]).collect()
        };
        assert_eq!(found(r"a-bc\nde {x.y} %d &lt;2"), ["a", "bc", "2"]);
    }
}
