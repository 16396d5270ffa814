//! Reads Poetry's tables of dependencies. An entry is `name = "^1.2"`, a table with a version and conditions, or a list
//! of such tables.

use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifier, VersionSpecifiers};
use toml::Value;

use super::collector::Collector;
use super::model::Purpose;
use super::pyproject::strings;

/// Adds the packages of a table of dependencies to `collector`. The entry `python` is skipped. Optional packages are
/// required for tests only.
pub(super) fn poetry_table(table: Option<&Value>, purpose: Purpose, collector: &mut Collector) {
    for (name, value) in table.and_then(Value::as_table).into_iter().flatten() {
        if name == "python" {
            continue;
        }
        // In a list, each table has a version and the condition for this version.
        let entries = value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice);
        for entry in entries {
            let optional = entry.get("optional").and_then(Value::as_bool) == Some(true);
            let purpose = if optional { Purpose::Tests } else { purpose };
            collector.require(&requirement(name, entry), purpose);
        }
    }
}

/// Converts an entry to a requirement (PEP 508). If the version cannot be converted, the requirement has no version.
fn requirement(name: &str, entry: &Value) -> String {
    let text = |key| entry.get(key).and_then(Value::as_str);
    let version = entry.as_str().or(text("version")).and_then(specifiers);
    let extras = strings(entry.get("extras"));
    let extras = if extras.is_empty() {
        String::new()
    } else {
        format!("[{}]", extras.join(","))
    };
    let python = text("python").and_then(specifiers).unwrap_or_default();
    let mut markers: Vec<String> = python.iter().map(python_marker).collect();
    markers.extend(text("markers").map(|markers| format!("({markers})")));
    let marker = if markers.is_empty() {
        String::new()
    } else {
        format!(" ; {}", markers.join(" and "))
    };
    let version = version.map_or_else(String::new, |version| version.to_string());
    format!("{name}{extras}{version}{marker}")
}

fn python_marker(specifier: &VersionSpecifier) -> String {
    let text = specifier.to_string();
    let start = text.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    let (operator, version) = text.split_at(start);
    format!("python_full_version {operator} '{version}'")
}

/// Converts a version constraint of Poetry to version specifiers (PEP 440). The constraint may have carets, tildes,
/// wildcards and lists. PEP 440 has no alternatives (`||`), so only the last alternative is converted. `None` if the
/// text is not a constraint.
fn specifiers(constraint: &str) -> Option<VersionSpecifiers> {
    alternative(constraint.rsplit('|').next()?)
}

/// The alternatives of a constraint (`^2.7 || ^3.6`) as version specifiers, without those that are not constraints.
pub(in crate::environment) fn alternatives(constraint: &str) -> Vec<VersionSpecifiers> {
    constraint
        .split('|')
        .filter(|part| !part.trim().is_empty())
        .filter_map(alternative)
        .collect()
}

fn alternative(constraint: &str) -> Option<VersionSpecifiers> {
    let parts = constraint.split(',').map(str::trim);
    let parts: Option<Vec<String>> = parts.filter(|part| *part != "*").map(specifier).collect();
    parts?.join(",").parse().ok()
}

fn specifier(part: &str) -> Option<String> {
    let tilde = part.strip_prefix('~').filter(|rest| !rest.starts_with('='));
    let Some(version) = part.strip_prefix('^').or(tilde) else {
        let exact = part.starts_with(|c: char| c.is_ascii_digit());
        return Some(if exact {
            format!("=={part}")
        } else {
            part.to_owned()
        });
    };
    let lowest = Version::from_str(version).ok()?;
    let release = lowest.release();
    let first = release.iter().position(|number| *number > 0);
    // The upper limit increments the second number for a tilde, and the first number above zero for a caret.
    let place = if tilde.is_some() { Some(1) } else { first };
    let last = release.len() - 1;
    let place = place.map_or(last, |place| place.min(last));
    let mut limit = release[..=place].to_vec();
    limit[place] = limit[place].saturating_add(1);
    Some(format!(">={lowest},<{}", Version::new(limit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_become_specifiers() {
        for (constraint, expected) in [
            ("^2.1", ">=2.1, <3"),
            ("^1.2.3", ">=1.2.3, <2"),
            ("^0.2.3", ">=0.2.3, <0.3"),
            ("^0.0.3", ">=0.0.3, <0.0.4"),
            ("^0.0", ">=0.0, <0.1"),
            ("^0", ">=0, <1"),
            ("~1.4", ">=1.4, <1.5"),
            ("~1.4.2", ">=1.4.2, <1.5"),
            ("~1", ">=1, <2"),
            ("~=1.4", "~=1.4"),
            ("*", ""),
            ("1.*", "==1.*"),
            ("==1.2.*", "==1.2.*"),
            ("1.16.0", "==1.16.0"),
            (">=1.2,<2.0,!=1.5", ">=1.2, !=1.5, <2.0"),
            (">= 1.2, <2", ">=1.2, <2"),
            ("^1.0 || ^2.0", ">=2.0, <3"),
            ("^1.0b1", ">=1.0b1, <2"),
        ] {
            let found = specifiers(constraint).map(|found| found.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{constraint}");
        }
        for constraint in ["latest", "^", ">=", "^1.*"] {
            assert_eq!(specifiers(constraint), None, "{constraint}");
        }
    }

    #[test]
    fn an_entry_may_have_extras_and_conditions() {
        let table = "a = {version = '^1.2', extras = ['x', 'y'], python = '>=3.8,<3.10'}\n\
                     b = {git = 'https://example.org/b'}\nc = {version = '*', markers = \"os_name == 'nt'\"}\n";
        let table: toml::Table = table.parse().unwrap();
        let lines: Vec<String> = table
            .iter()
            .map(|(name, entry)| requirement(name, entry))
            .collect();
        let marker = "python_full_version >= '3.8' and python_full_version < '3.10'";
        assert_eq!(
            lines,
            [
                format!("a[x,y]>=1.2, <2 ; {marker}"),
                "b".to_owned(),
                "c ; (os_name == 'nt')".to_owned()
            ]
        );
    }
}
