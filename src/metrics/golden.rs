//! Tests that Evoscope's statistics equal those of the Python packages SciPy, statsmodels, krippendorff, scikit-learn
//! and NumPy. The script `tests/golden/statistics.py` computed the expected values with these packages.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::*;

const TOLERANCE: f64 = 1e-9;

/// The cases of one statistic, such as `wilson`.
fn golden<T: DeserializeOwned>(statistic: &str) -> Vec<T> {
    let all: serde_json::Value =
        serde_json::from_str(include_str!("../../tests/golden/statistics.json")).unwrap();
    let cases: Vec<T> = serde_json::from_value(all[statistic].clone()).unwrap();
    assert!(!cases.is_empty());
    cases
}

#[track_caller]
fn same(ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() <= TOLERANCE, "{ours} is not {theirs}");
}

#[test]
fn pass_at_k_equals_the_quotient_of_binomials() {
    #[derive(Deserialize)]
    struct Case {
        n: u32,
        c: u32,
        k: u32,
        value: f64,
    }
    for case in golden::<Case>("pass_at_k") {
        same(
            pass_at_k(Tally::new(case.n, case.c), case.k).unwrap(),
            case.value,
        );
    }
}

#[test]
fn the_wilson_interval_equals_that_of_statsmodels() {
    #[derive(Deserialize)]
    struct Case {
        passed: usize,
        total: usize,
        confidence: f64,
        low: f64,
        high: f64,
    }
    for case in golden::<Case>("wilson") {
        let ours = wilson(case.passed, case.total, case.confidence).unwrap();
        same(ours.low, case.low);
        same(ours.high, case.high);
    }
}

#[test]
fn the_mcnemar_test_equals_that_of_statsmodels() {
    #[derive(Deserialize)]
    struct Case {
        both: u64,
        only_first: u64,
        only_second: u64,
        neither: u64,
        p: f64,
    }
    for case in golden::<Case>("mcnemar") {
        let cells = Cells {
            both: case.both,
            only_first: case.only_first,
            only_second: case.only_second,
            neither: case.neither,
        };
        same(cells.mcnemar(), case.p);
    }
}

#[test]
fn the_holm_adjustment_equals_that_of_statsmodels() {
    #[derive(Deserialize)]
    struct Case {
        p: Vec<f64>,
        adjusted: Vec<f64>,
    }
    for case in golden::<Case>("holm") {
        for (ours, theirs) in holm(&case.p).into_iter().zip(case.adjusted) {
            same(ours, theirs);
        }
    }
}

#[test]
fn kappa_equals_scikit_learn_and_its_interval_equals_statsmodels() {
    #[derive(Deserialize)]
    struct Case {
        first: String,
        second: String,
        confidence: f64,
        table: Vec<Vec<u32>>,
        value: f64,
        low: f64,
        high: f64,
    }
    for case in golden::<Case>("kappa") {
        let letters = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let (first, second) = (letters(&case.first), letters(&case.second));
        let pairs = first.iter().zip(&second);
        let table = Confusion::of(pairs.map(|(a, b)| (a.as_str(), b.as_str())));
        assert_eq!(table.counts(), case.table);
        let kappa = table.kappa(case.confidence).unwrap();
        same(kappa.value, case.value);
        same(kappa.interval.low, case.low);
        same(kappa.interval.high, case.high);
    }
}

#[test]
fn alpha_equals_that_of_the_krippendorff_package() {
    #[derive(Deserialize)]
    struct Case {
        raters: Vec<Vec<Option<u8>>>,
        value: f64,
    }
    for case in golden::<Case>("alpha") {
        let items: Vec<Vec<u8>> = (0..case.raters[0].len())
            .map(|item| case.raters.iter().filter_map(|row| row[item]).collect())
            .collect();
        same(krippendorff_alpha(&items).unwrap(), case.value);
    }
}

#[test]
fn the_bootstrap_interval_equals_numpy_percentiles_of_the_same_draws() {
    #[derive(Deserialize)]
    struct Case {
        seed: u64,
        resamples: u32,
        confidence: f64,
        sums: Vec<f64>,
        tasks: Vec<f64>,
        low: f64,
        high: f64,
    }
    let mut sizes = BTreeSet::new();
    for case in golden::<Case>("bootstrap") {
        let resampling = Resampling {
            resamples: case.resamples,
            seed: case.seed,
            confidence: case.confidence,
        };
        let pairs = case.sums.iter().zip(&case.tasks);
        let clusters: Vec<_> = pairs.map(|(&sum, &tasks)| Cluster { sum, tasks }).collect();
        let interval = Draws::new(clusters.len(), resampling)
            .unwrap()
            .interval(&clusters)
            .unwrap();
        same(interval.low, case.low);
        same(interval.high, case.high);
        sizes.insert(clusters.len());
    }
    assert!(sizes.len() > 1);
}
