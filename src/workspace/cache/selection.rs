//! Which entries of the cache a removal is about.

use super::stored::{CacheEntry, CacheKind};
use crate::error::{Error, Result};

/// Chooses entries. An entry must meet each condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CacheSelection {
    /// The kinds. Empty: all that Evoscope made for this cache.
    pub kinds: Vec<CacheKind>,
    /// The entry was not used in so many seconds. An entry whose last use is unknown is not chosen.
    pub older_than: Option<u64>,
    /// The entry was made for this project. An entry whose projects are unknown is not chosen.
    pub project: Option<String>,
}

impl CacheSelection {
    /// Whether the entry is chosen. `now` is the time in seconds after 1970.
    pub fn has(&self, entry: &CacheEntry, now: i64) -> bool {
        let kind = if self.kinds.is_empty() {
            !matches!(entry.kind, CacheKind::OtherVolumes | CacheKind::Other)
        } else {
            self.kinds.contains(&entry.kind)
        };
        let old = |seconds: u64| {
            let age = entry.last_use.map(|last| now.saturating_sub(last));
            age.is_some_and(|age| u64::try_from(age).is_ok_and(|age| age >= seconds))
        };
        let made_for = |project: &String| {
            let mut projects = entry.projects.iter();
            projects.any(|own| own.eq_ignore_ascii_case(project))
        };
        kind && self.older_than.is_none_or(old) && self.project.as_ref().is_none_or(made_for)
    }
}

/// Parses a number of days, hours or weeks, such as `30d`, `12h` or `2w`, as seconds.
pub fn parse_age(text: &str) -> Result<u64> {
    let wrong = || {
        Error::user(format!("'{text}' is no age"))
            .hint("give a number of hours, days or weeks, such as 12h, 30d or 2w")
    };
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds: u64 = match unit {
        'h' => 3_600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => return Err(wrong()),
    };
    let number: u32 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    Ok(seconds * u64::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_hours_days_or_weeks() {
        let parsed = ["12h", "30d", "2w", "0d"].map(|text| parse_age(text).unwrap());
        assert_eq!(parsed, [43_200, 2_592_000, 1_209_600, 0]);
        for text in ["", "d", "30", "-1d", "3m", "1.5d", "4ü", "+"] {
            assert!(parse_age(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_entry_must_meet_each_condition() {
        let entry = CacheEntry {
            projects: vec!["Click".to_owned()],
            last_use: Some(1_000),
            ..CacheEntry::new(CacheKind::Environments, "key")
        };
        let everything = CacheSelection::default();
        let of = |kind, older_than, project: Option<&str>| CacheSelection {
            kinds: vec![kind],
            older_than,
            project: project.map(str::to_owned),
        };
        let (own, other) = (CacheKind::Environments, CacheKind::Images);
        assert!(everything.has(&entry, 0));
        assert!(of(own, Some(60), Some("click")).has(&entry, 1_060));
        assert!(!of(own, Some(60), None).has(&entry, 1_059));
        assert!(!of(own, None, Some("flask")).has(&entry, 1_060));
        assert!(!of(other, None, None).has(&entry, 1_060));
        let unknown = CacheEntry::new(own, "key");
        assert!(!of(own, Some(0), None).has(&unknown, 1_060));
        assert!(!of(own, None, Some("click")).has(&unknown, 1_060));
    }

    #[test]
    fn without_a_kind_the_volumes_of_other_caches_and_unknown_files_are_kept() {
        for kind in CacheKind::ALL {
            let chosen = CacheSelection::default().has(&CacheEntry::new(*kind, "a"), 0);
            let own = !matches!(kind, CacheKind::OtherVolumes | CacheKind::Other);
            assert_eq!(chosen, own, "{kind}");
        }
    }
}
