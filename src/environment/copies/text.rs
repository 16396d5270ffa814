//! Texts without what does not change the code: whitespace, comments, the kind of quotes, and what other formats add.

use std::borrow::Cow;

use serde_json::Value;

use crate::benchmark::{Language, LanguageFeature};

/// A text in normal form: ASCII characters without whitespace and comments, and where its lines begin. What a patch, a
/// listing or a Python session writes before a line is removed.
pub(super) struct Normal {
    pub text: String,
    /// The offsets in `text` at which lines begin that are not empty, in ascending order.
    starts: Vec<usize>,
}

impl Normal {
    pub fn of(text: &str, language: Language) -> Self {
        let mut normal = Self {
            text: String::with_capacity(text.len()),
            starts: Vec::new(),
        };
        for line in text.split(['\n', '\r']) {
            let line = without_comment(without_prefix(line), language);
            let line = line.trim_end().trim_end_matches('\\');
            let before = normal.text.len();
            for c in line.chars() {
                normal.push(c);
            }
            if normal.text.len() > before {
                normal.starts.push(before);
            }
        }
        normal
    }

    fn push(&mut self, c: char) {
        // Other encodings than UTF-8 give other characters, so only ASCII is compared.
        if !c.is_ascii() || c.is_ascii_whitespace() || c.is_ascii_control() {
            return;
        }
        let before = self.starts.last().map_or(0, |start| *start);
        if matches!(c, ')' | ']' | '}') && self.text.len() > before && self.text.ends_with(',') {
            self.text.pop();
        }
        self.text.push(if c == '\'' { '"' } else { c });
    }

    /// How many lines are not empty.
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    pub fn is_line_start(&self, at: usize) -> bool {
        self.starts.binary_search(&at).is_ok()
    }

    /// The offsets from `first` up to, but without, `end` at which lines begin.
    pub fn line_starts(&self, first: usize, end: usize) -> &[usize] {
        let from = self.starts.partition_point(|start| *start < first);
        let to = self.starts.partition_point(|start| *start < end);
        &self.starts[from..to.max(from)]
    }
}

/// The line without the prompt of a Python session, the sign of a patch or quotation, or the line number of a listing.
fn without_prefix(line: &str) -> &str {
    for prompt in [">>> ", "... "] {
        if let Some(rest) = line.trim_start().strip_prefix(prompt) {
            return rest;
        }
    }
    let line = line
        .strip_prefix(['+', '-', '>', '<', '|', '!'])
        .unwrap_or(line);
    let trimmed = line.trim_start();
    let rest = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < trimmed.len()
        && (trimmed.len() == line.len() || rest.starts_with(['\t', ':', '|']));
    if numbered {
        rest.trim_start_matches([':', '|'])
    } else {
        line
    }
}

/// The line up to a comment. A mark of a comment inside quotes does not count.
fn without_comment(line: &str, language: Language) -> &str {
    if !language.has(LanguageFeature::SignificantIndentation) {
        let start = line.trim_start();
        if start.starts_with("/*") || start.starts_with("* ") || start.trim_end() == "*" {
            return "";
        }
    }
    let mark = language.comment();
    for (at, _) in line.match_indices(mark) {
        let before = &line[..at];
        let quotes = before.matches(['"', '\'']).count();
        let apart = before.is_empty() || before.ends_with([' ', '\t', ';', ')', '{', '}']);
        if quotes.is_multiple_of(2) && apart {
            return before;
        }
    }
    line
}

/// The names in a body, without keywords, numbers and what is in quotes. Each name once.
pub(super) fn names(body: &str, language: Language) -> Vec<String> {
    const KEYWORDS: [&str; 33] = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class",
        "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global",
        "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return",
        "try", "while",
    ];
    let mut found: Vec<String> = Vec::new();
    for line in body.lines() {
        let unquoted = without_comment(line, language)
            .split(['"', '\''])
            .step_by(2);
        let words =
            unquoted.flat_map(|part| part.split(|c: char| !(c.is_alphanumeric() || c == '_')));
        for word in words {
            let is_name = word.len() > 1 && !word.starts_with(|c: char| c.is_ascii_digit());
            if is_name && !matches!(word, "with" | "yield") && !KEYWORDS.contains(&word) {
                found.push(word.to_owned());
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Whether a file is no text.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_some()
}

/// The texts that a file may contain: as it is, as a web page, as texts in JSON or in quotes, and as a swap file of Vim.
pub(super) fn views(bytes: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    let text = decoded(bytes);
    let page = text.contains("</").then(|| of_page(&text));
    let quoted = (text.contains("\\n") || text.contains("\\r")).then(|| {
        let values = of_json(&text);
        values.unwrap_or_else(|| unescaped(&text))
    });
    let swap = bytes.starts_with(b"b0VIM").then(|| {
        let lines: Vec<&str> = text.split('\0').rev().collect();
        lines.join("\n")
    });
    let page_in_quotes = quoted
        .as_deref()
        .filter(|text| text.contains("</"))
        .map(of_page);
    let others = [page, quoted, swap, page_in_quotes].into_iter().flatten();
    std::iter::once(text).chain(others.map(Cow::Owned))
}

fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let wide = |order: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..]
            .chunks_exact(2)
            .map(|pair| order([pair[0], pair[1]]))
            .collect();
        Cow::Owned(String::from_utf16_lossy(&units))
    };
    match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes),
    }
}

/// The text of a web page: without tags, with its entities decoded.
fn of_page(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (text, length) = if rest.starts_with('<') {
            tag(rest)
        } else {
            entity(rest)
        };
        out.push_str(&text);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// (text in place of the tag that `rest` begins with, length of the tag). A `<` that begins no tag stays.
fn tag(rest: &str) -> (Cow<'static, str>, usize) {
    let named = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
    match rest.find('>').filter(|_| named) {
        Some(end) => {
            let name = rest[1..end].trim_start_matches('/');
            let breaks = ["br", "p", "div", "tr", "li", "w:p", "w:br"];
            let name = name.split([' ', '/']).next().unwrap_or_default();
            (
                if breaks.contains(&name) {
                    "\n".into()
                } else {
                    "".into()
                },
                end + 1,
            )
        }
        None => ("<".into(), 1),
    }
}

/// (text of the entity that `rest` begins with, length of the entity). A `&` that begins no entity stays.
fn entity(rest: &str) -> (Cow<'static, str>, usize) {
    const LONGEST: usize = 10;
    let end = rest.bytes().take(LONGEST).position(|byte| byte == b';');
    let Some(end) = end else {
        return ("&".into(), 1);
    };
    let name = &rest[1..end];
    let text = match name {
        "lt" => "<".into(),
        "gt" => ">".into(),
        "amp" => "&".into(),
        "quot" => "\"".into(),
        "apos" => "'".into(),
        "nbsp" => " ".into(),
        _ => {
            let number = name.strip_prefix("#x").or(name.strip_prefix("#X"));
            let code = match number {
                Some(hex) => u32::from_str_radix(hex, 16).ok(),
                None => name
                    .strip_prefix('#')
                    .and_then(|digits| digits.parse().ok()),
            };
            match code.and_then(char::from_u32) {
                Some(c) => c.to_string().into(),
                None => return ("&".into(), 1),
            }
        }
    };
    (text, end + 1)
}

/// All texts in JSON values that follow each other. The texts of a list follow each other without a line break, as the
/// lines of a notebook's cell do. `None` if the text is not JSON.
fn of_json(text: &str) -> Option<String> {
    let start = text.trim_start();
    if !start.starts_with(['{', '[', '"']) {
        return None;
    }
    let mut out = String::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        add_texts(&value.ok()?, &mut out);
    }
    Some(out)
}

fn add_texts(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Array(values) => values.iter().for_each(|value| add_texts(value, out)),
        Value::Object(fields) => {
            for value in fields.values() {
                out.push('\n');
                add_texts(value, out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The text with its escapes replaced, as in a literal of a programming language.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match rest.next() {
            Some('n' | 'r') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}
