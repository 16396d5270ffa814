//! Shortens the names of a list so that different names stay different.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use unicode_segmentation::UnicodeSegmentation;

use super::fit::{truncate, truncate_start, width};

/// If two names differ in a column, this number of further columns is shown too, if there is space.
const MORE: usize = 3;

/// Each name in at most `columns`. A wider name is cut: its first `head` columns and its end remain, with `ellipsis` in
/// between. Different names that look the same after the cut are cut at another column near `head` so that they differ.
/// If there is no such column, the names are cut so that the first difference is visible. Names that still look the
/// same get a number.
pub fn shorten_names(names: &[&str], columns: usize, head: usize, ellipsis: &str) -> Vec<String> {
    let cut = |name: &&str| cut_after(name, head, columns, ellipsis);
    let mut shown: Vec<String> = names.iter().map(cut).collect();
    for group in look_alikes(names, &shown) {
        let texts = cut_apart(names, &shown, &group, (columns, head), ellipsis);
        for (at, text) in group.into_iter().zip(texts) {
            shown[at] = text;
        }
    }
    number(names, &mut shown, columns, ellipsis);
    shown
}

/// New texts for the names with the indices `group`, which all have the same text in `shown`. The new texts differ from
/// each other, and from the other texts in `shown`, if a cut near `head` makes this possible.
fn cut_apart(
    names: &[&str],
    shown: &[String],
    group: &[usize],
    (columns, head): (usize, usize),
    ellipsis: &str,
) -> Vec<String> {
    let own: Vec<&str> = group.iter().map(|at| names[*at]).collect();
    let others = (0..names.len()).filter(|at| !group.contains(at));
    let others: FxHashSet<&str> = others.map(|at| shown[at].as_str()).collect();
    let cut = |head: usize| -> Vec<String> {
        let own = own.iter();
        own.map(|name| cut_after(name, head, columns, ellipsis))
            .collect()
    };
    let differs = |place: &usize| {
        let texts = cut(*place);
        let free = texts.iter().all(|text| !others.contains(text.as_str()));
        free && look_alikes(&own, &texts).is_empty()
    };
    let last = columns.saturating_sub(width(ellipsis));
    if let Some(place) = nearest_place(last, head, differs) {
        return cut(place);
    }
    let same = common_start(&own);
    let around = |name: &&str| cut_around(name, same, columns, ellipsis);
    own.iter().map(around).collect()
}

/// Of the columns from 0 to `last` that `differs` accepts, the one nearest to `head`. If `differs` also accepts the
/// column that is [`MORE`] columns further from `head`, returns that column. It shows more of the difference. `None` if
/// `differs` accepts no column.
fn nearest_place(last: usize, head: usize, differs: impl Fn(&usize) -> bool) -> Option<usize> {
    let mut places: Vec<usize> = (0..=last).collect();
    places.sort_by_key(|place| place.abs_diff(head));
    let place = places.into_iter().find(&differs)?;
    let wider = if place > head {
        (place + MORE).min(last)
    } else {
        place.saturating_sub(MORE)
    };
    Some(wider).filter(&differs).or(Some(place))
}

/// The name in at most `columns`. A wider name is cut: its first `head` columns and its end remain, with `ellipsis` in
/// between.
fn cut_after(name: &str, head: usize, columns: usize, ellipsis: &str) -> String {
    if width(name) <= columns {
        return name.to_owned();
    }
    let most = columns.saturating_sub(width(ellipsis));
    let start = truncate(name, head.min(most), "");
    let end = truncate_start(name, columns.saturating_sub(width(&start)), ellipsis);
    [&start, &*end].concat()
}

/// The groups of names that are shown as the same text although not all of them are equal. A group contains the indices
/// of its names.
pub fn look_alikes(names: &[&str], shown: &[String]) -> Vec<Vec<usize>> {
    let mut groups: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, text) in shown.iter().enumerate() {
        groups.entry(text).or_default().push(at);
    }
    let several = |group: &Vec<usize>| group.iter().any(|at| names[*at] != names[group[0]]);
    let mut groups: Vec<_> = groups.into_values().filter(several).collect();
    groups.sort();
    groups
}

/// Adds a number to names that are different but shown as the same text. Equal names get the same number.
fn number(names: &[&str], shown: &mut [String], columns: usize, ellipsis: &str) {
    let alike: Vec<usize> = look_alikes(names, shown).into_iter().flatten().collect();
    let different: BTreeSet<&str> = alike.iter().map(|at| names[*at]).collect();
    for at in alike {
        let before = different.iter().take_while(|name| **name != names[at]);
        let number = (before.count() + 1).to_string();
        let space = columns.saturating_sub(width(&number));
        shown[at] = [&*truncate(names[at], space, ellipsis), &number].concat();
    }
}

/// The length in bytes of the names' longest common start, in whole grapheme clusters.
fn common_start(names: &[&str]) -> usize {
    let with = |name: &&str| -> usize {
        let both = names[0].graphemes(true).zip(name.graphemes(true));
        both.take_while(|(a, b)| a == b).map(|(a, _)| a.len()).sum()
    };
    names.iter().map(with).min().unwrap_or(0)
}

/// Cuts a name so that the text from the byte offset `same` on is visible, with as much text before it as fits.
fn cut_around(name: &str, same: usize, columns: usize, ellipsis: &str) -> String {
    let (before, after) = name.split_at(same);
    let after = truncate(after, columns.saturating_sub(width(ellipsis) + 1), ellipsis);
    let space = columns.saturating_sub(width(&after));
    [&*truncate_start(before, space, ellipsis), &*after].concat()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_would_look_the_same_are_cut_at_their_difference() {
        let names = [
            "jackdaw-chat · local_infilling",
            "jackdaw-chat_greedy · local_infilling",
            "heron-70b · local_infilling",
        ];
        assert_eq!(
            shorten_names(&names, 20, 10, "…"),
            [
                "jackdaw-chat · l…ing",
                "jackdaw-chat_gre…ing",
                "heron-70b …infilling"
            ]
        );
        let tasks = [
            "EvoCodeBench sample/siskin.effort.EffortLog.catch_rate",
            "DevEval sample/siskin.effort.EffortLog.catch_rate",
        ];
        assert_eq!(
            shorten_names(&tasks, 20, 0, "…"),
            ["EvoC…tLog.catch_rate", "DevE…tLog.catch_rate"]
        );
    }

    #[test]
    fn names_that_look_different_are_cut_at_the_given_column() {
        let names = ["siskin.rings.parse_ring", "siskin.rings.is_valid", "short"];
        assert_eq!(
            shorten_names(&names, 12, 0, "…"),
            ["….parse_ring", "…gs.is_valid", "short"]
        );
        assert_eq!(
            shorten_names(&names, 12, 6, "…"),
            ["siskin…_ring", "siskin…valid", "short"]
        );
        assert_eq!(
            shorten_names(&["same name", "same name"], 5, 0, "…"),
            ["…name", "…name"]
        );
    }

    #[test]
    fn a_difference_in_the_middle_of_long_names_is_shown() {
        let names = [
            "codellama-34b-instruct-of-2023 · local_completion",
            "codellama-34b-instruct-of-2024 · local_completion",
        ];
        assert_eq!(
            shorten_names(&names, 20, 10, "…"),
            ["…23 · local_complet…", "…24 · local_complet…"]
        );
    }

    proptest! {
        #[test]
        fn different_names_stay_different_and_fit(
            names in prop::collection::vec("[ab]{0,3}[ab ]{0,24}[abé語]{0,3}", 1..9),
            columns in 6usize..24,
            head in 0usize..12,
        ) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let shown = shorten_names(&names, columns, head, "…");
            for text in &shown {
                prop_assert!(width(text) <= columns, "{text:?}");
            }
            prop_assert!(look_alikes(&names, &shown).is_empty(), "{names:?} {shown:?}");
        }
    }
}
