//! Pass@k by the unbiased estimator.

use serde::Serialize;

/// The results of one task's samples: how many samples count, and how many of these samples passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize)]
pub struct Tally {
    /// Samples that count: `n` of the estimator.
    pub samples: u32,
    /// Samples that passed: `c` of the estimator; never more than `samples`.
    pub passed: u32,
}

impl Tally {
    /// The tally of `samples` samples, of which `passed` passed. If `passed` is larger than `samples`, all passed.
    pub fn new(samples: u32, passed: u32) -> Self {
        Self {
            samples,
            passed: passed.min(samples),
        }
    }

    /// The tally with at least `n` samples. Missing samples count as failed.
    #[must_use]
    pub fn padded_to(self, n: u32) -> Self {
        Self {
            samples: self.samples.max(n),
            passed: self.passed,
        }
    }
}

/// The unbiased estimate of the probability that at least one of `k` samples passes: `1 - C(n - c, k) / C(n, k)`.
///
/// `None` if `k` is 0 or the task has fewer than `k` samples, because then the estimator is not defined. Source: Chen
/// et al., *Evaluating Large Language Models Trained on Code*, 2021, equation 1. Figure 3 of this paper has the
/// numerically stable product that is computed here.
pub fn pass_at_k(tally: Tally, k: u32) -> Option<f64> {
    if k == 0 || tally.samples < k {
        return None;
    }
    let failed = tally.samples - tally.passed;
    if failed < k {
        return Some(1.0);
    }
    let none_passes: f64 = ((failed + 1)..=tally.samples)
        .map(|i| 1.0 - f64::from(k) / f64::from(i))
        .product();
    Some(1.0 - none_passes)
}

/// The mean of [`pass_at_k`] over tasks. `None` if there is no task, if `k` is 0, or if a task has fewer than `k`
/// samples.
pub fn mean_pass_at_k(tallies: &[Tally], k: u32) -> Option<f64> {
    let sum = tallies
        .iter()
        .try_fold(0.0, |sum, &tally| Some(sum + pass_at_k(tally, k)?))?;
    (!tallies.is_empty()).then(|| sum / super::interval::count(tallies.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn too_few_samples_give_none_and_padding_adds_failed_samples() {
        let tally = Tally::new(9, 3);
        assert_eq!(pass_at_k(tally, 10), None);
        assert_eq!(pass_at_k(tally, 0), None);
        assert_eq!(pass_at_k(tally.padded_to(10), 1), Some(1.0 - 0.7));
        assert_eq!(mean_pass_at_k(&[Tally::new(10, 1), tally], 10), None);
        assert_eq!(mean_pass_at_k(&[], 1), None);
    }

    proptest! {
        #[test]
        fn pass_at_k_is_a_probability_that_grows_with_k(n in 1u32..200, c in 0u32..200) {
            let tally = Tally::new(n, c);
            let at: Vec<f64> = (1..=n).map(|k| pass_at_k(tally, k).unwrap()).collect();
            prop_assert!((at[0] - f64::from(tally.passed) / f64::from(n)).abs() < 1e-12);
            prop_assert!(at.iter().all(|value| (0.0..=1.0).contains(value)));
            prop_assert!(at.windows(2).all(|pair| pair[1] >= pair[0] - 1e-12));
            let certain = if tally.passed > 0 { 1.0 } else { 0.0 };
            prop_assert!((at[n as usize - 1] - certain).abs() < 1e-12);
        }
    }
}
