use std::collections::BTreeSet;

use super::*;
use crate::code::test_mutations::mutation::{Relation, edited};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The changed texts of the file `text`, one for each mutation of the function `test`, the best mutation first.
fn changed(text: &str) -> Vec<String> {
    let file = TestFile::parse(text).unwrap();
    let function = file.test(&names(&["test"]), "f", &|_| None).unwrap();
    let apply = |mutation: Mutation| edited(text, &[mutation.edit]).unwrap();
    function.mutations.into_iter().map(apply).collect()
}

/// Checks the best mutation of a test with the body `lines`. The changed body must differ from `lines`, begin with
/// `before` and end with `after`. The file has some other constants.
fn best(lines: &str, before: &str, after: &str) {
    let text = format!(
        "def test(given, want):\n    {lines}\n\nOTHER = 'xyz', \"xyz\", 'xy', [7], OtherError\n"
    );
    let first = changed(&text).remove(0);
    assert_eq!(first.lines().count(), text.lines().count(), "{first}");
    let first = first.split_once("\n    ").unwrap().1;
    let first = first.split_once("\n\nOTHER").unwrap().0.trim_end();
    assert_ne!(first, lines);
    assert!(
        first.starts_with(before) && first.ends_with(after),
        "{lines} became {first}"
    );
}

#[test]
fn the_expected_constant_changes_and_the_input_does_not() {
    best("assert f(3) == 4", "assert f(3) == ", "");
    best("assert 'abc' == f('x')", "assert '", "' == f('x')");
    best("assert f(3) == [x, 'ab']", "assert f(3) == [", "]");
    best(
        "self.assertTrue(f(3) == 4)",
        "self.assertTrue(f(3) == ",
        ")",
    );
    best("self.assertEqual(f(3), 4)", "self.assertEqual(f(3), ", ")");
    best("assert 3 in f(1)", "assert ", " in f(1)");
    best("self.assertIn('ab', f(1))", "self.assertIn('", "', f(1))");
    best("assert f(1) is True", "assert f(1) is False", "");
    best("assert f(1) == []", "assert f(1) == [7]", "");
    best("assert f(1) == ''", "assert f(1) == 'xy", "'");
}

#[test]
fn a_constant_changes_if_an_expected_value_is_computed_from_it() {
    best(
        "assert f(3) == approx(2.5, rel=1)",
        "assert f(3) == approx(",
        ", rel=1)",
    );
    best("assert f(3) == Slow(4)", "assert f(3) == Slow(", ")");
    best("assert isclose(f(3), 0.5)", "assert isclose(f(3), 0.", ")");
    best("x = 5\n    assert f(3) == x", "x = ", "assert f(3) == x");
    best(
        "x = {'a': 5}\n    assert f(3) == x['a']",
        "x = {'a': ",
        "assert f(3) == x['a']",
    );
    best(
        "for a, b in [(1, 2)]:\n        assert f(a) == b",
        "for a, b in [(1, ",
        "assert f(a) == b",
    );
    best(
        "run.assert_called_once_with(5, f(1))",
        "run.assert_called_once_with(",
        ", f(1))",
    );
}

#[test]
fn a_name_attribute_or_operator_becomes_another_one_of_the_test() {
    best("assert f(given) == want", "assert f(given) == given", "");
    best(
        "self.assertEqual(want, f(given))",
        "self.assertEqual(given, f(given))",
        "",
    );
    best(
        "assert f(1) == self.want\n    print(self.got)",
        "assert f(1) == self.got",
        "",
    );
    best(
        "assert f(d) == [v + v for v in given]",
        "assert f(d) == [v ",
        "]",
    );
    best("assert f(1) == Kind.A", "assert f(1) == OtherError.A", "");
    best(
        "assert isinstance(f(1), dict)",
        "assert isinstance(f(1), ",
        ")",
    );
    for alone in [
        "assert f(1) == WANT",
        "assert f(1) == g(x)",
        "assert f(1) == self.want",
    ] {
        let text = format!("def test():\n    {alone}\n");
        assert_eq!(changed(&text), Vec::<String>::new());
    }
}

/// The forms of earlier releases: pairs, rebound names, `True` for `None`, `not (…)` and filled collections.
#[test]
fn no_changed_form_is_one_that_only_a_program_writes() {
    for assertion in [
        "assert f(x) == [v + v for v in given]",
        "assert f(x) == g(given)",
        "assert f(x) == []",
        "assert f(x) == {}",
        "assert f(x) == ''",
        "assert f(x) is None",
        "assert f(x)",
        "assert f(x) < given",
        "assert not f(x)",
        "assert f(x) != 3",
        "assert f(x) == \\\n        want",
        "with raises(KeyError):\n        f(x)",
    ] {
        let text = format!("def test(given, want):\n    {assertion}\n");
        for changed in changed(&text) {
            let changed = changed.split_once('\n').unwrap().1;
            for form in [
                "(given, ",
                "(want, ",
                "; ",
                "not (",
                "[0]",
                "{'a'",
                "True",
                "BufferError",
            ] {
                assert!(!changed.contains(form), "{changed}");
            }
        }
    }
}

#[test]
fn an_operator_is_not_negated_where_the_negated_form_is_rare() {
    let file = |more: &str| format!("def test():\n    assert f(1) == g()\n{more}");
    assert!(changed(&file("")).is_empty());
    let text = file("\nassert a != b\n");
    assert_eq!(changed(&text), [text.replace("== g()", "!= g()")]);
}

#[test]
fn arguments_of_the_target_are_not_changed() {
    best("assert f(given) is given", "assert f(given) is want", "");
    best(
        "x = 5\n    got = f(x)\n    assert got is x",
        "x = 5\n    got = f(x)\n    assert ",
        "",
    );
    let text = "@mark.parametrize('a, want', [(1, 2)])\ndef test(a, want):\n    got = f(a)\n    assert got is a\n    assert got == want\n";
    for changed in changed(text) {
        assert!(changed.contains("(1, "), "{changed}");
    }
}

#[test]
fn an_expected_value_changes_in_only_one_set_of_test_parameters() {
    let text = "@pytest.mark.parametrize('a, want', [(1, 2), (1, 2)])\ndef test(a, want):\n    assert f(a) == want\n";
    for changed in changed(text).iter().take(2) {
        let (before, after) = changed.split_once("\ndef").unwrap();
        assert!(
            text.ends_with(after) && !text.starts_with(before),
            "{changed}"
        );
        assert_eq!(changed.matches("(1, 2)").count(), 1, "{changed}");
    }
    let text = "@mark.parametrize('a, want', [(1, int), (2, str)])\ndef test(a, want):\n    assert f(a) is want\n";
    let swapped = &changed(text)[0];
    assert!(
        swapped.contains("(1, str), (2, str)") || swapped.contains("(1, int), (2, int)"),
        "{swapped}"
    );
}

#[test]
fn the_result_of_the_target_is_not_taken_for_the_expected_value() {
    best(
        "got = f(given)\n    assert got == want",
        "got = f(given)\n    assert got == given",
        "",
    );
    best(
        "got = run(given)\n    assert want == got.x",
        "got = run(given)\n    assert g",
        " == got.x",
    );
}

#[test]
fn assertions_about_the_target_and_whole_values_are_changed_first() {
    best(
        "assert len(x) == 2\n    got = f(1)\n    assert got == y(5)",
        "assert len(x) == 2\n    got = f(1)\n    assert got == y(",
        ")",
    );
    let text = "def test():\n    got = f(1)\n    assert got[0] == 3\n    assert got == [3, 4]\n    assert got[1] == 4\n    assert 3 in got\n";
    let first = &changed(text)[0];
    assert!(!first.contains("got == [3, 4]"), "{first}");
}

/// The line of the effect is the line in which an effect of the target is first visible.
#[test]
fn a_value_computed_in_the_line_of_the_effect_counts_as_computed_by_the_target() {
    let text =
        "def test():\n    x = 3\n    got = run(x)\n    assert got.y == 4\n    assert z == 5\n";
    let file = TestFile::parse(text).unwrap();
    let function = file
        .test(&names(&["test"]), "f", &|lines| {
            lines.contains(&3).then_some(3)
        })
        .unwrap();
    assert_eq!(function.mutations[0].relation, Relation::Part);
    assert_eq!(&text[function.mutations[0].edit.0.clone()], "4");
}

#[test]
fn the_name_or_the_order_identifies_the_target_among_two_calls_in_the_line_of_the_effect() {
    let first = |assertion: &str| {
        let text = format!("def test():\n    {assertion}\n");
        let file = TestFile::parse(&text).unwrap();
        let function = file.test(&names(&["test"]), "f", &|_| Some(2)).unwrap();
        edited(&text, &[function.mutations[0].edit.clone()]).unwrap()
    };
    let changed = first("assert run(3) == set([4])");
    assert!(
        changed.contains("run(3) == set([") && !changed.contains('4'),
        "{changed}"
    );
    let changed = first("self.assertEqual(set([4]), x.f(3))");
    assert!(
        changed.contains("]), x.f(3))") && !changed.contains('4'),
        "{changed}"
    );
}

#[test]
fn all_members_of_a_list_of_allowed_results_change_together() {
    for assertion in [
        "assert f(1) in [-10, 'ab']",
        "self.assertIn(f(1), (-10, 'ab'))",
    ] {
        let changed = &changed(&format!("def test():\n    {assertion}\n'xyz'\n"))[0];
        assert!(
            !changed.contains("-10") && !changed.contains("ab'"),
            "{changed}"
        );
        assert!(changed.contains("f(1)"), "{changed}");
    }
}

#[test]
fn each_positional_constant_in_a_call_that_computes_an_expected_value_is_changed() {
    let text = "def test():\n    assert f(3) == Note('A', 1, low=2)\n'XY'\n";
    let parts = |with: &str, without: &str| {
        let of = |text: &String| text.contains(with) && !text.contains(without);
        changed(text).iter().any(of)
    };
    assert!(parts("Note('A', ", ", 1, low=2)") && parts(", 1, low=2)", "'A'"));
    assert!(changed(text).iter().all(|text| text.contains("low=2")));
}

#[test]
fn arguments_of_a_check_function_of_the_project_are_changed_from_last_to_first() {
    let text = "def test():
    check(f(1), 'm', [0, x], {'k': [x]})


def check(a, *b):
    assert a == b, 'n'
";
    let file = TestFile::parse(text).unwrap();
    let mutations = file
        .test(&names(&["test"]), "f", &|_| None)
        .unwrap()
        .mutations;
    let replaced: Vec<_> = mutations
        .iter()
        .map(|of| &text[of.edit.0.clone()])
        .collect();
    assert_eq!(replaced[0], "k");
    assert_eq!(
        BTreeSet::from_iter(&replaced[1..3]),
        BTreeSet::from([&"m", &"0"])
    );
}

#[test]
fn the_text_of_an_exception_is_changed_before_its_type() {
    best(
        "with pytest.raises(E, match='ab'):\n        f(1)",
        "with pytest.raises(E, match='",
        "'):\n        f(1)",
    );
}

#[test]
fn an_assertion_is_negated_if_nothing_else_can_be_changed() {
    best("assert f(1) != 3", "assert f(1) == 3", "");
    best("assert f(1)", "assert not f(1)", "");
    best("assert not f(1)", "assert f(1)", "");
    best("assert f(1) is None", "assert f(1) is not None", "");
    best("self.assertFalse(f(1))", "self.assertTrue(f(1))", "");
    best("run.assert_called_once()", "run.assert_not_called()", "");
    best(
        "self.assertRaises(KeyError, f)",
        "self.assertRaises(",
        "Error, f)",
    );
}

#[test]
fn an_assertion_function_of_the_project_gets_another_string() {
    best(
        "self.assertRenders(f('a'), dedent('bc'))",
        "self.assertRenders(f('a'), dedent('",
        "'))",
    );
    best(
        "eq_ignore_whitespace(f(3), 'ab')",
        "eq_ignore_whitespace(f(3), '",
        "')",
    );
}

#[test]
fn every_mutation_preserves_the_number_of_lines() {
    let text = "def test(want, other):\n    assert (f(1)\n        ==\n        [1,\n         2])\n    assert not (\n        f(2))\n    assert not \\\n        f(2)\n    self.assertEqual(\n        f(3),\n        want)\n    assert f('''a\nb''') == '''c\nd'''\n    if want: assert f(3) == want\n";
    let all = changed(text);
    assert!(all.len() > 5);
    for changed in all {
        assert_eq!(changed.lines().count(), text.lines().count(), "{changed}");
        assert!(
            !TestFile::parse(&changed)
                .unwrap()
                .0
                .tree
                .root_node()
                .has_error(),
            "{changed}"
        );
    }
}

#[test]
fn nothing_outside_a_test_is_changed() {
    let constant = "WANT = 5\n\ndef test():\n    assert f(1) == WANT\n";
    assert!(
        changed(constant)
            .iter()
            .all(|text| text.starts_with("WANT = 5"))
    );
    let class = "@mark.parametrize('want', [1, 2])\nclass T:\n    def test(self, want):\n        assert f() == want\n";
    assert!(changed(class).iter().all(|text| text.contains("[1, 2]")));
}

#[test]
fn calls_of_the_changed_test_at_module_level_are_removed() {
    let text = "def test():\n    assert f() == 3\n\n\nVALUES = [1]\ntest()\nother.test()\n";
    let file = TestFile::parse(text).unwrap();
    let calls = file.test(&names(&["test"]), "f", &|_| None).unwrap().calls;
    let changed = edited(text, &calls).unwrap();
    assert!(
        changed.ends_with("VALUES = [1]\npass\nother.test()\n"),
        "{changed}"
    );
    let text = format!("class T:\n    def test(self):\n        assert f() == 3\n\n\n{text}");
    let file = TestFile::parse(&text).unwrap();
    assert!(
        file.test(&names(&["T", "test"]), "f", &|_| None)
            .unwrap()
            .calls
            .is_empty()
    );
}

#[test]
fn mutations_of_test_support_do_not_change_test_functions() {
    let text = "class Base:\n    def check(self):\n        assert f() == 3\n\n    def test_a(self):\n        assert f() == 4\n";
    let found = TestFile::parse(text).unwrap().support("f");
    assert!(
        !found.is_empty()
            && found
                .iter()
                .all(|of| of.edit.0.end < text.find("test_a").unwrap())
    );
}
