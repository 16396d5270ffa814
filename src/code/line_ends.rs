//! The line ends of a source: LF, CRLF or CR, also mixed.

use std::borrow::Cow;

/// The text with LF in place of each CRLF and CR.
pub(super) fn with_feeds(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// Gives `changed` the line ends of `source`. `changed` is a changed copy of `source` in which all lines end with LF.
/// Unchanged lines at the beginning and at the end of the text keep their line ends. The other lines get the line end of
/// the line before them.
pub(super) fn restored<'c>(source: &str, changed: &'c str) -> Cow<'c, str> {
    if memchr::memchr(b'\r', source.as_bytes()).is_none() {
        return Cow::Borrowed(changed);
    }
    let before = lines(source);
    let after: Vec<&str> = changed.split_inclusive('\n').collect();
    let is_same =
        |(before, after): &(&(&str, &str), &&str)| before.0 == after.trim_end_matches('\n');
    let head = before.iter().zip(&after).take_while(is_same).count();
    let shorter = before.len().min(after.len());
    let tail = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take(shorter - head);
    let tail = tail.take_while(is_same).count();
    let mut out = String::with_capacity(changed.len() + after.len());
    let inner = before
        .get(head.saturating_sub(1))
        .map_or("\n", |(_, end)| end);
    for (at, line) in after.iter().enumerate() {
        let kept = if at < head {
            before.get(at)
        } else if at + tail >= after.len() {
            before.get(before.len() + at - after.len())
        } else {
            None
        };
        let text = line.trim_end_matches('\n');
        out.push_str(text);
        if text.len() < line.len() {
            let end = kept.map_or(inner, |(_, end)| *end);
            out.push_str(if end.is_empty() { "\n" } else { end });
        }
    }
    Cow::Owned(out)
}

/// The lines of a text: (line, line end).
fn lines(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let end = match &rest.as_bytes()[at..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        found.push((&rest[..at], &rest[at..at + end]));
        rest = &rest[at + end..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_lines_keep_their_line_ends_and_new_lines_get_those_of_the_line_before() {
        let source = "a\r\nb\r\nc\rd\ne";
        assert_eq!(with_feeds(source), "a\nb\nc\nd\ne");
        assert_eq!(restored(source, "a\nb\nc\nd\ne"), source);
        assert_eq!(
            restored(source, "a\n\nx\ny\nc\nd\ne"),
            "a\r\n\r\nx\r\ny\r\nc\rd\ne"
        );
        assert_eq!(restored(source, "x\n"), "x\r\n");
        assert_eq!(restored("a\r\nb", "a\nx\ny\n"), "a\r\nx\r\ny\r\n");
        assert_eq!(restored("", "x\n"), "x\n");
    }
}
