//! Paired comparison of two results on the same tasks: the four cells, McNemar's exact test, and Holm's adjustment for
//! several such tests.

use serde::Serialize;
use statrs::function::factorial::ln_binomial;

/// The 2×2 table of two pass-or-fail results on the same tasks: the results of two models, or of one model with
/// evolving-aware (first) and evolving-ignored (second) context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cells {
    /// The number of tasks that pass in both results.
    pub both: u64,
    /// The number of tasks that pass only in the first result.
    pub only_first: u64,
    /// The number of tasks that pass only in the second result.
    pub only_second: u64,
    /// The number of tasks that pass in neither result.
    pub neither: u64,
}

impl Cells {
    /// Counts pairs (first passes, second passes), one for each task.
    pub fn count(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut cells = Self::default();
        for pair in pairs {
            match pair {
                (true, true) => cells.both += 1,
                (true, false) => cells.only_first += 1,
                (false, true) => cells.only_second += 1,
                (false, false) => cells.neither += 1,
            }
        }
        cells
    }

    /// The number of all tasks.
    pub fn total(self) -> u64 {
        self.both + self.only_first + self.only_second + self.neither
    }

    /// The two-sided p-value of McNemar's exact test. The tasks of `only_first` (b) and `only_second` (c) are
    /// discordant. Under the null hypothesis, each discordant task is equally likely to favour the first or the second
    /// result, so `p = min(1, 2 · P(X <= min(b, c)))` with `X ~ Binomial(b + c, 1/2)`.
    ///
    /// 1 if no task is discordant. Source: McNemar, *Note on the sampling error of the difference between correlated
    /// proportions or percentages*, 1947. Equals `statsmodels.stats.contingency_tables.mcnemar(exact=True)`.
    pub fn mcnemar(self) -> f64 {
        let discordant = self.only_first + self.only_second;
        let fewer = self.only_first.min(self.only_second);
        let coin = super::interval::count(usize::try_from(discordant).unwrap_or(usize::MAX))
            * std::f64::consts::LN_2;
        let tail: f64 = (0..=fewer)
            .map(|side| (ln_binomial(discordant, side) - coin).exp())
            .sum();
        (2.0 * tail).min(1.0)
    }
}

/// The drop from `from` to `to` as a share of `from`: `(from - to) / from`; negative for a rise.
///
/// `None` if `from` is 0. HumanEvo's tables show this drop as the relative performance change, with evolving-ignored as
/// `from` and evolving-aware as `to` (Zheng et al., *HumanEvo*, 2024, section 4).
pub fn relative_drop(from: f64, to: f64) -> Option<f64> {
    (from != 0.0).then(|| (from - to) / from)
}

/// Holm's step-down adjustment of the p-values of one family of tests, returned in the order of the input.
///
/// The i-th smallest of m p-values is multiplied by `m - i + 1`, raised to at least the previous adjusted value, and
/// capped at 1. Source: Holm, *A Simple Sequentially Rejective Multiple Test Procedure*, 1979. Equals
/// `statsmodels.stats.multitest.multipletests(method="holm")`.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut floor = 0.0f64;
    for (rank, &index) in order.iter().enumerate() {
        let factor = super::interval::count(p_values.len() - rank);
        floor = floor.max(p_values[index] * factor).min(1.0);
        adjusted[index] = floor;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_and_p_is_one_with_at_most_one_discordant_task() {
        let cells = Cells::count([(true, true), (true, false), (false, false), (true, true)]);
        let expected = Cells {
            both: 2,
            only_first: 1,
            only_second: 0,
            neither: 1,
        };
        assert_eq!((cells, cells.total()), (expected, 4));
        let even = Cells {
            both: 5,
            ..Cells::default()
        };
        assert!((even.mcnemar() - 1.0).abs() < 1e-12);
        assert!((cells.mcnemar() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_drop_is_a_share_of_the_first_value() {
        assert_eq!(relative_drop(0.0, 0.1), None);
        assert!((relative_drop(0.40, 0.30).unwrap() - 0.25).abs() < 1e-12);
        assert!(relative_drop(0.2, 0.3).unwrap() < 0.0);
    }

    #[test]
    fn holm_returns_the_p_values_in_the_order_of_the_input() {
        assert!(holm(&[]).is_empty());
        let adjusted = holm(&[0.04, 0.01, 0.03]);
        for (value, expected) in adjusted.iter().zip([0.06, 0.03, 0.06]) {
            assert!((value - expected).abs() < 1e-12);
        }
    }
}
