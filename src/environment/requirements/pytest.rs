//! Chooses the version of pytest for a project.

use pep508_rs::{MarkerTree, Requirement};

use super::Requirements;
use super::line::{parse, specifiers};

/// The pytest to install unless a project requires a newer one: the last major version that the benchmarks' projects
/// were written for.
pub(crate) const USUAL_PYTEST: &str = "pytest<8";

/// The first major version after [`USUAL_PYTEST`].
const NEWER_MAJOR: u64 = 8;

impl Requirements {
    /// The pytest to install, as a requirement (PEP 508). This is the first requirement for which [`asks_for_newer`] is
    /// true, without the marker. If there is none, it is [`USUAL_PYTEST`].
    pub(crate) fn pytest(&self) -> String {
        let mut all = self.packages.iter().chain(&self.found);
        let newer = all.find_map(|line| parse(line).filter(asks_for_newer));
        newer.map_or_else(
            || USUAL_PYTEST.to_owned(),
            |mut requirement| {
                requirement.marker = MarkerTree::TRUE;
                requirement.to_string()
            },
        )
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
            found: vec![
                "pytest-mock>=9".to_owned(),
                "pytest>=8.3 ; os_name == 'nt'".to_owned(),
            ],
            ..Requirements::default()
        };
        assert_eq!(requirements.pytest(), "pytest>=8.3");
        assert_eq!(
            Requirements::default().pytest(),
            format!("pytest<{NEWER_MAJOR}")
        );
    }
}
