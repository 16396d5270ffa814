//! `evoscope review plan`.

use std::path::Path;
use std::process::Output;

use super::{evoscope, text};
use crate::terminal::fixture;

#[test]
fn a_plan_refuses_names_that_nobody_can_have_and_says_which_plan_it_replaces() {
    let home = tempfile::tempdir().unwrap();
    let benchmark = home.path().join("benchmark");
    fixture::write(&benchmark);
    let plan = |names: &str| -> Output {
        let arguments = ["review", "plan", path(&benchmark), "--annotator", names];
        evoscope(home.path(), &arguments)
    };
    for names in [
        "",
        " ",
        "anna,",
        "anna,ben,anna",
        "anna, anna",
        "a\u{1b}[31m",
    ] {
        let refused = plan(names);
        assert_eq!(refused.status.code(), Some(2), "{names:?}");
        assert!(refused.stdout.is_empty(), "{}", text(&refused.stdout));
    }
    let first = plan("anna, ben");
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert!(text(&first.stdout).starts_with("anna: "));
    assert_eq!(text(&first.stderr), "", "there was no plan to replace");
    assert_eq!(text(&plan("anna,ben").stderr), "", "the plan is the same");
    let second = plan("cleo");
    assert!(second.status.success());
    let said = text(&second.stderr);
    assert!(said.contains("replaces the plan of anna, ben"), "{said}");
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}
