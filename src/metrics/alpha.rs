//! Krippendorff's alpha for nominal labels: the agreement of any number of raters. Labels may be missing.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::interval::count;

/// Krippendorff's alpha for nominal labels: `1 - D_o / D_e`, with the observed disagreement `D_o` of the labels within
/// each item, and the disagreement `D_e` that is expected by chance.
///
/// `items` has one list for each rated item, with the labels from the raters in any order. Missing labels are left out.
/// An item with fewer than two labels does not count. `None` if no item has two labels, or if all counted labels are
/// equal. Source: Krippendorff, *Computing Krippendorff's Alpha-Reliability*, 2011, section C.
pub fn krippendorff_alpha<L: Hash + Eq>(items: &[Vec<L>]) -> Option<f64> {
    let mut by_label: FxHashMap<&L, f64> = FxHashMap::default();
    let mut pairable = 0.0;
    let mut disagreeing = 0.0;
    for labels in items.iter().filter(|labels| labels.len() > 1) {
        let mut here: FxHashMap<&L, f64> = FxHashMap::default();
        for label in labels {
            *here.entry(label).or_default() += 1.0;
        }
        let raters = count(labels.len());
        let agreeing: f64 = here.values().map(|times| times * (times - 1.0)).sum();
        disagreeing += raters - agreeing / (raters - 1.0);
        pairable += raters;
        for (label, times) in here {
            *by_label.entry(label).or_default() += times;
        }
    }
    let same: f64 = by_label.values().map(|times| times * times).sum();
    let expected = pairable * pairable - same;
    (expected > 0.0).then(|| 1.0 - (pairable - 1.0) * disagreeing / expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_agreement_is_one_and_a_single_label_is_undefined() {
        assert_eq!(
            krippendorff_alpha(&[vec!["a", "a", "a"], vec!["b", "b"], vec!["c"]]),
            Some(1.0)
        );
        assert_eq!(krippendorff_alpha(&[vec!["a", "a"], vec!["a", "a"]]), None);
        assert_eq!(krippendorff_alpha(&[vec!["a"], vec!["b"]]), None);
    }

    #[test]
    fn alpha_equals_the_worked_example_of_the_source() {
        let rows = [
            "*****34121133*3".as_bytes(),
            b"1*213343*******",
            b"**21344*21133*4",
        ];
        let items: Vec<Vec<u8>> = (0..15)
            .map(|i| {
                let given = rows.iter().map(|row| row[i]);
                given.filter(u8::is_ascii_digit).collect()
            })
            .collect();
        let alpha = krippendorff_alpha(&items).unwrap();
        assert!((alpha - 0.691).abs() < 5e-4, "{alpha}");
    }
}
