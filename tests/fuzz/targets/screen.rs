//! Hostile text on its way to the terminal: logs, completions, sources. No control byte and no bidirectional control
//! gets through.
#![no_main]

use evoscope::tui::text::sanitize;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
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
});
