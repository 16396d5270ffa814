//! The constants and names of a test file. Mutations draw from them, so that a changed expectation looks like one that
//! a person wrote.

use std::collections::BTreeMap;
use std::ops::Range;

use rand::RngExt as _;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use tree_sitter::{Node, Tree};

use super::mutation::Edit;
use crate::benchmark::Language;
use crate::code::{children, parse};

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

/// The syntax tree of a test file, with the source of each of its nodes.
pub(crate) struct Vocabulary<'a> {
    pub text: &'a str,
    pub tree: Tree,
    /// The sources by the kind of the node, with repetitions.
    found: BTreeMap<String, Vec<&'a str>>,
}

impl<'a> Vocabulary<'a> {
    /// Parses a test file. `None` if the file exceeds the limits of the parser. Left out of the sources are attributes
    /// that are called, and collections that contain a name, because the name may be unknown in another function.
    pub fn parse(language: Language, text: &'a str) -> Option<Self> {
        let tree = parse(language, text.as_bytes())?;
        let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut waiting = vec![tree.root_node()];
        while let Some(node) = waiting.pop() {
            waiting.extend(node.children(&mut node.walk()));
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
        Some(Self { text, tree, found })
    }

    /// The sources of the nodes of this kind, with repetitions.
    pub fn of(&self, kind: &str) -> &[&'a str] {
        self.found.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Whether `other` is not rare in the file, compared with `own`. Both are names or operators.
    pub fn often_has(&self, other: &str, own: &str) -> bool {
        let count = |word: &str| {
            let names = self.of("identifier").iter();
            self.of(word).len() + names.filter(|name| **name == word).count()
        };
        count(other) > 0 && count(other) * RARE >= count(own)
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

    /// An edit of a constant. A constant that the file repeats becomes another constant of the file that `suits`, so that
    /// the changed constant is repeated too. Any other constant becomes `close`. If one of both is impossible, the other
    /// is used.
    fn other_constant(
        &self,
        constant: Node,
        suits: impl Fn(&str) -> bool,
        close: impl Fn() -> Option<Edit>,
    ) -> Option<Edit> {
        let own = &self.text[constant.byte_range()];
        let all = self.of(constant.kind()).iter();
        let drawn = || self.other(constant, &suits);
        if all.filter(|other| **other == own).count() > 1 {
            drawn().or_else(close)
        } else {
            close().or_else(drawn)
        }
    }

    /// An edit that replaces a number by another number of the file, or by one that is close to it.
    pub fn other_number(&self, number: Node) -> Option<Edit> {
        let own = &self.text[number.byte_range()];
        let suffix = |text: &str| text.chars().next_back().filter(char::is_ascii_alphabetic);
        let is_like =
            |other: &str| suffix(other) == suffix(own) && other.len().abs_diff(own.len()) <= 1;
        let close = || Some((number.byte_range(), near_number(own)?));
        self.other_constant(number, is_like, close)
    }

    /// An edit that replaces a string by another string of the file, or one of its words by another word of the file's
    /// strings.
    pub fn other_string(&self, string: Node) -> Option<Edit> {
        let own = &self.text[string.byte_range()];
        let opening = |text: &str| {
            let quotes = text.find(['"', '\'']).unwrap_or(0);
            let triple = ["\"\"\"", "\'\'\'"]
                .iter()
                .any(|quotes_of| text[quotes..].starts_with(quotes_of));
            text[..quotes + if triple { 3 } else { 1 }].to_owned()
        };
        let fits = |a: &str, b: &str| a.len() <= 2 * b.len() + 6;
        let is_like = |other: &str| {
            opening(other) == opening(own)
                && !opening(own).contains(['f', 'F'])
                && fits(own, other)
                && fits(other, own)
        };
        self.other_constant(string, is_like, || self.other_word(string))
    }

    /// An edit that replaces a random word of a string by another word of the file's strings.
    fn other_word(&self, string: Node) -> Option<Edit> {
        let parts = children(string).into_iter();
        let mut words: Vec<Range<usize>> = parts
            .filter(|part| CONTENTS.contains(&part.kind()))
            .flat_map(|part| words(self.text, part.byte_range()))
            .collect();
        words.shuffle(&mut rand::rng());
        let edit = |word: Range<usize>| Some((word.clone(), self.word_like(&self.text[word])?));
        words.into_iter().find_map(edit)
    }

    /// Another word that looks like `own`: a random code with one other digit, or a word of the file's strings.
    fn word_like(&self, own: &str) -> Option<String> {
        if own.contains(|c: char| c.is_ascii_digit()) {
            return other_digit(own);
        }
        let contents = CONTENTS.iter().flat_map(|kind| self.of(kind));
        let all = contents.flat_map(|text| {
            words(text, 0..text.len())
                .into_iter()
                .map(|word| &text[word])
        });
        let is_like = |other: &&str| {
            *other != own && case(other) == case(own) && other.len().abs_diff(own.len()) <= 3
        };
        let others: Vec<&str> = all.filter(is_like).collect();
        let drawn = others.choose(&mut rand::rng());
        drawn.map(|other| (*other).to_owned())
    }

    /// A name of an exception that the file contains and `text` does not, and that `suits`. If there is none, one of
    /// `common`.
    pub fn other_exception(
        &self,
        text: &str,
        common: &[&str],
        suits: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let is_new = |name: &&&str| !text.contains(**name);
        let names = self
            .of("identifier")
            .iter()
            .chain(self.of("type_identifier"));
        let is_exception = |name: &&&str| {
            name.len() > 9 && (name.ends_with("Error") || name.ends_with("Exception"))
        };
        let found = names.filter(is_exception).filter(is_new);
        let found: Vec<&&str> = found.filter(|name| suits(name)).collect();
        let common: Vec<&&str> = common.iter().filter(is_new).collect();
        let others = if found.is_empty() { common } else { found };
        let drawn = others.choose(&mut rand::rng());
        drawn.map(|name| (**name).to_owned())
    }
}

fn has_name(node: Node) -> bool {
    matches!(node.kind(), "identifier" | "interpolation")
        || children(node).into_iter().any(has_name)
}

/// Whether the first and the last character are upper case.
fn case(word: &str) -> [bool; 2] {
    [
        word.starts_with(char::is_uppercase),
        word.ends_with(char::is_uppercase),
    ]
}

/// The ranges of the words and numbers in `range` of `text`, the source of a string. Words directly after `\`, `%` or
/// `&`, and all text in braces, are left out: they may be an escape (`\n`), a placeholder (`%s`, `{x}`) or an HTML entity
/// (`&lt;`).
fn words(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut special, mut in_braces) = (false, false);
    for (at, letter) in text[range.clone()].char_indices() {
        let at = range.start + at;
        let is_letter = letter.is_ascii_alphanumeric();
        in_braces = letter == '{' || in_braces && letter != '}';
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
    let is_digit = |(_, c): &(usize, char)| c.is_ascii_digit();
    let digits = || own[..end].char_indices().filter(is_digit);
    let is_long = digits().count() >= MANY_DIGITS;
    let step = match digits().find(|(_, digit)| *digit != '0') {
        Some((at, '1')) if !is_long => (at, '2'),
        Some((at, digit @ '2'..='9')) => {
            let grows = !is_long && digit != '9' && rand::rng().random();
            (
                at,
                (digit as u8)
                    .wrapping_add_signed(if grows { 1 } else { -1 })
                    .into(),
            )
        }
        _ => return Some(other_digit(&own[..end])? + &own[end..]),
    };
    Some(replaced(own, step))
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
    Some(replaced(own, (at, close)))
}

fn replaced(text: &str, (at, new): (usize, char)) -> String {
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
            words(text, 0..text.len())
                .into_iter()
                .map(|word| &text[word])
                .collect()
        };
        assert_eq!(found(r"a-bc\nde {x.y} %d &lt;2"), ["a", "bc", "2"]);
    }
}
