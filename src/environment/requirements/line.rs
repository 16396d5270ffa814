//! Parses one requirement (PEP 508) from a line of a requirements file or of a package's metadata.

use std::str::FromStr;

use pep440_rs::{Operator, VersionSpecifier};
use pep508_rs::{PackageName, Requirement, VersionOrUrl};

/// The maximum length of a line in bytes. Longer lines are ignored, because the time to compare two markers may grow
/// exponentially with the length of the markers.
const LONGEST_LINE: usize = 1000;

/// The requirement in a line. `None` for options, local paths, links, markers that never apply, lines that are too
/// long, and text that is not a requirement. If the version is invalid in PEP 440 (`>=2.*`), the result has no version
/// and no extras.
pub(in crate::environment) fn parse(line: &str) -> Option<Requirement> {
    let line = line.split(" #").next().unwrap_or(line);
    // Options of pip may follow a requirement: `six==1.0 --hash=…`.
    let line = line.split(" --").next().unwrap_or(line);
    // The options may be on the following lines, after a backslash.
    let line = line.trim().trim_end_matches('\\').trim();
    let local = line.starts_with(['-', '.', '/', '#', '{', '$']) || line.contains("://");
    if local || line.len() > LONGEST_LINE {
        return None;
    }
    let requirement = Requirement::from_str(line)
        .ok()
        .or_else(|| without_version(line))?;
    let is_link = matches!(requirement.version_or_url, Some(VersionOrUrl::Url(_)));
    (!is_link && !requirement.marker.is_false()).then_some(requirement)
}

/// The requirement in a line, with its marker but without its version and extras.
fn without_version(line: &str) -> Option<Requirement> {
    let (specifier, marker) = line.split_once(';').unwrap_or((line, ""));
    let end = specifier.find(['<', '>', '=', '~', '!', '(', '['])?;
    let name = PackageName::from_str(specifier[..end].trim()).ok()?;
    if marker.trim().is_empty() {
        return name.as_ref().parse().ok();
    }
    format!("{name} ; {marker}").parse().ok()
}

/// The version specifiers of a requirement. Empty if it has none.
pub(super) fn specifiers(requirement: &Requirement) -> &[VersionSpecifier] {
    match &requirement.version_or_url {
        Some(VersionOrUrl::VersionSpecifier(specifiers)) => specifiers,
        Some(VersionOrUrl::Url(_)) | None => &[],
    }
}

/// Limits setuptools to versions that still have `pkg_resources`, unless the requirement has an upper bound. A project
/// that requires setuptools usually uses `pkg_resources`.
pub(super) fn with_pkg_resources(requirement: Requirement) -> Requirement {
    let is_bounded = specifiers(&requirement).iter().any(|specifier| {
        let operator = specifier.operator();
        let lower = matches!(operator, Operator::GreaterThan | Operator::GreaterThanEqual);
        !lower && !matches!(operator, Operator::NotEqual | Operator::NotEqualStar)
    });
    if is_bounded {
        return requirement;
    }
    let removed = VersionSpecifier::less_than_version(pep440_rs::Version::new([81]));
    let all = specifiers(&requirement).iter().cloned().chain([removed]);
    Requirement {
        version_or_url: Some(VersionOrUrl::VersionSpecifier(all.collect())),
        ..requirement
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<String> {
        parse(line).map(|requirement| requirement.to_string())
    }

    #[test]
    fn names_are_normalized() {
        for name in ["zope.interface", "Zope_Interface", "zope--_.interface"] {
            assert_eq!(parsed(name).as_deref(), Some("zope-interface"));
        }
    }

    #[test]
    fn comments_options_links_and_local_paths_are_ignored() {
        assert_eq!(parsed("mock==4.0 # old").as_deref(), Some("mock==4.0"));
        assert_eq!(
            parsed("six==1.0 --hash=sha256:0").as_deref(),
            Some("six==1.0")
        );
        assert_eq!(parsed("six==1.0 \\").as_deref(), Some("six==1.0"));
        let others = [
            "-e .",
            "./local",
            "git+https://example.org/x",
            "x @ https://example.org/x.whl",
            "{posargs}",
            "# no",
            "",
            "no requirement at all",
        ];
        for line in others {
            assert_eq!(parsed(line), None, "{line}");
        }
    }

    #[test]
    fn an_invalid_version_is_left_out() {
        assert_eq!(parsed("a>=2.*").as_deref(), Some("a"));
        assert_eq!(parsed("a=1").as_deref(), Some("a"));
        let marked = parsed("a>=2.* ; python_version < '3.8'");
        assert_eq!(marked.as_deref(), Some("a ; python_full_version < '3.8'"));
    }
}
