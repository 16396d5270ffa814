//! The files of tox: where they are, the factors in their names and lines, and the requirements of tests in them.

use pep508_rs::MarkerTree;
use toml::Table;

use super::collector::{Collector, TEST_GROUPS, included_file};
use super::files::ini_list;
use super::model::Purpose;
use super::pyproject::at;
use crate::history::SourceTree;

/// Sections whose `deps` are those of tests. The first one that has any counts.
const SECTIONS: [&str; 6] = [
    "testenv",
    "testenv:test",
    "testenv:tests",
    "testenv:unit",
    "testenv:py3",
    "testenv:py",
];

/// The most names that one pattern with braces becomes.
const MOST_NAMES: usize = 200;

/// A configuration of tox in the syntax of INI files.
pub(in crate::environment) struct ToxFile {
    /// The text of the file.
    pub text: String,
    /// The section with the list of environments.
    pub main_section: &'static str,
}

/// The configurations of tox: `tox.ini`, `setup.cfg`, and `legacy_tox_ini` in `pyproject.toml`.
pub(in crate::environment) fn tox_files(tree: &SourceTree) -> Vec<ToxFile> {
    let text = |name| tree.small_text(name).unwrap_or_default();
    let table: Table = text("pyproject.toml").parse().unwrap_or_default();
    let legacy = at(table.get("tool"), &["tox", "legacy_tox_ini"]);
    let legacy = legacy.and_then(toml::Value::as_str).unwrap_or_default();
    [
        (text("tox.ini"), "tox"),
        (text("setup.cfg"), "tox:tox"),
        (legacy.to_owned(), "tox"),
    ]
    .into_iter()
    .map(|(text, main_section)| ToxFile { text, main_section })
    .collect()
}

/// The names in a list: `py27,py3{6,7}-{a,b}` becomes `py27`, `py36-a`, `py36-b`, `py37-a`, `py37-b`. Commas and blanks
/// separate names.
pub(in crate::environment) fn expanded(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let separated = list.split(|c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    });
    for pattern in separated.filter(|pattern| !pattern.is_empty()) {
        let mut waiting = vec![pattern.to_owned()];
        while let Some(pattern) = waiting.pop() {
            let braces = pattern.find('{').and_then(|open| {
                let close = open + pattern[open..].find('}')?;
                Some((open, close))
            });
            let Some((open, close)) = braces else {
                names.push(pattern);
                continue;
            };
            let (before, after) = (&pattern[..open], &pattern[close + 1..]);
            for choice in choices(&pattern[open + 1..close]).iter().rev() {
                if waiting.len() + names.len() < MOST_NAMES {
                    waiting.push(format!("{before}{choice}{after}"));
                }
            }
        }
    }
    names
}

/// The choices between two braces: `a,b` or a range of numbers such as `8-12`.
fn choices(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for choice in text.split(',').map(str::trim) {
        let range = choice.split_once('-').and_then(|(first, last)| {
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            (last.saturating_sub(first) < 100).then_some(first..=last)
        });
        match range {
            Some(range) => found.extend(range.map(|number| number.to_string())),
            None => found.push(choice.to_owned()),
        }
    }
    found
}

/// The Python version in a factor: `3.10` for `py310`, `py3.10` or `3.10`, `3` for `py3`. `None` for other factors.
pub(in crate::environment) fn python_of_factor(factor: &str) -> Option<String> {
    let digits = factor.strip_prefix("py").unwrap_or(factor);
    let plain =
        digits.starts_with(['2', '3']) && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    if !plain {
        return None;
    }
    match digits.split_at(1) {
        (_, "") if factor == digits => None,
        (major, "") => Some(major.to_owned()),
        (_, rest) if rest.starts_with('.') => Some(digits.to_owned()),
        (major, rest) if factor != digits => Some(format!("{major}.{rest}")),
        _ => None,
    }
}

/// Adds the requirements, extras and dependency groups that the environments of tox for tests name.
pub(super) fn from_tox(tree: &SourceTree, collector: &mut Collector) {
    for file in tox_files(tree) {
        let mut sections = SECTIONS.iter();
        let deps = sections.find_map(|section| {
            Some(ini_list(&file.text, section, "deps")).filter(|lines| !lines.is_empty())
        });
        for line in deps.into_iter().flatten() {
            for line in referenced(&file.text, &line) {
                add_line(&line, collector);
            }
        }
        for key in ["extras", "dependency_groups"] {
            for line in ini_list(&file.text, "testenv", key) {
                for group in expanded(&line) {
                    collector.want_group(&group);
                }
            }
        }
    }
}

/// The lines that a reference to another section (`{[base]deps}`) stands for. Any other line stands for itself.
fn referenced(text: &str, line: &str) -> Vec<String> {
    let reference = line
        .strip_prefix("{[")
        .and_then(|rest| rest.strip_suffix('}'))
        .and_then(|rest| rest.split_once(']'));
    match reference {
        Some((section, key)) => ini_list(text, section, key),
        None => vec![line.to_owned()],
    }
}

fn add_line(line: &str, collector: &mut Collector) {
    let (marker, rest) = match factors(line) {
        Some((factors, rest)) => (condition(factors), rest),
        None => (MarkerTree::TRUE, line),
    };
    if marker.is_false() {
        return;
    }
    let rest = rest.replace("{toxinidir}/", "").replace("{tox_root}/", "");
    let extras = rest
        .strip_prefix(".[")
        .and_then(|rest| rest.strip_suffix(']'));
    for extra in extras.into_iter().flat_map(|extras| extras.split(',')) {
        collector.want_group(extra.trim());
    }
    match included_file(&rest) {
        Some(file) => collector.read_file(file, 0, Purpose::Tests),
        None => collector.require_where(&rest, &marker, Purpose::Tests),
    }
}

/// (factors, rest) of a line such as `py36,py37: mock`. `None` if the line has no factors.
fn factors(line: &str) -> Option<(&str, &str)> {
    let (factors, rest) = line.split_once(':')?;
    let is_factor = |c: char| c.is_ascii_alphanumeric() || " _{}.!,-".contains(c);
    let is_condition = rest.starts_with(char::is_whitespace) && factors.chars().all(is_factor);
    is_condition.then(|| (factors, rest.trim()))
}

/// The marker for a condition: the alternatives are separated by commas, the factors of an alternative by `-`.
fn condition(factors: &str) -> MarkerTree {
    let mut any = MarkerTree::FALSE;
    for alternative in expanded(factors) {
        let mut all = MarkerTree::TRUE;
        for factor in alternative.split('-') {
            all.and(factor_marker(factor));
        }
        any.or(all);
    }
    any
}

/// The marker for a factor. Factors that say nothing about Python hold if they name tests.
fn factor_marker(factor: &str) -> MarkerTree {
    let (is_negated, name) = match factor.strip_prefix('!') {
        Some(name) => (true, name),
        None => (false, factor),
    };
    let marker = match python_of_factor(name).as_deref() {
        Some("3") => MarkerTree::TRUE,
        Some(version) if version.starts_with("3.") => {
            let marker = format!("python_version == '{version}'");
            marker.parse().unwrap_or(MarkerTree::FALSE)
        }
        None if name == "py" || TEST_GROUPS.contains(&name) => MarkerTree::TRUE,
        Some(_) | None => MarkerTree::FALSE,
    };
    if is_negated { marker.negate() } else { marker }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_braces_are_expanded() {
        let names = expanded("py27,py3{6,7}-{a,b} lint");
        let expected = ["py27", "py36-a", "py36-b", "py37-a", "py37-b", "lint"];
        assert_eq!(names, expected);
        assert_eq!(expanded("py3{8-10}"), ["py38", "py39", "py310"]);
        assert_eq!(expanded("{py36"), ["{py36"]);
        assert!(expanded(&"{a,b}".repeat(20)).len() <= MOST_NAMES);
    }

    #[test]
    fn a_factor_names_a_version() {
        for (factor, expected) in [
            ("py37", Some("3.7")),
            ("py310", Some("3.10")),
            ("py3.11", Some("3.11")),
            ("3.12", Some("3.12")),
            ("py27", Some("2.7")),
            ("py3", Some("3")),
            ("py", None),
            ("pypy3", None),
            ("3", None),
            ("32", None),
            ("django32", None),
        ] {
            assert_eq!(python_of_factor(factor).as_deref(), expected, "{factor}");
        }
    }

    #[test]
    fn a_condition_becomes_a_marker() {
        let text = |factors: &str| condition(factors).try_to_string();
        assert_eq!(
            text("py36").as_deref(),
            Some("python_full_version == '3.6.*'")
        );
        for (factors, is_true) in [
            ("py3", true),
            ("!py27", true),
            ("py27,pypy", false),
            ("cov", false),
            ("test", true),
            ("py3-lint", false),
        ] {
            let marker = condition(factors);
            assert_eq!(
                (marker.is_true(), marker.is_false()),
                (is_true, !is_true),
                "{factors}"
            );
        }
    }
}
