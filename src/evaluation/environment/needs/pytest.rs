//! Which pytest a project needs: the usual line, unless it rules that out.

use super::Needs;
use crate::evaluation::environment::PYTEST;

/// The first release after [`PYTEST`]'s.
const NEXT: u32 = 8;

impl Needs {
    /// The requirement of pytest to install.
    pub(in crate::evaluation) fn pytest(&self) -> &str {
        let mut lines = self.packages.iter().chain(&self.found);
        lines
            .find(|line| is_of_pytest(line) && asks_for_newer(line))
            .map_or(PYTEST, |line| line.split(';').next().unwrap_or(line).trim())
    }
}

fn is_of_pytest(line: &str) -> bool {
    let rest = line.strip_prefix("pytest");
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c)))
}

/// Whether a requirement of pytest (PEP 440) is met by no release of the usual line.
pub(super) fn asks_for_newer(line: &str) -> bool {
    let specifier = line.split(';').next().unwrap_or_default();
    specifier.split(',').any(|part| {
        let Some(operator) = part.find(['<', '>', '=', '~', '!']) else {
            return false;
        };
        let part = &part[operator..];
        let version = part.trim_start_matches(['>', '=', '~']).trim();
        let major: String = version.chars().take_while(char::is_ascii_digit).collect();
        part.starts_with(['>', '=', '~']) && major.parse().is_ok_and(|major: u32| major >= NEXT)
    })
}

/// The requirement that a configuration of pytest makes by `minversion`, where the usual line does not meet it.
pub(super) fn by_configuration(least: &str) -> Option<String> {
    let line = format!("pytest>={}", least.trim().trim_matches(['"', '\'']));
    asks_for_newer(&line).then_some(line)
}

/// Settings of plugins all of whose releases that know them need a newer pytest, and which.
pub(super) const NEWER_SETTINGS: [(&str, &str); 2] = [
    ("asyncio_default_fixture_loop_scope", "pytest>=8.2"),
    ("asyncio_default_test_loop_scope", "pytest>=8.2"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_gets_a_newer_pytest_only_where_it_rules_the_usual_out() {
        for line in [
            "pytest>=8.3.5",
            "pytest ~= 9.0",
            "pytest[x]==8.*",
            "pytest>7,>=8 ; python_version>'3.8'",
        ] {
            assert!(asks_for_newer(line), "{line}");
        }
        for line in [
            "pytest",
            "pytest>=6.2",
            "pytest<9",
            "pytest!=8.0",
            "pytest==7.4; python_version<'3.12'",
        ] {
            assert!(!asks_for_newer(line), "{line}");
        }
        let needs = Needs {
            found: vec!["pytest-mock>=9".to_owned(), "pytest>=8.3 ; x".to_owned()],
            ..Needs::default()
        };
        assert_eq!(needs.pytest(), "pytest>=8.3");
        assert_eq!(Needs::default().pytest(), format!("pytest<{NEXT}"));
    }

    #[test]
    fn a_least_version_is_heeded() {
        assert_eq!(by_configuration(" \"8.3\"").as_deref(), Some("pytest>=8.3"));
        assert_eq!(by_configuration("6.0"), None);
    }
}
