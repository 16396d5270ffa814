use proptest::prelude::*;

use super::*;
use crate::benchmark::RepoPath;
use crate::context::{Item, ItemLine, Listing, Mark};

fn item(text: &str) -> Item {
    let line = |text: &str| ItemLine {
        text: text.into(),
        mark: Mark::Plain,
        target: false,
    };
    Item::new(
        1,
        RepoPath::new("a.py"),
        1,
        text.lines().map(line).collect(),
    )
}

fn gathered(above: &[&str], below: &[&str], further: &[&str]) -> Gathered {
    let all = [above, below, further].concat();
    Gathered {
        listing: Listing {
            items: all.iter().map(|text| item(text)).collect(),
            ..Listing::default()
        },
        above: above.len(),
        below: below.len(),
        infilling: !below.is_empty(),
        absent: Vec::new(),
    }
}

fn asked() -> Asked {
    Asked {
        function: "count".to_owned(),
        input_code: input_code("def count(a):", "Count a.", Some(":param a: a list."), 4),
        language: Language::Python,
    }
}

#[test]
fn the_requirement_becomes_a_docstring() {
    assert_eq!(
        asked().input_code,
        "def count(a):\n    \"\"\"\n    Count a.\n    Input-Output Arguments\n    :param a: a list.\n    \"\"\""
    );
}

#[test]
fn instruction_templates_fence_the_contexts() {
    let style = PromptStyle::Instruction;
    let without = prompt(style, &gathered(&[], &[], &[]), &asked(), None).text;
    assert!(without.starts_with("Please complete the count function in the given Python code.\n\nInput Code:\n```Python\ndef count"));
    let completion = prompt(style, &gathered(&["x = 1"], &[], &[]), &asked(), None).text;
    assert!(completion.contains("The contexts above the function are:\n```Python\nx = 1\n```\n\nThe code to be completed is:\n```Python\ndef count"));
    let infilling = prompt(
        style,
        &gathered(&["x = 1"], &["y = 2"], &["z = 3"]),
        &asked(),
        None,
    );
    assert!(infilling.text.contains("above the function are:\n```Python\nz = 3\n\nx = 1\n```\n\nThe contexts below the function are:\n```Python\ny = 2\n```"));
    assert!(!infilling.cut);
}

#[test]
fn plain_models_continue_the_code() {
    let text = prompt(
        PromptStyle::Completion,
        &gathered(&["x = 1"], &["y = 2"], &[]),
        &asked(),
        None,
    )
    .text;
    assert!(
        text.starts_with("y = 2\n\nx = 1\n\ndef count(a):"),
        "{text}"
    );
    assert!(text.ends_with("\"\"\"\n"));
}

#[test]
fn cuts_keep_what_is_near_the_function() {
    let long = (0..200)
        .map(|n| format!("value_{n} = {n}"))
        .collect::<Vec<_>>()
        .join("\n");
    let cut = prompt(
        PromptStyle::Completion,
        &gathered(&[&long], &[&long], &[&long]),
        &asked(),
        Some(200),
    );
    assert!(cut.cut && cut.tokens <= 200, "{}", cut.tokens);
    assert!(cut.text.contains("value_199 = 199\n\ndef count"));
    assert!(cut.text.starts_with("value_0 = 0"));
}

proptest! {
    #[test]
    fn a_prompt_never_exceeds_its_budget(
        above in "[a-z é漢\\n]{0,400}", below in "[a-z é漢\\n]{0,400}", more in "[a-z é漢\\n]{0,400}", budget in 120usize..400
    ) {
        for style in PromptStyle::ALL {
            let prompt = prompt(*style, &gathered(&[&above], &[&below], &[&more]), &asked(), Some(budget));
            prop_assert!(prompt.tokens <= budget, "{} > {budget}", prompt.tokens);
        }
    }
}
