use std::collections::BTreeSet;

use super::super::find::parse;
use super::*;

/// What a test's source becomes by each change, best first.
fn changed(text: &str) -> Vec<String> {
    let tree = parse(text).unwrap();
    let changes = Claims::of(tree.root_node(), text, "f");
    changes.iter().map(|change| change.apply(text)).collect()
}

/// The best change to a test whose lines these are, told by the text that it leaves before and after itself.
fn best(lines: &str, before: &str, after: &str) {
    let text = format!("def test(given, want):\n    {lines}\n");
    let first = changed(&text).remove(0);
    let first = first.split_once("\n    ").unwrap().1.trim_end();
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
    best("assert f(3) == [x, 'ab']", "assert f(3) == [x, '", "']");
    best(
        "self.assertTrue(f(3) == 4)",
        "self.assertTrue(f(3) == ",
        ")",
    );
    best("assert 3 in f(1)", "assert ", " in f(1)");
    best("self.assertIn('ab', f(1))", "self.assertIn('", "', f(1))");
    best("assert f(1) is True", "assert f(1) is False", "");
}

#[test]
fn what_an_expected_value_is_made_of_changes() {
    best(
        "assert f(3) == approx(2.5, rel=1)",
        "assert f(3) == approx(",
        ", rel=1)",
    );
    best("assert f(3) == Slow(4)", "assert f(3) == Slow(", ")");
    best("assert isclose(f(3), 0.5)", "assert isclose(f(3), 0.", ")");
    best("x = 5\n    assert f(3) == x", "x = ", "assert f(3) == x");
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
fn a_name_that_is_expected_is_another_value_wherever_it_is_looked_at() {
    best(
        "assert f(given) == want",
        "want = (want, ",
        ")\n    assert f(given) == want",
    );
    best(
        "self.assertEqual(want, f(given))",
        "want = (want, ",
        ")\n    self.assertEqual(want, f(given))",
    );
    best("assert f(given) == WANT", "assert f(given) == (WANT, ", ")");
    best(
        "assert f(given) == self.want",
        "assert f(given) == (self.want, ",
        ")",
    );
    best(
        "assert f(given) == other(given)",
        "assert f(given) == (other(given), ",
        ")",
    );
}

#[test]
fn a_parameter_that_is_expected_has_another_value_in_its_list() {
    let text = "@pytest.mark.parametrize('a, want', [(1, 2), (1, 2)])\ndef test(a, want):\n    assert f(a) == want\n";
    for changed in changed(text).iter().take(SETS) {
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
fn a_result_is_not_taken_for_what_is_expected() {
    best(
        "got = f(given)\n    assert got == want",
        "got = f(given)\n    want = (want, ",
        "got == want",
    );
    best(
        "got = f(given)\n    assert want == got",
        "got = f(given)\n    want = (want, ",
        "want == got",
    );
    best(
        "got = run(given)\n    assert want == got.x",
        "got = run(given)\n    want = (want, ",
        "want == got.x",
    );
}

#[test]
fn a_whole_value_is_changed_before_its_parts() {
    best(
        "got = f(1)\n    assert len(got) == 2\n    assert got == x(5)\n    assert got[0] == y(3)",
        "got = f(1)\n    assert len(got) == ",
        "",
    );
    let text = "def test():\n    got = f(1)\n    assert got[0] == 3\n    assert got == [3, 4]\n    assert got[1] == 4\n    assert 3 in got\n";
    assert!(
        changed(text)[0].contains("assert got[0] == 3\n")
            && changed(text)[0].contains("assert got[1] == 4\n")
    );
}

#[test]
fn all_that_a_value_may_be_changes_together() {
    for claim in [
        "assert f(1) in [-10, 'ab']",
        "self.assertIn(f(1), (-10, 'ab'))",
    ] {
        let changed = &changed(&format!("def test():\n    {claim}\n"))[0];
        assert!(
            !changed.contains("-10") && !changed.contains("ab'"),
            "{changed}"
        );
        assert!(changed.contains("f(1)"), "{changed}");
    }
}

#[test]
fn a_change_is_made_to_one_claim_alone() {
    let text = "def test(a):\n    assert f(a) == 1, 'a'\n    a.check()\n    self.assertTrue(a)\n    check(a, 2)\n\n\ndef check(a, b):\n    assert f(a) == b\n";
    let tree = parse(text).unwrap();
    let function = tree.root_node().named_child(0).unwrap();
    let found = Claims::of(function, text, "f");
    let alone = |change: &Change| edited(text, change.edits());
    let first = found.iter().find(|of| of.rank == Rank::Value).unwrap();
    assert!(alone(first).contains("    a.check()\n    pass\n    pass\n\n"));
    let called = found.iter().find(|of| of.rank == Rank::Part).unwrap();
    let called = alone(called);
    assert!(
        called.contains("(a):\n    pass\n    a.check()\n    pass\n    check(a, "),
        "{called}"
    );
}

#[test]
fn each_constant_that_a_call_makes_an_expected_value_of_is_changed() {
    let text = "def test():\n    assert f(3) == Note('A', 1, low=2)\n";
    let parts = |with: &str, without: &str| {
        let of = |text: &String| text.contains(with) && !text.contains(without);
        changed(text).iter().any(of)
    };
    assert!(parts("Note('A', ", ", 1, low=2)") && parts(", 1, low=2)", "'A'"));
    assert!(changed(text).iter().all(|text| text.contains("low=2")));
}

#[test]
fn whatever_a_projects_own_check_is_given_is_changed_the_last_first() {
    let text = "def test():
    check(f(1), 'm', [0, x], {'k': [x]})


def check(a, *b):
    assert a == b
";
    let tree = parse(text).unwrap();
    let function = tree.root_node().named_child(0).unwrap();
    let changes = Claims::of(function, text, "f");
    let replaced = changes.iter().map(|change| &text[change.range.clone()]);
    let replaced: Vec<_> = replaced.collect();
    assert_eq!(replaced[0], "'k'");
    assert_eq!(
        BTreeSet::from_iter(&replaced[1..3]),
        BTreeSet::from([&"'m'", &"0"])
    );
}

#[test]
fn the_text_of_an_exception_is_changed_before_its_kind() {
    best(
        "with pytest.raises(E, match='ab'):\n        f(1)",
        "with pytest.raises(E, match='",
        "'):\n        f(1)",
    );
    let text = "from a import BadError\ndef test():\n    self.assertRaises(KeyError, f)\n";
    assert!(
        changed(text)
            .iter()
            .any(|text| text.contains("assertRaises(BadError, f)"))
    );
}

#[test]
fn an_operator_is_turned_where_nothing_else_is_left() {
    best("assert f(1) != 3", "assert f(1) == 3", "");
    best("assert f(1)", "assert not (f(1))", "");
    best("self.assertFalse(f(1))", "self.assertTrue(f(1))", "");
    best("run.assert_called_once()", "run.assert_not_called()", "");
    best(
        "self.assertRaises(KeyError, f)",
        "self.assertRaises(",
        "Error, f)",
    );
}

#[test]
fn an_assertion_of_the_projects_own_is_given_another_string() {
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
