//! Puts a completion in the place of its target: a body, or a whole function.

use std::borrow::Cow;

use super::language::support;
use super::placed::Placed;
use crate::benchmark::{Language, LanguageFeature, LineSpan};

/// Puts `completion` in the place of the function in `source` that has the lines `body` as its body. With
/// `whole_functions`, a completion that defines a function with the target's name counts as a whole function. It counts
/// as a body if it has statements such as `return` outside of functions. `LanguageSupport::splice` places bodies.
///
/// A whole Python function replaces the target, including the signature and the docstring. If the two names differ only
/// in case, the function is renamed. The target's decorators stay if the function has no decorators.
///
/// Other statements of the completion are retained. If the target is not a method, they are placed next to the target.
/// If the target is a method, other methods are placed next to the target, and all other statements before the
/// outermost definition around the target. A function counts as a method if its first parameter is `self` or `cls`, or
/// if it has a decorator for methods. If the completion repeats the class around the target, only the methods that the
/// target's class lacks are taken from it.
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
        // One more line than the completion has, because a blank line precedes the completion.
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
