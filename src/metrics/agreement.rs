//! Agreement of two raters: the confusion table, the raw agreement, Cohen's kappa.

use serde::Serialize;

use super::interval::{Interval, count, normal_quantile};

/// How often each pair of labels of two raters occurs: a square table. The first rater's labels are the rows, the
/// second rater's labels are the columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Confusion {
    labels: Vec<String>,
    counts: Vec<Vec<u32>>,
}

/// Cohen's kappa with its large-sample interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Kappa {
    /// Agreement beyond chance: 1 is perfect, 0 is chance.
    pub value: f64,
    /// The confidence interval. Its upper end may exceed 1.
    pub interval: Interval,
}

impl Confusion {
    /// The table of pairs (first rater's label, second rater's label). Labels are in alphabetical order.
    pub fn of<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let pairs: Vec<_> = pairs.into_iter().collect();
        let mut labels: Vec<&str> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        labels.sort_unstable();
        labels.dedup();
        let mut counts = vec![vec![0; labels.len()]; labels.len()];
        for (first, second) in pairs {
            if let (Ok(row), Ok(column)) =
                (labels.binary_search(&first), labels.binary_search(&second))
            {
                counts[row][column] += 1;
            }
        }
        Self {
            labels: labels.into_iter().map(str::to_owned).collect(),
            counts,
        }
    }

    /// The labels, in the order of rows and columns.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The counts. `counts()[i][j]` is the number of items with `labels()[i]` by the first rater and `labels()[j]` by
    /// the second.
    pub fn counts(&self) -> &[Vec<u32>] {
        &self.counts
    }

    /// The number of items that both raters rated.
    pub fn total(&self) -> u32 {
        self.counts.iter().flatten().sum()
    }

    /// The share of items with equal labels; `None` if there are no items.
    pub fn raw(&self) -> Option<f64> {
        let same: u32 = (0..self.labels.len()).map(|i| self.counts[i][i]).sum();
        (self.total() > 0).then(|| f64::from(same) / f64::from(self.total()))
    }

    /// Cohen's kappa, `(p_o - p_e) / (1 - p_e)`, with the confidence interval from the large-sample standard error.
    ///
    /// `None` if there are no items, or if both raters gave the same single label to all items (`p_e = 1`). Sources:
    /// Cohen, *A Coefficient of Agreement for Nominal Scales*, 1960; Fleiss, Cohen and Everitt, *Large sample standard
    /// errors of kappa and weighted kappa*, 1969, equation 13. The results equal those of
    /// `statsmodels.stats.inter_rater.cohens_kappa`.
    pub fn kappa(&self, confidence: f64) -> Option<Kappa> {
        let observed = self.raw()?;
        let n = f64::from(self.total());
        let share = |i: usize, j: usize| f64::from(self.counts[i][j]) / n;
        let size = self.labels.len();
        let rows: Vec<f64> = (0..size)
            .map(|i| (0..size).map(|j| share(i, j)).sum())
            .collect();
        let columns: Vec<f64> = (0..size)
            .map(|j| (0..size).map(|i| share(i, j)).sum())
            .collect();
        let expected: f64 = rows
            .iter()
            .zip(&columns)
            .map(|(row, column)| row * column)
            .sum();
        if 1.0 - expected < f64::EPSILON * count(size) {
            return None;
        }
        let value = (observed - expected) / (1.0 - expected);
        let mut spread = -(value - expected * (1.0 - value)).powi(2);
        for i in 0..size {
            for j in 0..size {
                spread += if i == j {
                    share(i, i) * (1.0 - (rows[i] + columns[i]) * (1.0 - value)).powi(2)
                } else {
                    share(i, j) * (columns[i] + rows[j]).powi(2) * (1.0 - value).powi(2)
                };
            }
        }
        let error = (spread.max(0.0) / n).sqrt() / (1.0 - expected);
        let half = normal_quantile(confidence) * error;
        Some(Kappa {
            value,
            interval: Interval {
                low: value - half,
                high: value + half,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_the_first_rater_in_rows_and_the_second_in_columns() {
        let table = Confusion::of([("yes", "no"), ("yes", "yes"), ("unsure", "no")]);
        assert_eq!(table.labels(), ["no", "unsure", "yes"]);
        assert_eq!(table.counts(), [[0, 0, 0], [1, 0, 0], [1, 0, 1]]);
        assert_eq!(table.raw(), Some(1.0 / 3.0));
    }

    #[test]
    fn kappa_is_undefined_if_all_labels_are_equal() {
        let table = Confusion::of([("yes", "yes"), ("yes", "yes")]);
        assert_eq!(table.raw(), Some(1.0));
        assert!(table.kappa(0.95).is_none());
        assert!(Confusion::of([]).kappa(0.95).is_none());
    }

    #[test]
    fn kappa_is_the_same_with_the_raters_swapped() {
        let pairs = [
            ("a", "b"),
            ("a", "a"),
            ("b", "b"),
            ("c", "a"),
            ("c", "c"),
            ("b", "a"),
        ];
        let there = Confusion::of(pairs).kappa(0.9).unwrap();
        let back = Confusion::of(pairs.map(|(x, y)| (y, x)))
            .kappa(0.9)
            .unwrap();
        assert!((there.value - back.value).abs() < 1e-12);
        assert!((there.interval.low - back.interval.low).abs() < 1e-12);
    }
}
