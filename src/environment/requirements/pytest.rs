//! Chooses the version of pytest for a project.

use pep508_rs::{MarkerTree, Requirement};

use super::Requirements;
use super::covering::{Covering, lines};
use super::line::{parse, specifiers};

/// The pytest to install unless a project requires a newer one: the last major version that the benchmarks' projects
/// were written for.
pub(crate) const USUAL_PYTEST: &str = "pytest<8";

/// The first major version after [`USUAL_PYTEST`].
const NEWER_MAJOR: u64 = 8;

impl Requirements {
    /// The pytest for an environment of today, as a requirement (PEP 508). This is the first requirement for which
    /// [`asks_for_newer`] is true, without the marker. If there is none, it is [`USUAL_PYTEST`].
    pub(crate) fn pytest(&self) -> String {
        let mut all = self.packages.iter().chain(&self.named_pytest);
        let newer = all.find_map(|line| parse(line).filter(asks_for_newer));
        newer.map_or_else(
            || USUAL_PYTEST.to_owned(),
            |mut requirement| {
                requirement.marker = MarkerTree::TRUE;
                requirement.to_string()
            },
        )
    }

    /// The pytest for an environment of a past date, as requirements (PEP 508) that hold together: those of the
    /// project, or `pytest` without a version if the project names none. Of several requirements for the same Python
    /// versions, the first one with a version counts.
    pub(crate) fn own_pytest(&self) -> Vec<String> {
        let named = self.named_pytest.iter();
        let mut named: Vec<Requirement> = named.filter_map(|line| parse(line)).collect();
        named.sort_by_key(|requirement| specifiers(requirement).is_empty());
        named.extend(parse("pytest"));
        let mut own = Covering::default();
        for requirement in named {
            own.add(requirement);
        }
        lines(&own.found)
    }
}

/// Whether a requirement asks for pytest with at least the major version [`NEWER_MAJOR`].
pub(super) fn asks_for_newer(requirement: &Requirement) -> bool {
    let newer = |version: &pep440_rs::Version| version.release().first() >= Some(&NEWER_MAJOR);
    requirement.name.as_ref() == "pytest"
        && specifiers(requirement)
            .iter()
            .any(|bound| bound.has_lower_bound() && newer(bound.version()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_pytest_is_installed_only_if_the_project_requires_it() {
        let asks = |line: &str| asks_for_newer(&parse(line).unwrap());
        for line in [
            "pytest>=8.3.5",
            "pytest ~= 9.0",
            "pytest[x]==8.*",
            "pytest>7,>=8 ; python_version>'3.8'",
        ] {
            assert!(asks(line), "{line}");
        }
        for line in [
            "pytest",
            "pytest>=6.2",
            "pytest<9",
            "pytest!=8.0",
            "pytest==7.4; python_version<'3.12'",
            "pytest-mock>=9",
        ] {
            assert!(!asks(line), "{line}");
        }
        let requirements = Requirements {
            named_pytest: vec!["pytest>=8.3 ; os_name == 'nt'".to_owned()],
            ..Requirements::default()
        };
        assert_eq!(requirements.pytest(), "pytest>=8.3");
        assert_eq!(
            Requirements::default().pytest(),
            format!("pytest<{NEWER_MAJOR}")
        );
    }

    #[test]
    fn with_a_date_the_pytest_of_the_project_counts() {
        for (named, expected) in [
            (&[][..], &["pytest"][..]),
            (&["pytest", "pytest==5.4.3"], &["pytest==5.4.3"]),
            (&["pytest>=3,<5", "pytest==4.6"], &["pytest>=3,<5"]),
            (
                &["pytest==4.6 ; python_full_version < '3.5'", "pytest>=5"],
                &["pytest==4.6 ; python_full_version < '3.5'", "pytest>=5"],
            ),
            (
                &["pytest==4.6 ; python_full_version < '3.5'"],
                &["pytest==4.6 ; python_full_version < '3.5'", "pytest"],
            ),
        ] {
            let requirements = Requirements {
                named_pytest: named.iter().map(ToString::to_string).collect(),
                ..Requirements::default()
            };
            assert_eq!(requirements.own_pytest(), expected);
        }
    }
}
