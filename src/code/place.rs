//! Replaces a target in its file by a completion. The completion is a body or a whole function.

use std::borrow::Cow;

use super::charset::Charset;
use super::language::support;
use super::line_ends::{restored, with_feeds};
use super::placed::Placed;
use super::splice::splice;
use crate::benchmark::{Language, LanguageFeature, LineSpan};

/// Where a target is in its file, and what its completions are.
#[derive(Debug, Clone, Copy)]
pub struct TargetPlace {
    /// The language of the file.
    pub language: Language,
    /// The lines of the body.
    pub body: LineSpan,
    /// The number of blanks before the body's statements, if the source does not show it.
    pub indent: usize,
    /// Whether a completion may be a whole function.
    pub whole_functions: bool,
}

impl TargetPlace {
    /// Replaces the target in `source` by `completion`. With `whole_functions`, a completion that defines a function
    /// with the target's name is a whole function, unless it has statements such as `return` outside of functions. All
    /// other completions are bodies, which replace only the target's body (see `LanguageSupport::splice`).
    ///
    /// A whole Python function replaces the target, including the signature and the docstring. If its name differs from
    /// the target's name only in case, it gets the target's name. The target's decorators stay if the function has none.
    ///
    /// Further statements of a completion with a whole Python function are placed as follows:
    ///
    /// - If the target is not a method: next to the target.
    /// - If the target is a method: further methods next to the target, and all other statements before the outermost
    ///   definition around the target. A function counts as a method if its first parameter is `self` or `cls`, or if it
    ///   has a decorator for methods.
    /// - If the completion defines the target in a class: next to the target, but only those methods of this class that
    ///   the target's class in `source` lacks.
    ///
    /// The source keeps its encoding, its byte order mark and its line ends, and the completion gets them. A body gets
    /// the indentation of the target's body in the source.
    pub fn place(self, source: &[u8], completion: &str) -> Placed {
        edited(source, self.language, completion, |source, completion| {
            self.place_text(source, completion)
        })
    }

    /// As [`Self::place`], for a source that is decoded already and has LF line ends.
    pub fn place_text(self, source: &[u8], completion: &str) -> Placed {
        let (support, body) = (support(self.language), self.body);
        let whole = self.whole_functions;
        let whole = whole.then(|| support.place_function(source, body, completion));
        whole.flatten().unwrap_or_else(|| {
            let content = support.splice(source, body, completion, self.indent);
            body_placed(content, body, completion)
        })
    }

    /// As [`Self::place`], for a completion that is a body. The completion is dedented, and then indented by `indent`
    /// blanks, as the official evaluators do, even if the body in the source is indented otherwise.
    pub fn place_officially(self, source: &[u8], completion: &str) -> Placed {
        edited(source, self.language, completion, |source, completion| {
            if !self.language.has(LanguageFeature::SignificantIndentation) {
                return self.place_text(source, completion);
            }
            let content = splice(source, self.body, completion, self.indent);
            body_placed(content, self.body, completion)
        })
    }
}

/// The text of the target's body, with the lines `body`, as a completion of its target.
pub fn body_text(source: &[u8], language: Language, body: LineSpan) -> String {
    let text = Charset::of(language, source).decode(source);
    let text = plain_text(&text);
    support(language).body_text(&text, body).unwrap_or_else(|| {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let range = body.range();
        let end = range.end.min(lines.len());
        lines.get(range.start..end).unwrap_or_default().concat()
    })
}

/// A decoded source without its byte order mark, with LF in place of each CRLF and CR.
pub fn plain_text(source: &str) -> Cow<'_, str> {
    with_feeds(source.strip_prefix(MARK).unwrap_or(source))
}

/// The byte order mark as a character.
const MARK: char = '\u{feff}';

/// Decodes a source, changes its text with `change`, and encodes the result. `change` receives texts with LF line ends,
/// or the source itself if the source cannot be decoded.
fn edited(
    source: &[u8],
    language: Language,
    completion: &str,
    change: impl Fn(&[u8], &str) -> Placed,
) -> Placed {
    let charset = Charset::of(language, source);
    let completion = charset.writable(completion);
    let completion = with_feeds(&completion);
    let Some(text) = charset.decode_exactly(source) else {
        return change(source, &completion);
    };
    let plain = text.strip_prefix(MARK).unwrap_or(&text);
    let mut placed = change(with_feeds(plain).as_bytes(), &completion);
    let changed = String::from_utf8_lossy(&placed.content);
    let changed = format!(
        "{}{}",
        &text[..text.len() - plain.len()],
        restored(plain, &changed)
    );
    placed.content = match charset.encode(&changed) {
        Ok(bytes) => bytes.into_owned(),
        Err(c) => {
            let (code, encoding) = (u32::from(c), charset.name());
            let why = format!(
                "the completion has {c:?} (U+{code:04X}), which {encoding}, the encoding of the file, does not have"
            );
            placed.fault = Some(why);
            changed.into_bytes()
        }
    };
    placed
}

fn body_placed(content: Vec<u8>, body: LineSpan, completion: &str) -> Placed {
    // `splice` writes a blank line before the completion, so there is one line more.
    let count = u32::try_from(completion.lines().count()).unwrap_or(u32::MAX);
    let last = body.first().saturating_add(count);
    Placed {
        content,
        lines: LineSpan::new(body.first(), last).unwrap_or(body),
        signature: None,
        extra: Vec::new(),
        fault: None,
    }
}
