//! Highlights the visible lines: finds the role of each byte of a line. The theme gives a colour to each role.
//!
//! Tree-sitter parses Python and Java once, and only the visible lines are queried. Syntect highlights every other
//! language line by line, from the nearest earlier line with a stored parser state. Both libraries are too slow for the
//! thread that draws. So a view first shows plain text, and shows the colours when the roles are found.

mod grammar;
mod lines;
mod text_mate;

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Cancel, Result};
use crate::tui::theme::Role;
use grammar::Grammar;
pub use lines::SourceLines;
use text_mate::TextMate;

/// The roles of one line: sorted byte ranges that do not overlap. Bytes without a role are plain text.
pub type LineRoles = Vec<(Range<usize>, Role)>;

/// The maximum number of bytes of a text that is highlighted. To parse a longer text would take seconds.
const LONGEST_TEXT: usize = 4 << 20;

/// The maximum number of bytes of a line that are highlighted. In a longer line, the bytes after this limit stay plain
/// with tree-sitter, and the whole line stays plain with syntect.
const LONGEST_LINE: usize = 8 << 10;

/// Computes the roles of one text's lines. [`Highlighter::roles`] is fast for lines near the lines of earlier calls.
/// Threads may share a highlighter.
pub struct Highlighter {
    lines: Arc<SourceLines>,
    method: Method,
}

/// How a text is highlighted.
enum Method {
    Plain,
    TreeSitter(Grammar),
    Syntect(TextMate),
}

impl Highlighter {
    /// A highlighter for the text. The file name in the path determines the language.
    pub fn new(path: &str, lines: Arc<SourceLines>) -> Self {
        let method = if lines.text().len() > LONGEST_TEXT {
            Method::Plain
        } else if let Some(grammar) = Grammar::parse(path, lines.text()) {
            Method::TreeSitter(grammar)
        } else {
            TextMate::for_path(path).map_or(Method::Plain, Method::Syntect)
        };
        Self { lines, method }
    }

    /// The roles of the 0-based lines `wanted`. Lines after the end of the text have no entry.
    ///
    /// # Errors
    ///
    /// If the work is cancelled.
    pub fn roles(&self, wanted: Range<usize>, cancel: &Cancel) -> Result<Vec<LineRoles>> {
        let wanted = wanted.start.min(self.lines.count())..wanted.end.min(self.lines.count());
        match &self.method {
            Method::Plain => Ok(vec![LineRoles::new(); wanted.len()]),
            Method::TreeSitter(grammar) => Ok(grammar.roles(&self.lines, wanted)),
            Method::Syntect(text_mate) => text_mate.roles(&self.lines, wanted, cancel),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    /// The text, with `[role text]` for each range that has a role.
    fn shown(path: &str, text: &str) -> String {
        let lines = Arc::new(SourceLines::new(text));
        let highlighter = Highlighter::new(path, Arc::clone(&lines));
        let roles = highlighter
            .roles(0..lines.count(), &Cancel::default())
            .unwrap();
        let mut marked = String::new();
        for (number, line) in roles.iter().enumerate() {
            let text = lines.line(number);
            let mut at = 0;
            for (range, role) in line {
                marked += &text[at..range.start];
                write!(marked, "[{} {}]", role.word(), &text[range.clone()]).unwrap();
                at = range.end;
            }
            marked += &text[at..];
            marked.push('\n');
        }
        marked
    }

    #[test]
    fn python_is_recognised() {
        let text = "@cache(maxsize=None)\nclass LRI(dict):\n    def get(self, key, n=1):\n        \"\"\"Doc\n        two\"\"\"\n        return f'{key!r}\\n' or None  # no\n";
        insta::assert_snapshot!(shown("a/b.py", text), @r#"
        [decorator @cache](maxsize=[constant None])
        [keyword class] [type LRI](dict):
            [keyword def] [function get]([builtin self], key, n=[number 1]):
                [string """Doc]
                [string two"""]
                [keyword return] [string f']{key!r}[escape \n][string '] [keyword or] [constant None]  [comment # no]
        "#);
    }

    #[test]
    fn java_is_recognised() {
        let text = "/** Doc. */\npublic final class A extends B {\n  @Override int size() { return this.x + 0x1F + \"a\\n\".length(); }\n}\n";
        insta::assert_snapshot!(shown("A.java", text), @r#"
        [comment /** Doc. */]
        [keyword public] [keyword final] [keyword class] [type A] [keyword extends] B {
          [decorator @Override] [keyword int] [function size]() { [keyword return] [builtin this].x + [number 0x1F] + [string "a][escape \n][string "].length(); }
        }
        "#);
    }

    #[test]
    fn syntect_highlights_other_languages_and_unknown_languages_stay_plain() {
        insta::assert_snapshot!(shown("x.json", "{\"a\": [1, true]}\n"), @r#"{[string "a"]: [[number 1], [constant true]]}"#);
        insta::assert_snapshot!(shown("x.unknown", "{\"a\": 1}\n"), @r#"{"a": 1}"#);
    }

    #[test]
    fn the_roles_of_a_window_are_the_same_as_in_the_whole_text() {
        for (path, text) in [
            (
                "x.py",
                "def f():\n    '''a\n    b\n    c'''\n    return 1\n".repeat(90),
            ),
            (
                "x.rs",
                "fn f() {\n/* a\n b */ let x = \"s\";\n}\n".repeat(90),
            ),
        ] {
            let lines = Arc::new(SourceLines::new(&text));
            let whole = Highlighter::new(path, Arc::clone(&lines));
            let all = whole.roles(0..lines.count(), &Cancel::default()).unwrap();
            let other = Highlighter::new(path, Arc::clone(&lines));
            for window in [200..230, 102..104, 0..3, 340..999] {
                let part = other.roles(window.clone(), &Cancel::default()).unwrap();
                assert_eq!(
                    part,
                    all[window.start..window.end.min(all.len())],
                    "{path} {window:?}"
                );
            }
        }
    }

    #[test]
    fn long_lines_and_invalid_code_are_highlighted_without_an_error() {
        let long = format!("x = [{}]\ny = 'a'\n", "1, ".repeat(100_000));
        let lines = Arc::new(SourceLines::new(&long));
        let roles = Highlighter::new("x.py", Arc::clone(&lines))
            .roles(0..9, &Cancel::default())
            .unwrap();
        assert!(roles[0].iter().all(|(range, _)| range.end <= LONGEST_LINE));
        assert_eq!(roles[1], [(4..7, Role::StringLiteral)]);
        let _ = shown("x.py", "def (:\n\u{0}\u{fffd} class ''' \n\t\r\n");
    }

    proptest::proptest! {
        #[test]
        fn ranges_are_sorted_disjoint_and_on_character_boundaries(text in "[a-z'\"#(){}@é日\n \\\\]{0,120}") {
            for path in ["x.py", "x.java", "x.rs"] {
                let lines = Arc::new(SourceLines::new(&text));
                let roles = Highlighter::new(path, Arc::clone(&lines)).roles(0..99, &Cancel::default()).unwrap();
                proptest::prop_assert_eq!(roles.len(), lines.count());
                for (number, line) in roles.iter().enumerate() {
                    let mut end = 0;
                    for (range, _) in line {
                        proptest::prop_assert!(range.start >= end && range.start < range.end);
                        proptest::prop_assert!(lines.line(number).get(range.clone()).is_some());
                        end = range.end;
                    }
                }
            }
        }
    }
}
