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
    let entries = ini_entries(text, section).into_iter();
    let named = entries.filter(|(name, _)| is_same_extra(name, key));
    named.map(|(_, line)| line).collect()
}

/// (key, line) for each line of the values in a section of an INI file, as in [`ini_list`].
pub(in crate::environment) fn ini_entries(text: &str, section: &str) -> Vec<(String, String)> {
    let mut entries = Vec::new();
    let mut in_section = false;
    let mut key = "";
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        let mut add = |key: &str, line: &str| {
            if in_section && !key.is_empty() && !line.is_empty() {
                entries.push((key.to_owned(), line.to_owned()));
            }
        };
        if let Some(name) = trimmed
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            (in_section, key) = (name == section, "");
        } else if line.starts_with([' ', '\t']) {
            add(key, trimmed);
        } else if let Some((name, value)) = trimmed.split_once(['=', ':']) {
            key = name.trim();
            add(key, value.trim());
        }
    }
    entries
}
