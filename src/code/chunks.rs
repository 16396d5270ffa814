//! Cuts a file into chunks: its functions, the headers of its classes, and the code between them.

use super::outline::{Definition, DefinitionKind, outline};
use crate::benchmark::{Language, LineSpan};

/// The maximum number of lines in a chunk.
const LONGEST: u32 = 200;

/// Cuts a file's text into spans that contain every line exactly once, in order. The spans are:
///
/// - each function or method that is not inside another function;
/// - the header of a class, with the code up to its first method;
/// - the code between two methods of a class, and after its last method;
/// - the code of the module between definitions.
///
/// A span of more than 200 lines is cut after every 200 lines. A text that is too long or too hard to parse is cut only
/// in this way. The result is empty if the text is empty.
pub fn chunks(language: Language, text: &str) -> Vec<LineSpan> {
    let count = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    let outline = outline(language, text.as_bytes());
    let mut starts = vec![1];
    for definition in &outline.definitions {
        if is_bounding(definition, &outline.definitions) {
            starts.push(definition.whole.first());
            starts.push(definition.whole.last().saturating_add(1));
        }
    }
    starts.retain(|&start| start <= count);
    starts.sort_unstable();
    starts.dedup();
    let ends = starts.iter().skip(1).map(|next| next - 1).chain([count]);
    let spans = starts.iter().zip(ends);
    spans.flat_map(|(&first, last)| cut(first, last)).collect()
}

/// Whether one chunk begins at the first line of the definition, and another after its last line. True for classes and
/// functions that are not inside a function.
fn is_bounding(definition: &Definition, all: &[Definition]) -> bool {
    let mut parent = definition.parent;
    while let Some(above) = parent.and_then(|at| all.get(at)) {
        if above.kind != DefinitionKind::Class {
            return false;
        }
        parent = above.parent;
    }
    true
}

fn cut(first: u32, last: u32) -> impl Iterator<Item = LineSpan> {
    let starts = (0..).map(move |n| first.saturating_add(n * LONGEST));
    starts
        .take_while(move |&start| start <= last)
        .filter_map(move |start| LineSpan::new(start, last.min(start.saturating_add(LONGEST - 1))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn functions_class_headers_and_the_code_between_them_are_chunks() {
        let text = "import a\n\n\ndef f():\n    def g():\n        pass\n    return g\n\n\nclass C:\n    x = 1\n\n    \
            def m(self):\n        pass\n\n    y = 2\n\n\nz = 3\n";
        let spans: Vec<(u32, u32)> = chunks(Language::Python, text)
            .iter()
            .map(|span| (span.first(), span.last()))
            .collect();
        assert_eq!(
            spans,
            [
                (1, 3),
                (4, 7),
                (8, 9),
                (10, 12),
                (13, 14),
                (15, 16),
                (17, 19)
            ]
        );
    }

    proptest! {
        #[test]
        fn every_line_is_in_one_chunk(text in "([a-z :\\n]|def f\\(\\):\\n|class C:\\n    ){0,60}") {
            let mut next = 1;
            for span in chunks(Language::Python, &text) {
                prop_assert_eq!(span.first(), next);
                prop_assert!(span.count() <= LONGEST);
                next = span.last() + 1;
            }
            prop_assert_eq!(next as usize, text.lines().count() + 1);
        }
    }
}
