use super::*;

fn set(model: &str) -> CompletionSet {
    CompletionSet {
        setting: "s".into(),
        model: model.into(),
    }
}

#[test]
fn samples_of_alternating_tasks_are_grouped_by_task_in_file_order() {
    let mut builder = VerdictsBuilder::default();
    for (task, verdict) in [
        ("b", Verdict::Fail),
        ("a", Verdict::Pass),
        ("b", Verdict::Pass),
        ("b", Verdict::Infrastructure),
    ] {
        let task = builder.task(task, TaskFacts::default).unwrap();
        builder.sample(&set("m"), task, verdict, FailureNotes::default());
    }
    let verdicts = builder.finish();
    let series = &verdicts.series()[0];
    let expected = [Verdict::Fail, Verdict::Pass, Verdict::Infrastructure];
    assert_eq!(series.samples(0), expected);
    let results_of = |limit| series.results_of(0, limit);
    let evaluated = |samples, passed, infrastructure, beyond| TaskResults::Evaluated {
        tally: Tally::new(samples, passed),
        infrastructure,
        beyond,
    };
    assert_eq!(results_of(None), evaluated(2, 1, 1, 0));
    assert_eq!(results_of(Some(1)), evaluated(1, 0, 0, 2));
    assert_eq!(
        (series.solved(0), series.solved(1), series.solved(9)),
        (Some(true), Some(true), None)
    );
}

#[test]
fn a_builder_for_known_tasks_rejects_other_tasks() {
    let mut builder = VerdictsBuilder::for_tasks([(TaskId::new("a"), TaskFacts::default())]);
    assert_eq!(builder.task("a", TaskFacts::default).unwrap(), 0);
    let error = builder.task("z", TaskFacts::default).unwrap_err();
    assert_eq!(error.what(), "the benchmark has no task 'z'");
    assert_eq!(builder.finish().all(), [0]);
}

#[test]
fn two_versions_are_not_comparable_if_each_lacks_a_task_of_the_other() {
    let ids = |names: &str| {
        names
            .chars()
            .map(|c| TaskId::new(&c.to_string()))
            .collect::<Vec<_>>()
    };
    let check = |a: &str, b: &str| comparable(("2403", &ids(a)), ("2407", &ids(b)));
    assert!(check("abc", "ab").is_ok());
    assert!(check("", "ab").is_ok());
    let error = check("abc", "bcd").unwrap_err();
    assert!(error.what().contains("2 in common"), "{error}");
    assert!(error.advice().unwrap().contains("--force"));
}

#[test]
fn an_unusable_task_has_no_tally() {
    let mut builder = VerdictsBuilder::default();
    let task = builder.task("a", TaskFacts::default).unwrap();
    builder.sample(&set("m"), task, Verdict::Unusable, FailureNotes::default());
    let verdicts = builder.finish();
    assert_eq!(
        verdicts.series()[0].results_of(0, None),
        TaskResults::Unusable
    );
}
