//! Raw answers of models: the extraction of a body, and its insertion into a file.

use evoscope::benchmark::{Language, LineSpan};
use evoscope::code::{body_by_name, level_first_lines, official_body, outline, splice};

/// Runs the checks, and panics if one fails.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // The first word is the target's name, so that the fuzzer can make answers that define the target.
    let (name, answer) = text.split_once(' ').unwrap_or(("f", &text));
    let bodies = [
        Some(official_body(answer, name)),
        body_by_name(answer, name),
    ];
    for body in bodies.into_iter().flatten() {
        level_first_lines(&body);
        let file = format!("def {name}():\n    pass\n");
        let changed = splice(file.as_bytes(), LineSpan::line(2), &body, 4);
        outline(Language::Python, &changed);
    }
}
