//! Chooses the Python versions to try for an environment.

use std::collections::BTreeSet;

use super::{PythonMinor, PythonSupport};

/// The versions to try without a date, in this order. The versions that the benchmarks' official environments use come
/// first.
const TODAY: [PythonMinor; 9] = [
    PythonMinor(9),
    PythonMinor(10),
    PythonMinor(11),
    PythonMinor(12),
    PythonMinor(8),
    PythonMinor(13),
    PythonMinor(7),
    PythonMinor(14),
    PythonMinor(6),
];

/// How many versions are tried for one environment.
const MOST: usize = 3;

/// The Python versions to try for an environment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PythonChoice {
    /// The versions to try, in this order: at most three. Empty if no Python is available.
    pub candidates: Vec<Candidate>,
    /// What the result must say: that the project's files or the date allow no available version. Otherwise `None`.
    pub note: Option<String>,
}

/// A Python version to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The version.
    pub minor: PythonMinor,
    /// Why it is tried, for the log: `the newest version that the project lists`.
    pub reason: &'static str,
}

/// Chooses among the `available` versions.
///
/// With a date (seconds since 1970), a version must have been released at that date. The newest version that the
/// project lists as tested and that `requires-python` allows comes first, then older listed ones, then the versions
/// nearest to these. If the project lists none, the newest that `requires-python` allows comes first. Without a date,
/// the order is a fixed one, and only `requires-python` counts.
///
/// If nothing available is possible, the choice is the oldest available Python 3, or the newest one if the project
/// requires a newer one than every available one. The choice then has a note.
pub fn choose_pythons(
    support: &PythonSupport,
    date: Option<i64>,
    available: &BTreeSet<PythonMinor>,
) -> PythonChoice {
    let existing = available
        .iter()
        .copied()
        .filter(|minor| date.is_none_or(|date| minor.existed_at(date)));
    let existing: BTreeSet<PythonMinor> = existing.collect();
    let allowed = existing
        .iter()
        .copied()
        .filter(|minor| support.allows(*minor));
    let allowed: BTreeSet<PythonMinor> = allowed.collect();
    if allowed.is_empty() || (date.is_some() && support.only_python2) {
        return without_allowed(support, date, available, &existing);
    }
    let mut candidates = match date {
        Some(_) => as_tested(support, &allowed),
        None => as_of_today(&allowed),
    };
    candidates.truncate(MOST);
    PythonChoice {
        candidates,
        note: None,
    }
}

/// The allowed versions: first those that the project lists, newest first, then the others, the nearest to the newest
/// listed one first.
fn as_tested(support: &PythonSupport, allowed: &BTreeSet<PythonMinor>) -> Vec<Candidate> {
    let newest_tested = support.tested.last().copied();
    let mut minors: Vec<PythonMinor> = allowed.iter().rev().copied().collect();
    minors.sort_by_key(|minor| {
        let distance = newest_tested.map_or(0, |tested| tested.0.abs_diff(minor.0));
        (!support.tested.contains(minor), distance)
    });
    let candidates = minors.into_iter().enumerate();
    candidates
        .map(|(at, minor)| {
            let reason = match (newest_tested, support.tested.contains(&minor), at) {
                (None, _, 0) => "the newest version that the project and the date allow",
                (None, ..) => "an older version that the project allows",
                (Some(_), true, 0) => "the newest version that the project lists",
                (Some(_), true, _) => "another version that the project lists",
                (Some(_), false, _) => "near to the versions that the project lists",
            };
            Candidate { minor, reason }
        })
        .collect()
}

fn as_of_today(allowed: &BTreeSet<PythonMinor>) -> Vec<Candidate> {
    let usual = TODAY.into_iter().filter(|minor| allowed.contains(minor));
    let newer = allowed
        .iter()
        .copied()
        .filter(|minor| !TODAY.contains(minor));
    let reason = "a version that the project allows, in the usual order";
    usual
        .chain(newer)
        .map(|minor| Candidate { minor, reason })
        .collect()
}

/// The choice if the project's files or the date allow no available version.
fn without_allowed(
    support: &PythonSupport,
    date: Option<i64>,
    available: &BTreeSet<PythonMinor>,
    existing: &BTreeSet<PythonMinor>,
) -> PythonChoice {
    let (Some(oldest), Some(newest)) = (available.first(), available.last()) else {
        return PythonChoice::default();
    };
    let mut later = PythonMinor::known().filter(|minor| minor > newest);
    let wants_newer = later.any(|minor| support.allows(minor))
        && !available.iter().any(|minor| support.allows(*minor));
    let why = if support.only_python2 && date.is_some() {
        "the project's files list only versions of Python 2".to_owned()
    } else if existing.is_empty() {
        "no Python 3 that is available existed at the date".to_owned()
    } else {
        let requires = support.requires.as_ref();
        let requires = requires.map_or_else(String::new, |requires| format!(" ({requires})"));
        let at = if date.is_some() { " and the date" } else { "" };
        format!("the project's requires-python{requires}{at} allow no Python that is available")
    };
    let minors: Vec<PythonMinor> = if wants_newer {
        available.iter().rev().copied().take(MOST).collect()
    } else {
        available.iter().copied().take(MOST).collect()
    };
    let (which, reason) = if wants_newer {
        (newest, "the newest that is available")
    } else {
        (oldest, "the oldest that is available")
    };
    let candidates = minors.into_iter().enumerate().map(|(at, minor)| Candidate {
        minor,
        reason: if at == 0 { reason } else { "the next one" },
    });
    PythonChoice {
        candidates: candidates.collect(),
        note: Some(format!("{why}: Python {which}, {reason}, is used")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noon of a day in UTC: `(2019, 10)` is 2019-10-15.
    fn middle_of(year: i64, month: i64) -> i64 {
        let months = (year - 1970) * 12 + month - 1;
        // A twelfth of a Gregorian year, on average.
        months * 2_629_746 + 14 * 86_400
    }

    fn support(requires: &str, tested: &[u8]) -> PythonSupport {
        PythonSupport {
            requires: super::super::lenient(requires),
            tested: tested.iter().copied().map(PythonMinor).collect(),
            only_python2: false,
        }
    }

    fn chosen(support: &PythonSupport, date: Option<i64>, available: &[u8]) -> Vec<u8> {
        let available = available.iter().copied().map(PythonMinor).collect();
        let choice = choose_pythons(support, date, &available);
        let minors = choice.candidates.iter().map(|candidate| candidate.minor.0);
        minors.collect()
    }

    const ALL: [u8; 9] = [6, 7, 8, 9, 10, 11, 12, 13, 14];

    #[test]
    fn with_a_date_the_newest_tested_version_that_existed_comes_first() {
        for (requires, tested, (year, month), expected) in [
            // Nothing is known: the newest that existed.
            ("", &[][..], (2021, 6), &[9, 8, 7][..]),
            ("", &[], (2019, 9), &[7, 6]),
            // The project lists versions: newer ones come later.
            (">=3.6", &[6, 7], (2021, 6), &[7, 6, 8]),
            (">=3.6", &[7], (2021, 6), &[7, 8, 6]),
            (">=3.7", &[6, 7], (2021, 6), &[7, 8, 9]),
            // Listed in advance, but not yet released.
            ("", &[6, 7, 8, 9], (2019, 11), &[8, 7, 6]),
            // Only versions that are too old are listed: the nearest.
            (">=3.4", &[4, 5], (2020, 1), &[6, 7, 8]),
            // Upper bounds count.
            (">=3.6,<3.8", &[], (2023, 1), &[7, 6]),
            ("==3.8.*", &[7, 8, 9], (2023, 1), &[8]),
            (">=3.8.1,!=3.9.7", &[], (2021, 1), &[9, 8]),
        ] {
            let support = support(requires, tested);
            let date = middle_of(year, month);
            let found = chosen(&support, Some(date), &ALL);
            assert_eq!(found, expected, "{requires} {tested:?} {year}-{month}");
        }
    }

    #[test]
    fn without_a_date_the_usual_order_holds_within_the_bounds() {
        for (requires, tested, available, expected) in [
            ("", &[][..], &ALL[..], &[9, 10, 11][..]),
            ("", &[7], &ALL, &[9, 10, 11]),
            (">=3.10", &[], &ALL, &[10, 11, 12]),
            ("<3.9", &[], &ALL, &[8, 7, 6]),
            ("", &[], &[6, 15], &[6, 15]),
        ] {
            let found = chosen(&support(requires, tested), None, available);
            assert_eq!(found, expected, "{requires}");
        }
    }

    #[test]
    fn if_nothing_is_possible_the_choice_has_a_note() {
        let noted = |support: &PythonSupport, date: Option<i64>| {
            let choice = choose_pythons(support, date, &[7, 8, 9, 10].map(PythonMinor).into());
            (choice.candidates[0].minor.0, choice.note.unwrap())
        };
        let date = middle_of(2022, 1);
        let (minor, note) = noted(&support("<3", &[]), Some(date));
        assert_eq!(minor, 7);
        assert!(note.contains("requires-python (<3)"), "{note}");
        let (minor, note) = noted(&support("", &[5]), Some(middle_of(2017, 1)));
        assert_eq!(minor, 7);
        assert!(note.contains("existed at the date"), "{note}");
        let (minor, note) = noted(&support(">=3.12", &[]), None);
        assert_eq!(minor, 10);
        assert!(note.contains("Python 3.10, the newest"), "{note}");
        let old = PythonSupport {
            only_python2: true,
            ..PythonSupport::default()
        };
        assert_eq!(noted(&old, Some(date)).0, 7);
        assert_eq!(chosen(&old, None, &[7, 9]), [9, 7]);
        assert_eq!(
            choose_pythons(&old, None, &BTreeSet::new()),
            PythonChoice::default()
        );
    }
}
