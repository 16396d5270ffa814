use proptest::prelude::*;

use super::*;

fn fault(expression: &str) -> String {
    let fault = Filter::parse(expression).unwrap_err();
    format!("{:?} {} ({})", fault.at, fault.what, fault.hint)
}

#[test]
fn terms_parse_to_conditions_and_the_rest_is_searched_for() {
    let filter =
        Filter::parse(r#"project:Boltons,"two words" -dep>=3 level:class lru !cache"#).unwrap();
    let texts = vec!["boltons".to_owned(), "two words".to_owned()];
    assert_eq!(
        filter.terms[0].condition,
        Condition::Text(TextField::Project, texts)
    );
    let more = Condition::Count(Counted::Dependencies, Comparison::AtLeast, 3);
    assert_eq!(
        filter.terms[1],
        Term {
            negated: true,
            condition: more
        }
    );
    assert_eq!(
        filter.terms[2].condition,
        Condition::Level(vec![Level::Class])
    );
    assert_eq!(filter.words, "lru !cache");
    assert!(Filter::parse("  ").unwrap().is_empty());
}

#[test]
fn an_exact_word_wins_over_those_that_begin_so() {
    let of = |text: &str| Filter::parse(text).unwrap().terms.remove(0).condition;
    assert_eq!(
        of("verdict:pass"),
        Condition::Verdict(vec![Some(Verdict::Pass)])
    );
    assert_eq!(
        of("verdict:none,t"),
        Condition::Verdict(vec![None, Some(Verdict::Timeout), Some(Verdict::Tampered)])
    );
    assert_eq!(
        of("anchor:m").clone(),
        Condition::Anchor(vec![Some(AnchorState::Moved), Some(AnchorState::Missing)])
    );
}

#[test]
fn each_fault_has_its_place_and_a_hint() {
    let faults: Vec<_> = [
        "a projct:x",
        "level:clas_runnable",
        "dep>x",
        "kind>3",
        "dep>",
        "level:",
        "\"a b",
        "zzzzz:1",
    ]
    .map(fault)
    .into();
    insta::assert_snapshot!(faults.join("\n"), @r#"
    2..8 there is no field 'projct' (did you mean 'project'?)
    6..19 'clas_runnable' is no level (did you mean 'class_runnable'?)
    4..5 'x' is not a count (give a whole number from 0: dep>3)
    0..4 'kind' is not a count, so it takes no '>' (use one of function, method)
    0..4 a value is missing after 'dep>' (compare it with a number: dep>3)
    0..6 a value is missing after 'level:' (use one of standalone, intra-class, inter-class, self_contained, slib_runnable, plib_runnable, class_runnable, file_runnable, project_runnable)
    0..4 the quote is not closed (close it with ")
    0..5 there is no field 'zzzzz' (use one of project, level, kind, verdict, anchor, path, name, id, domain, benchmark, format, language, model, setting, solved, failed, dep, intra_class, intra_file, cross_file, completions, passes)
    "#);
}

proptest! {
    #[test]
    fn any_text_parses_or_points_into_itself(text in "[a-z:<>=!,\" \\-é]{0,24}|\\PC{0,24}") {
        if let Err(fault) = Filter::parse(&text) {
            prop_assert!(text.get(fault.at.clone()).is_some(), "{:?}", fault.at);
            prop_assert!(!fault.hint.is_empty());
        }
    }
}
