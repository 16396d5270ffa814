use super::*;
use crate::benchmark::{CompletionSet, Level, TaskId, Verdict};
use crate::metrics::{FailureNotes, TaskFacts, VerdictsBuilder};

/// The verdicts of some tasks: (project, level, samples). Each sample is a letter: p for pass, f for fail, i for
/// infrastructure failure, u for unusable.
fn verdicts(tasks: &[(&str, Level, &str)]) -> Verdicts {
    let all = tasks.iter().zip(0..).map(|((project, level, _), number)| {
        let facts = TaskFacts {
            project: Some((*project).into()),
            level: Some(*level),
            ..TaskFacts::default()
        };
        (TaskId::new(&format!("t{number}")), facts)
    });
    let mut builder = VerdictsBuilder::for_tasks(all);
    let set = CompletionSet {
        setting: "s".into(),
        model: "m".into(),
    };
    for ((.., samples), task) in tasks.iter().zip(0..) {
        for letter in samples.chars() {
            let verdict = match letter {
                'p' => Verdict::Pass,
                'i' => Verdict::Infrastructure,
                'u' => Verdict::Unusable,
                _ => Verdict::Fail,
            };
            builder.sample(&set, task, verdict, FailureNotes::default());
        }
    }
    builder.finish()
}

fn score(verdicts: &Verdicts, n: Option<u32>, ks: &[u32]) -> Result<Score> {
    let how = Scoring {
        n,
        ks: ks.to_vec(),
        ..Scoring::default()
    };
    verdicts.score(&verdicts.series()[0], &verdicts.all(), &how)
}

const MIXED: [(&str, Level, &str); 5] = [
    ("a", Level::Class, "pff"),
    ("a", Level::File, "pi"),
    ("b", Level::Class, "ff"),
    ("c", Level::File, "uuu"),
    ("c", Level::File, ""),
];

#[test]
fn too_few_samples_for_k_are_an_error_with_numbers_and_a_hint() {
    let error = score(&verdicts(&MIXED), None, &[1, 3]).unwrap_err();
    assert_eq!(
        error.what(),
        "Pass@3 needs 3 samples a task, and 2 of 3 tasks have fewer (the fewest: 1)"
    );
    assert!(error.advice().unwrap().contains("--n 3"));
}

#[test]
fn infrastructure_failures_do_not_count_as_failed_and_exclusions_are_listed() {
    let score = score(&verdicts(&MIXED), None, &[]).unwrap();
    assert_eq!(
        (score.tasks, score.n, score.n_min, score.n_max),
        (3, None, 1, 3)
    );
    assert_eq!(score.k.keys().copied().collect::<Vec<_>>(), [1]);
    let expected = (1.0 / 3.0 + 1.0 + 0.0) / 3.0;
    assert!((score.k[&1].value - expected).abs() < 1e-12);
    let said: Vec<_> = score
        .left_out
        .iter()
        .map(|out| (&*out.reason, out.count))
        .collect();
    insta::assert_debug_snapshot!(said, @r#"
    [
        (
            "tasks without a sample",
            1,
        ),
        (
            "unusable tasks (the reference fails or the stub passes)",
            1,
        ),
        (
            "samples with an infrastructure failure",
            1,
        ),
    ]
    "#);
}

#[test]
fn missing_samples_count_as_failed_if_n_is_given_but_infrastructure_failures_do_not() {
    let verdicts = verdicts(&MIXED);
    let two = score(&verdicts, Some(2), &[1]).unwrap();
    assert_eq!((two.tasks, two.counted_as_failed), (4, 2));
    let expected = (0.5 + 1.0 + 0.0 + 0.0) / 4.0;
    assert!((two.k[&1].value - expected).abs() < 1e-12);
    assert!(two.left_out.contains(&LeftOut {
        reason: "samples past the first n of their task".into(),
        count: 1
    }));
    assert!(
        score(&verdicts, Some(2), &[2]).is_err(),
        "one of the two samples has an infrastructure failure"
    );
}

#[test]
fn each_group_is_scored_with_the_same_values_of_k() {
    let verdicts = verdicts(&MIXED);
    let groups = verdicts.groups(
        &verdicts.series()[0],
        &verdicts.all(),
        Dimension::Level,
        &Scoring::default(),
    );
    let rows: Vec<_> = groups.unwrap();
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                &*row.group,
                row.score.tasks,
                (row.score.k[&1].value * 600.0).round(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [("class_runnable", 2, 100.0), ("file_runnable", 1, 600.0)]
    );
}

#[test]
fn the_bootstrap_needs_two_projects() {
    let one = verdicts(&[("a", Level::Class, "p"), ("a", Level::Class, "f")]);
    assert!(score(&one, None, &[1]).unwrap().k[&1].bootstrap.is_none());
    let two = verdicts(&[("a", Level::Class, "p"), ("b", Level::Class, "f")]);
    let interval = score(&two, None, &[1]).unwrap().k[&1].bootstrap.unwrap();
    assert_eq!((interval.low, interval.high), (0.0, 1.0));
}

#[test]
fn without_usable_tasks_there_is_no_estimate() {
    let none = verdicts(&[("a", Level::Class, "u")]);
    let score = score(&none, None, &[1]).unwrap();
    assert_eq!((score.tasks, score.k.len()), (0, 0));
}
