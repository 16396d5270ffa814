//! Reads patch files. A patch file describes one commit: header lines, the commit message, and a unified diff.
//!
//! ```text
//! Author: Maren Holt <maren@siskin.example>
//! Date: 2023-03-18T18:00:00+01:00
//! Parents: 0028 0026
//! Branch: main
//! Tag: v0.3.0
//!
//! Merge branch 'effort'
//! ---
//! diff --git a/src/siskin/effort.py b/src/siskin/effort.py
//! …
//! ```
//!
//! `Parents` lists the numbers of the parent commits' patches, the first parent first. The number of a patch is at the
//! beginning of its file name. The diff is relative to the first parent. `Committer` and `Commit-Date` are present only
//! if they differ from `Author` and `Date`. `Branch` is a branch that points to this commit, unless a later patch names
//! the same branch. A commit on a branch that was merged and deleted has no `Branch`. `Tag` is an annotated tag by the
//! committer.

use std::path::Path;

use git2::{Signature, Time};

use crate::error::{Error, Result};

/// A commit to create.
pub(super) struct Patch<'a> {
    /// The number at the beginning of the file name: `0029` for `0029-merge.patch`.
    pub(super) number: &'a str,
    pub(super) author: Signature<'static>,
    pub(super) committer: Signature<'static>,
    /// The numbers of the parents' patches, the first parent first.
    pub(super) parents: Vec<&'a str>,
    pub(super) branch: Option<&'a str>,
    pub(super) tag: Option<&'a str>,
    /// The message, with its final line feed.
    pub(super) message: &'a str,
    pub(super) diff: &'a [u8],
}

impl<'a> Patch<'a> {
    /// Reads one patch file. Returns a data error with the path if the file does not have the format in the module
    /// documentation.
    pub(super) fn read(path: &'a Path, contents: &'a [u8]) -> Result<Self> {
        let wrong = |what: &str| Error::data(what).at(path);
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or("");
        let (number, _) = name
            .split_once('-')
            .ok_or_else(|| wrong("no number before the name"))?;
        let text = std::str::from_utf8(contents).map_err(|_| wrong("not UTF-8"))?;
        let (header, rest) = text
            .split_once("\n\n")
            .ok_or_else(|| wrong("no blank line after the header"))?;
        let (message, diff) = rest
            .split_once("\n---\n")
            .ok_or_else(|| wrong("no '---' after the message"))?;
        let field = |key: &str| {
            header
                .lines()
                .find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
        };
        let needed = |key: &str| field(key).ok_or_else(|| wrong(&format!("no '{key}' line")));
        let (author, date) = (needed("Author")?, needed("Date")?);
        let signature = |who: &str, when: &str| {
            sign(who, when).ok_or_else(|| wrong(&format!("'{who}' at '{when}' is no signature")))
        };
        Ok(Self {
            number,
            author: signature(author, date)?,
            committer: signature(
                field("Committer").unwrap_or(author),
                field("Commit-Date").unwrap_or(date),
            )?,
            parents: field("Parents").unwrap_or("").split_whitespace().collect(),
            branch: field("Branch"),
            tag: field("Tag"),
            message: &rest[..=message.len()],
            diff: diff.as_bytes(),
        })
    }
}

/// The signature of `who` (`Maren Holt <maren@siskin.example>`) at the time `when`. `None` if `who` or `when` is
/// malformed.
fn sign(who: &str, when: &str) -> Option<Signature<'static>> {
    let (name, address) = who.strip_suffix('>')?.split_once(" <")?;
    Signature::new(name, address, &read_time(when)?).ok()
}

/// Reads a time such as `2022-03-05T09:12:00+01:00`. `None` if the time is malformed.
fn read_time(text: &str) -> Option<Time> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let (clock, zone) = (text.get(..19)?, text.get(19..)?);
    let sign = match zone.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    if clock.as_bytes()[10] != b'T' || zone.len() != 6 {
        return None;
    }
    let offset = sign * (number(20..22)? * 60 + number(23..25)?);
    let days = days_since_1970(number(0..4)?, number(5..7)?, number(8..10)?);
    let seconds = number(11..13)? * 3600 + number(14..16)? * 60 + number(17..19)?;
    Some(Time::new(
        days * 86400 + seconds - offset * 60,
        i32::try_from(offset).ok()?,
    ))
}

/// The number of days from 1970-01-01 to a day of the Gregorian calendar, for the year 1 and later. The algorithm is
/// `days_from_civil` in Howard Hinnant, 'chrono-Compatible Low-Level Date Algorithms'.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    const MERGE: &str = "Author: Ingrid Aasvær <i@x>\nDate: 2023-03-10T21:37:00+01:00\nCommitter: Bo <b@x>\n\
        Parents: 0028 0026\nTag: v1\n\nMerge it\n\nBecause.\n---\ndiff --git a/a b/a\n";

    #[test]
    fn every_header_line_of_a_patch_is_read() {
        let patch = Patch::read(Path::new("history/0029-merge.patch"), MERGE.as_bytes()).unwrap();
        assert_eq!(
            (patch.number, patch.message),
            ("0029", "Merge it\n\nBecause.\n")
        );
        assert_eq!(patch.author.name(), Ok("Ingrid Aasvær"));
        assert_eq!(
            (patch.committer.name(), patch.committer.email()),
            (Ok("Bo"), Ok("b@x"))
        );
        assert_eq!(patch.author.when().seconds(), 1_678_480_620);
        assert_eq!(patch.author.when().offset_minutes(), 60);
        assert_eq!(
            (patch.parents.as_slice(), patch.branch),
            (&["0028", "0026"][..], None)
        );
        assert_eq!(
            (patch.tag, patch.diff),
            (Some("v1"), &b"diff --git a/a b/a\n"[..])
        );
    }

    #[test]
    fn the_error_for_a_malformed_patch_says_what_is_missing() {
        for (from, to, what) in [
            ("Date: ", "When: ", "no 'Date' line"),
            ("\n---\n", "\n", "no '---'"),
            ("T21:", " 21:", "is no signature"),
            ("<i@x>", "i@x", "is no signature"),
        ] {
            let text = MERGE.replace(from, to);
            let error = Patch::read(Path::new("0029-merge.patch"), text.as_bytes())
                .err()
                .unwrap();
            assert!(error.to_string().contains(what), "{error}");
        }
        assert!(Patch::read(Path::new("merge.patch"), MERGE.as_bytes()).is_err());
    }

    #[test]
    fn days_are_counted_correctly_across_leap_years() {
        assert_eq!(days_since_1970(1970, 1, 1), 0);
        assert_eq!(days_since_1970(2000, 3, 1), 11017);
        assert_eq!(
            days_since_1970(2024, 2, 29) + 1,
            days_since_1970(2024, 3, 1)
        );
    }
}
