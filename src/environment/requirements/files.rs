//! Reads lists in INI files.

use std::str::FromStr;

use pep508_rs::ExtraName;

/// Whether `name` equals `other`. If `other` is the normalized name of an extra, other spellings match too (PEP 685).
fn is_same_extra(name: &str, other: &str) -> bool {
    name == other || ExtraName::from_str(name).is_ok_and(|name| name.as_ref() == other)
}

/// The lines of a value in an INI file, without empty lines and comments. Indented lines continue a value, as in
/// Python's `configparser`. `key` is compared as in [`is_same_extra`]. Empty if the section or the key is missing.
pub(in crate::environment) fn ini_list(text: &str, section: &str, key: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut in_section, mut in_key) = (false, false);
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = trimmed
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            (in_section, in_key) = (name == section, false);
        } else if line.starts_with([' ', '\t']) {
            if in_key {
                lines.push(trimmed.to_owned());
            }
        } else if let Some((name, value)) = trimmed.split_once(['=', ':']) {
            in_key = in_section && is_same_extra(name.trim(), key);
            if in_key && !value.trim().is_empty() {
                lines.push(value.trim().to_owned());
            }
        }
    }
    lines
}
