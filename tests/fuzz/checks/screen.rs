//! Hostile text, such as logs, completions and sources. Checks that no control character and no bidirectional control
//! reaches the screen or printed text, and that escaping does not change the content of JSON.

use evoscope::escape;
use evoscope::tui::text::sanitize;

/// Runs the checks, and panics if one fails.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        let clean = sanitize(line);
        assert!(
            !clean.chars().any(char::is_control),
            "a control reached the screen: {clean:?}"
        );
        let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
        assert!(
            !clean.chars().any(turns),
            "a bidirectional control reached the screen: {clean:?}"
        );
    }
    for line in [escape::one_line(&text), escape::visible(&text).into_owned()] {
        let hidden = line
            .chars()
            .find(|&c| !matches!(c, '\n' | '\t') && escape::is_hidden(c));
        assert_eq!(hidden, None, "hidden in {line:?}");
    }
    let written = escape::json(&serde_json::to_string(&text).expect("a text is JSON")).into_owned();
    let read: String = serde_json::from_str(&written).expect("escaped JSON is JSON");
    assert_eq!(read, text, "escaping changed the text of JSON");
}
