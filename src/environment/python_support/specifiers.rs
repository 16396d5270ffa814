//! Reads version specifiers that are not quite as PEP 440 wants them.

use pep440_rs::{VersionSpecifier, VersionSpecifiers};

/// The version specifiers in a text. A wildcard after an inequality is ignored: `>=3.6.*` means `>=3.6`. Specifiers
/// that cannot be read are left out. `None` if nothing is left.
pub(super) fn lenient(text: &str) -> Option<VersionSpecifiers> {
    let parts = text
        .split(',')
        .map(|part| part.trim().trim_matches(['"', '\'']));
    let all: Vec<VersionSpecifier> = parts.filter_map(specifier).collect();
    (!all.is_empty()).then(|| all.into_iter().collect())
}

fn specifier(part: &str) -> Option<VersionSpecifier> {
    let plain = part.trim_end_matches(".*");
    let text = match part.parse() {
        Ok(specifier) => return Some(specifier),
        // A version alone, such as `3.6`, means at least this version.
        Err(_) if plain.starts_with(|c: char| c.is_ascii_digit()) => format!(">={plain}"),
        Err(_) => plain.to_owned(),
    };
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faulty_specifiers_are_read_as_far_as_possible() {
        for (text, expected) in [
            (">=3.6, <4", Some(">=3.6, <4")),
            (">=2.7, !=3.0.*, !=3.1.*", Some(">=2.7, !=3.0.*, !=3.1.*")),
            (">=3.6.*", Some(">=3.6")),
            ("3.6", Some(">=3.6")),
            ("~=3.6,nonsense", Some("~=3.6")),
            ("nonsense", None),
            ("", None),
        ] {
            let found = lenient(text).map(|found| found.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
