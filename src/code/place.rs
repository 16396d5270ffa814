//! Replaces a target in its file by a completion. The completion is a body or a whole function.

use std::borrow::Cow;

use super::language::support;
use super::placed::Placed;
use crate::benchmark::{Language, LanguageFeature, LineSpan};

/// Replaces the target by `completion`. The target is the function in `source` with the body at the lines `body`. With
/// `whole_functions`, a completion that defines a function with the target's name is a whole function, unless it has
/// statements such as `return` outside of functions. All other completions are bodies, which replace only the target's
/// body (see `LanguageSupport::splice`).
///
/// A whole Python function replaces the target, including the signature and the docstring. If its name differs from the
/// target's name only in case, it gets the target's name. The target's decorators stay if the function has none.
///
/// Further statements of a completion with a whole Python function are placed as follows:
///
/// - If the target is not a method: next to the target.
/// - If the target is a method: further methods next to the target, and all other statements before the outermost
///   definition around the target. A function counts as a method if its first parameter is `self` or `cls`, or if it
///   has a decorator for methods.
/// - If the completion defines the target in a class: next to the target, but only those methods of this class that
///   the target's class in `source` lacks.
pub fn place(
    source: &[u8],
    language: Language,
    body: LineSpan,
    completion: &str,
    indent: usize,
    whole_functions: bool,
) -> Placed {
    let support = support(language);
    let completion = &*encodable(source, language, completion);
    let whole = whole_functions.then(|| support.place_function(source, body, completion));
    whole.flatten().unwrap_or_else(|| {
        // `splice` writes a blank line before the completion, so there is one line more.
        let count = u32::try_from(completion.lines().count()).unwrap_or(u32::MAX);
        let last = body.first().saturating_add(count);
        Placed {
            content: support.splice(source, body, completion, indent),
            lines: LineSpan::new(body.first(), last).unwrap_or(body),
            signature: None,
            extra: Vec::new(),
        }
    })
}

/// The completion in the encoding of the source. If a Java source is not UTF-8, non-ASCII characters are written as
/// Unicode escapes.
fn encodable<'c>(source: &[u8], language: Language, completion: &'c str) -> Cow<'c, str> {
    let latin1 = language.has(LanguageFeature::Latin1Sources);
    if !latin1 || completion.is_ascii() || std::str::from_utf8(source).is_ok() {
        return Cow::Borrowed(completion);
    }
    let mut out = String::with_capacity(completion.len());
    for c in completion.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            out.extend(
                c.encode_utf16(&mut units)
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}")),
            );
        }
    }
    Cow::Owned(out)
}
