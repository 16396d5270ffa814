//! A minor version of Python 3.

use std::fmt;

use time::UtcDateTime;

use crate::code::Minor;

/// A minor version of Python 3: `PythonMinor(9)` is Python 3.9.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PythonMinor(pub Minor);

/// The versions that uv knows and that Evoscope can use, each with the date of its first release (seconds since 1970 in
/// UTC, at the start of the day). In order.
const RELEASES: [(Minor, i64); 9] = [
    (6, 1_482_451_200),  // 2016-12-23
    (7, 1_530_057_600),  // 2018-06-27
    (8, 1_571_011_200),  // 2019-10-14
    (9, 1_601_856_000),  // 2020-10-05
    (10, 1_633_305_600), // 2021-10-04
    (11, 1_666_569_600), // 2022-10-24
    (12, 1_696_204_800), // 2023-10-02
    (13, 1_728_259_200), // 2024-10-07
    (14, 1_759_795_200), // 2025-10-07
];

impl PythonMinor {
    /// The versions whose dates of release are known, in order.
    pub fn known() -> impl Iterator<Item = Self> {
        RELEASES.iter().map(|(minor, _)| Self(*minor))
    }

    /// The minor version of `3.9` or `3.9.18`. `None` for other text, such as `2.7`, `3` or `3.9-dev`.
    pub fn of_version(version: &str) -> Option<Self> {
        let rest = version.strip_prefix("3.")?;
        let (minor, patch) = rest.split_once('.').unwrap_or((rest, "0"));
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_patch = is_number(patch) || matches!(patch, "x" | "*");
        (is_number(minor) && is_patch).then(|| minor.parse().ok().map(Self))?
    }

    /// The date of the first release. `None` if it is not known.
    pub fn released(self) -> Option<UtcDateTime> {
        let (_, released) = RELEASES.iter().find(|(minor, _)| *minor == self.0)?;
        UtcDateTime::from_unix_timestamp(*released).ok()
    }

    /// Whether this version was released at `date` (seconds since 1970). Versions older than those known are taken for
    /// released, newer ones for not released.
    pub fn existed_at(self, date: i64) -> bool {
        let release = RELEASES.iter().find(|(minor, _)| *minor == self.0);
        release.map_or(self.0 < RELEASES[0].0, |(_, released)| *released <= date)
    }
}

impl fmt::Display for PythonMinor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "3.{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed() {
        for (text, expected) in [
            ("3.9", Some(9)),
            ("3.10", Some(10)),
            ("3.9.18", Some(9)),
            ("3.9.x", Some(9)),
            ("3", None),
            ("2.7", None),
            ("3.x", None),
            ("3.9-dev", None),
            ("3.", None),
            ("pypy3.9", None),
        ] {
            assert_eq!(
                PythonMinor::of_version(text),
                expected.map(PythonMinor),
                "{text}"
            );
        }
    }

    #[test]
    fn a_version_exists_from_the_day_of_its_release_on() {
        let release = 1_601_856_000; // 2020-10-05
        assert!(PythonMinor(9).existed_at(release) && !PythonMinor(9).existed_at(release - 1));
        assert!(PythonMinor(5).existed_at(0) && !PythonMinor(99).existed_at(release));
        let days = RELEASES.iter().all(|(_, date)| date % 86_400 == 0);
        assert!(days && RELEASES.is_sorted());
    }
}
