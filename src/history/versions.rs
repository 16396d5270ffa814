//! The versions between the base commit and the newest commit: release tags, or evenly spaced commits.

use std::collections::BTreeMap;
use std::str::FromStr;

use rustc_hash::FxHashSet;

use super::id::CommitId;
use super::repository::{Date, Repository};
use crate::error::{Cancel, Error, Result};

/// How versions are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Spacing {
    /// Releases in the order of their version numbers. Of each minor version, only the first release after the base is
    /// taken, because research question 2 of `HumanEvo` leaves out patch versions too.
    Tags,
    /// At most this many commits of the mainline, evenly spaced, the newest last.
    Even(usize),
}

impl FromStr for Spacing {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::user(format!("'{text}' does not choose versions"))
                .hint("use the word 'tags', or a number of commits from 1 to 10000")
        };
        if text == "tags" {
            return Ok(Self::Tags);
        }
        let count: usize = text.parse().map_err(|_| wrong())?;
        (1..=10_000)
            .contains(&count)
            .then_some(Self::Even(count))
            .ok_or_else(wrong)
    }
}

/// A version between the base commit and the newest commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The commit of the version.
    pub commit: CommitId,
    /// The release tag; `None` if the version was not chosen by a tag.
    pub tag: Option<String>,
    /// The author date of the commit.
    pub date: Date,
}

/// The version number of a release, according to its tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    /// The first number.
    pub major: u64,
    /// The second number; 0 if the tag does not state it.
    pub minor: u64,
    /// The third number; 0 if the tag does not state it.
    pub patch: u64,
}

impl Release {
    /// The version number in a tag such as `v1.2.3`, `1.2`, `release-1.2.0`, `REL_1_2_0` or `click-8.0`. `None` for any
    /// other text, such as a pre-release (`1.0rc1`, `2.0.0-beta`, `3.0.dev0`) or a post-release.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let digits = tag.find(|c: char| c.is_ascii_digit())?;
        let (prefix, number) = tag.split_at(digits);
        let worded = prefix
            .chars()
            .all(|c| c.is_ascii_alphabetic() || "-_/.".contains(c));
        if !worded
            || !number
                .chars()
                .all(|c| c.is_ascii_digit() || c == '.' || c == '_')
        {
            return None;
        }
        let parts: Vec<u64> = number
            .split(['.', '_'])
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;
        let (&major, rest) = parts.split_first()?;
        (parts.len() <= 4).then(|| Self {
            major,
            minor: rest.first().copied().unwrap_or(0),
            patch: rest.get(1).copied().unwrap_or(0),
        })
    }
}

impl Repository {
    /// The versions after `base`, in the order that [`Spacing`] describes. `newest` is the last.
    ///
    /// A release may be on a branch that is not part of the history of `newest`. Such a release is later than the base
    /// if its branch starts at a commit that is neither the base nor an ancestor of the base. It is left out if its
    /// branch starts at `newest`, or if `newest` is a release with a lower number. Dates are not used, because commits
    /// in real histories are not always in the order of their dates.
    ///
    /// # Errors
    /// [`Kind::Data`](crate::error::Kind::Data) when `newest` cannot be read.
    /// [`Kind::User`](crate::error::Kind::User) when `cancel` is raised.
    pub fn versions(
        &self,
        base: CommitId,
        newest: CommitId,
        spacing: Spacing,
        cancel: &Cancel,
    ) -> Result<Vec<Version>> {
        match spacing {
            Spacing::Tags => self.releases(base, newest, cancel),
            Spacing::Even(count) => self.spaced(base, newest, count, cancel),
        }
    }

    fn spaced(
        &self,
        base: CommitId,
        newest: CommitId,
        count: usize,
        cancel: &Cancel,
    ) -> Result<Vec<Version>> {
        let mut after = self.mainline_after(base, newest, cancel)?;
        after.reverse();
        if after.is_empty() {
            after.push(newest);
        }
        let count = count.min(after.len());
        (1..=count)
            .map(|step| self.version(after[step * after.len() / count - 1], None))
            .collect()
    }

    fn version(&self, commit: CommitId, tag: Option<String>) -> Result<Version> {
        let date = self.commit(commit)?.date;
        Ok(Version { commit, tag, date })
    }

    fn releases(&self, base: CommitId, newest: CommitId, cancel: &Cancel) -> Result<Vec<Version>> {
        let old = self.ancestors(base, cancel)?;
        let all = self.ancestors(newest, cancel)?;
        let mut first: BTreeMap<(u64, u64), (Release, String, CommitId)> = BTreeMap::new();
        let tags = self.tags()?;
        let of_newest = tags.iter().filter(|(_, commit)| *commit == newest);
        let last = of_newest.filter_map(|(tag, _)| Release::of_tag(tag)).max();
        for (tag, commit) in tags {
            cancel.check()?;
            let Some(release) = Release::of_tag(&tag) else {
                continue;
            };
            if last.is_some_and(|last| release > last) {
                continue;
            }
            let minor = (release.major, release.minor);
            let better = first.get(&minor).is_none_or(|(known, ..)| release < *known);
            if better && self.is_later(commit, newest, &old, &all)? {
                first.insert(minor, (release, tag, commit));
            }
        }
        let mut versions = first
            .into_values()
            .map(|(_, tag, commit)| self.version(commit, Some(tag)))
            .collect::<Result<Vec<_>>>()?;
        if versions.iter().all(|version| version.commit != newest) {
            versions.push(self.version(newest, None)?);
        }
        Ok(versions)
    }

    /// (tag, commit) for each tag that names a commit, sorted by tag. Errors when the tags cannot be listed.
    pub fn tags(&self) -> Result<Vec<(String, CommitId)>> {
        self.with(|repo| {
            let mut tags = Vec::new();
            let references = repo
                .references_glob("refs/tags/*")
                .map_err(|why| Error::data(format!("cannot list tags: {}", why.message())))?;
            for reference in references.flatten() {
                let name = String::from_utf8_lossy(reference.name_bytes()).into_owned();
                if let Ok(commit) = reference.peel_to_commit() {
                    let tag = name.strip_prefix("refs/tags/").unwrap_or(&name).to_owned();
                    tags.push((tag, CommitId::from_oid(commit.id())?));
                }
            }
            tags.sort();
            Ok(tags)
        })
    }

    /// Whether `commit` is later than the base and not later than `newest`. If `commit` is not in the history of
    /// `newest`, the start of its branch decides. `all` contains `newest` and its ancestors, and `old` the base and its
    /// ancestors.
    fn is_later(
        &self,
        commit: CommitId,
        newest: CommitId,
        old: &FxHashSet<CommitId>,
        all: &FxHashSet<CommitId>,
    ) -> Result<bool> {
        self.with(|repo| {
            let mut at = commit;
            while !all.contains(&at) {
                let node = self.graph().node(repo, at.oid()?);
                let Some(parent) = node.and_then(|node| node.first()) else {
                    return Ok(false);
                };
                at = CommitId::from_oid(parent)?;
            }
            let follows_newest = at == newest && commit != newest;
            Ok(!old.contains(&at) && !follows_newest)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::repository::tests::History;
    use super::*;

    #[test]
    fn release_numbers_are_read_from_tags_in_many_formats() {
        let number = |tag| Release::of_tag(tag).map(|r| (r.major, r.minor, r.patch));
        assert_eq!(number("v1.2.3"), Some((1, 2, 3)));
        assert_eq!(number("15.0"), Some((15, 0, 0)));
        assert_eq!(number("rel_1_4_20"), Some((1, 4, 20)));
        assert_eq!(number("release/2.10.1"), Some((2, 10, 1)));
        for tag in [
            "1.0rc1",
            "2.0.0-beta",
            "3.0.dev0",
            "main",
            "v",
            "1..2",
            "2.0.0.post1",
        ] {
            assert_eq!(number(tag), None, "{tag}");
        }
    }

    #[test]
    fn releases_are_minor_versions_after_the_base_even_on_side_branches() {
        let history = History::new();
        let one = history.commit(&[("a.py", "1")], &[], "one");
        let base = history.commit(&[("a.py", "2")], &[one], "base");
        let three = history.commit(&[("a.py", "3")], &[base], "three");
        let four = history.commit(&[("a.py", "4")], &[three], "four");
        history.tag(
            "1.9.5",
            history.commit(&[("a.py", "s")], &[one], "old branch, released late"),
        );
        history.tag("1.10.0", history.commit(&[("a.py", "t")], &[three], "side"));
        history.tag("2.0.1", four);
        history.tag(
            "2.0.0",
            history.commit(&[("a.py", "u")], &[three], "another side"),
        );
        history.tag("2.1.0rc1", four);
        history.tag("1.9.0", base);
        let newest = history.commit(&[("a.py", "5")], &[four], "newest");
        let repository = history.open();
        let cancel = Cancel::default();
        let tags = |spacing| -> Vec<Option<String>> {
            let versions = repository.versions(base, newest, spacing, &cancel).unwrap();
            assert_eq!(versions.last().unwrap().commit, newest);
            versions.into_iter().map(|version| version.tag).collect()
        };
        assert_eq!(
            tags(Spacing::Tags),
            [Some("1.10.0".into()), Some("2.0.0".into()), None]
        );
        let until_two = repository.versions(base, four, Spacing::Tags, &cancel);
        let until_two: Vec<_> = until_two.unwrap().into_iter().map(|own| own.tag).collect();
        assert_eq!(
            until_two,
            [Some("1.10.0".into()), Some("2.0.0".into()), None]
        );
        history.tag(
            "3.0.0",
            history.commit(&[("a.py", "6")], &[newest], "later"),
        );
        history.tag("2.2.0", newest);
        history.tag(
            "2.5.0",
            history.commit(&[("a.py", "v")], &[three], "a side that is later"),
        );
        let repository = history.open();
        let versions = repository
            .versions(base, newest, Spacing::Tags, &cancel)
            .unwrap();
        let of_three: Vec<_> = versions.into_iter().map(|version| version.tag).collect();
        assert_eq!(
            of_three,
            ["1.10.0", "2.0.0", "2.2.0"].map(|tag| Some(tag.to_owned()))
        );
        assert_eq!(tags(Spacing::Even(2)).len(), 2);
        assert_eq!(tags(Spacing::Even(50)).len(), 3);
    }

    #[test]
    fn spacing_is_tags_or_a_number() {
        assert_eq!("tags".parse::<Spacing>().unwrap(), Spacing::Tags);
        assert_eq!("5".parse::<Spacing>().unwrap(), Spacing::Even(5));
        assert!("0".parse::<Spacing>().unwrap_err().advice().is_some());
        assert!("often".parse::<Spacing>().is_err());
    }
}
