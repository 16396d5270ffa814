//! Escaping for each format that is written. Control characters never pass: they are shown as their Unicode pictures,
//! and bidirectional controls as their code points, so that a name cannot reorder or recolour what stands around it.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character may not be written as it is anywhere.
fn is_hostile(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text with control and bidirectional characters made visible; line ends and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\r' => {}
            '\u{0}'..='\u{1f}' if is_hostile(c) => {
                shown.extend(char::from_u32(0x2400 + u32::from(c)));
            }
            '\u{7f}' => shown.push('\u{2421}'),
            c if is_hostile(c) => {
                let _ = write!(shown, "<U+{:04X}>", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    shown.into()
}

/// The same on one line: line ends and tabs become blanks.
pub(crate) fn one_line(text: &str) -> String {
    visible(text).replace(['\n', '\t'], " ")
}

/// For HTML and SVG, in text and in quoted attributes.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// For a cell of a Markdown table.
pub(crate) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// For LaTeX text.
pub(crate) fn latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in one_line(text).chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str(r"\textbackslash{}"),
            '~' => out.push_str(r"\textasciitilde{}"),
            '^' => out.push_str(r"\textasciicircum{}"),
            '<' => out.push_str(r"\textless{}"),
            '>' => out.push_str(r"\textgreater{}"),
            c => out.push(c),
        }
    }
    out
}

/// A field of a CSV line (RFC 4180): quoted where it must be. A text that a spreadsheet would take for a formula gets
/// an apostrophe before it.
pub(crate) fn csv(text: &str) -> String {
    let text = visible(text);
    let formula = text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err();
    let text = if formula {
        format!("'{text}").into()
    } else {
        text
    };
    if text.contains(['"', ',', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hostile_text_is_shown_and_not_obeyed() {
        assert_eq!(one_line("a\u{1b}[31m\u{202e}b\r\nc"), "a␛[31m<U+202E>b c");
        assert_eq!(html("<script>\"'&"), "&lt;script&gt;&quot;&#39;&amp;");
        assert_eq!(markdown("a|b<i>_x_"), r"a\|b&lt;i&gt;\_x\_");
        assert_eq!(latex(r"50 % \of_#1"), r"50 \% \textbackslash{}of\_\#1");
        assert_eq!(csv("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
        assert_eq!((csv("-1.5"), csv("a,b")), ("-1.5".into(), "\"a,b\"".into()));
    }

    proptest! {
        #[test]
        fn no_text_opens_a_tag_or_a_cell(text in "\\PC*|[<>|&\"'\\x00-\\x1f]{0,20}") {
            prop_assert!(!html(&text).contains(['<', '>', '"', '\'']));
            let cell = markdown(&text);
            let bare = cell.replace("\\\\", "").replace("\\|", "");
            prop_assert!(!bare.contains(['|', '\n', '<']), "{}", cell);
        }
    }
}
