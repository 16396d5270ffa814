//! Bootstrap intervals of a mean over tasks. Tasks of one project are not independent, so whole projects are resampled.

use std::hash::Hash;

use indexmap::IndexMap;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rustc_hash::FxBuildHasher;
use serde::Serialize;

use super::interval::Interval;

/// The settings of a bootstrap. Equal settings on equal data give equal intervals on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Resampling {
    /// How many resamples are drawn.
    pub resamples: u32,
    /// The seed of the random draws.
    pub seed: u64,
    /// The share of the resampled means that is inside the interval: more than 0 and less than 1.
    pub confidence: f64,
}

impl Default for Resampling {
    fn default() -> Self {
        Self {
            resamples: 2000,
            seed: 0,
            confidence: 0.95,
        }
    }
}

/// The contribution of one project to a mean over tasks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cluster {
    /// The sum of the values of the project's tasks.
    pub sum: f64,
    /// How many of the project's tasks are in the mean. It may be 0.
    pub tasks: f64,
}

/// Sums the values with the same key, such as the project. The clusters are in the order in which the keys first occur.
pub fn clusters<K: Hash + Eq>(values: impl IntoIterator<Item = (K, f64)>) -> Vec<Cluster> {
    let mut found: IndexMap<K, Cluster, FxBuildHasher> = IndexMap::default();
    for (key, value) in values {
        let cluster = found.entry(key).or_default();
        cluster.sum += value;
        cluster.tasks += 1.0;
    }
    found.into_values().collect()
}

/// The indices of the drawn clusters, resample by resample. The same draws are used for all means over the same number
/// of clusters. The intervals of two models on the same tasks therefore come from the same draws.
///
/// Each draw takes the next 64-bit word `w` of a `ChaCha8` stream. The stream's 32-byte key is the seed
/// (little-endian), followed by zeros. Of `m` clusters, the draw selects the index `(w · m) >> 64`.
#[derive(Debug, Clone)]
pub struct Draws {
    clusters: usize,
    drawn: Vec<u32>,
    confidence: f64,
}

impl Draws {
    /// Draws `m = clusters` clusters with replacement, `resampling.resamples` times.
    ///
    /// `None` if there are no resamples, or fewer than two clusters: the spread between projects cannot be estimated
    /// from one project.
    pub fn new(clusters: usize, resampling: Resampling) -> Option<Self> {
        let m = u32::try_from(clusters).ok()?;
        if m < 2 || resampling.resamples == 0 {
            return None;
        }
        let mut key = [0; 32];
        key[..8].copy_from_slice(&resampling.seed.to_le_bytes());
        let mut stream = ChaCha8Rng::from_seed(key);
        let mut draw = || {
            let wide = u128::from(stream.next_u64()) * u128::from(m);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the product's upper half is below m"
            )]
            let cluster = (wide >> 64) as u32;
            cluster
        };
        let drawn = (0..resampling.resamples as usize * clusters)
            .map(|_| draw())
            .collect();
        Some(Self {
            clusters,
            drawn,
            confidence: resampling.confidence,
        })
    }

    /// The percentile interval of the mean over tasks, `Σ sum / Σ tasks`. Resamples with no task in the mean are left
    /// out.
    ///
    /// Percentiles are linearly interpolated between order statistics (Hyndman and Fan's definition 7, the default of
    /// NumPy). `None` if the number of clusters differs from the number in [`Draws::new`], or if no resample has a task
    /// in the mean. Source: Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, chapters 8 and 13.
    pub fn interval(&self, clusters: &[Cluster]) -> Option<Interval> {
        if clusters.len() != self.clusters {
            return None;
        }
        let mut means: Vec<f64> = self
            .drawn
            .chunks_exact(self.clusters)
            .filter_map(|resample| mean_of(clusters, resample))
            .collect();
        means.sort_unstable_by(f64::total_cmp);
        let tail = (1.0 - self.confidence) / 2.0;
        Some(Interval {
            low: percentile(&means, tail)?,
            high: percentile(&means, 1.0 - tail)?,
        })
    }
}

fn mean_of(clusters: &[Cluster], resample: &[u32]) -> Option<f64> {
    let mut total = Cluster::default();
    for &index in resample {
        let cluster = clusters[index as usize];
        total.sum += cluster.sum;
        total.tasks += cluster.tasks;
    }
    (total.tasks > 0.0).then(|| total.sum / total.tasks)
}

/// The percentile at `share` (in 0..=1) of the sorted values; `None` if there are no values.
fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share * super::interval::count(last);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the last index"
    )]
    let below = (place.floor() as usize).min(last);
    let above = (below + 1).min(last);
    Some(sorted[below] + (sorted[above] - sorted[below]) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_project_has_no_interval() {
        assert!(Draws::new(1, Resampling::default()).is_none());
        let draws = Draws::new(2, Resampling::default()).unwrap();
        assert!(draws.interval(&[Cluster::default()]).is_none());
        assert!(draws.interval(&[Cluster::default(); 2]).is_none());
    }

    #[test]
    fn equal_seeds_give_equal_intervals_and_different_seeds_do_not() {
        let values: Vec<_> = (0..12)
            .map(|i| Cluster {
                sum: f64::from(i * i),
                tasks: 20.0,
            })
            .collect();
        let run = |seed| {
            let how = Resampling {
                seed,
                ..Resampling::default()
            };
            Draws::new(12, how).unwrap().interval(&values).unwrap()
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
    }

    #[test]
    fn values_are_summed_by_their_key() {
        let found = clusters([("a", 1.0), ("b", 0.5), ("a", 0.0)]);
        let of = |sum, tasks| Cluster { sum, tasks };
        assert_eq!(found, [of(1.0, 2.0), of(0.5, 1.0)]);
    }
}
