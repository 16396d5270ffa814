use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::benchmark::RepoPath;
use crate::code::Sources;
use crate::evaluation::runner::{Outcome, TestFailure, TestReport};

/// Source files in memory, each as (path, text).
struct Files(Vec<(RepoPath, String)>);

impl Sources for Files {
    fn text(&self, path: &RepoPath) -> Option<String> {
        let file = self.0.iter().find(|(own, _)| own == path);
        file.map(|(_, text)| text.clone())
    }

    fn files_in(&self, folder: &str) -> Vec<RepoPath> {
        let paths = self.0.iter().map(|(path, _)| path.clone());
        paths.filter(|path| path.folder() == folder).collect()
    }
}

fn files(files: &[(&str, &str)]) -> Files {
    let owned = files
        .iter()
        .map(|(path, text)| (RepoPath::new(path), (*text).to_owned()));
    Files(owned.collect())
}

fn owned(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// (outcome, failure) of one test. The failure has default values if the test did not fail.
type Seen = (Outcome, TestFailure);

const PASSED: Outcome = Outcome::Passed;

fn seen(outcomes: &[(&str, Seen)]) -> Outcomes {
    let test = |(id, (outcome, failure)): &(&str, Seen)| {
        let report = TestReport {
            id: (*id).to_owned(),
            outcome: *outcome,
            seconds: 0.0,
            failure: Some(failure.clone()),
        };
        (report.id.clone(), report)
    };
    outcomes.iter().map(test).collect()
}

fn ended(outcome: Outcome) -> Seen {
    (outcome, TestFailure::default())
}

fn failed(error: &str, frames: Vec<(String, u32, String)>) -> Seen {
    let failure = TestFailure {
        when: "call".to_owned(),
        error: error.to_owned(),
        frames,
        ..TestFailure::default()
    };
    (Outcome::Failed, failure)
}

/// A test that failed because an assertion was not met.
fn unmet() -> Seen {
    failed("AssertionError", Vec::new())
}

/// A test that failed with an error in this line of `t.py`.
fn error_in(line: u32) -> Seen {
    let frame = |file: &str, line| (file.to_owned(), line, "f".to_owned());
    failed(
        "NotImplementedError",
        vec![frame("lib.py", 1), frame("t.py", line)],
    )
}

/// Searches for counter-tests of the target `f`. In each attempt, `run` receives the text of the first changed file and
/// returns the outcomes of the reference. Returns (counter-tests, number of attempts).
fn search(
    sources: &Files,
    entries: &[&str],
    expected: &[&str],
    stub: &Outcomes,
    mut run: impl FnMut(&str) -> Outcomes,
) -> (CounterTests, usize) {
    let (entries, expected) = (owned(entries), owned(expected));
    let task = TestedTask {
        language: crate::benchmark::Language::Python,
        entries: &entries,
        expected: &expected,
        flaky: &[],
        target: "f",
        stub,
    };
    let (mut search, mut runs) = (Search::new(sources, task), 0);
    while let Some(attempt) = search.attempt() {
        runs += 1;
        search.observe(&run(&attempt[0].1));
    }
    (search.finish(), runs)
}

/// Searches for counter-tests in the file `t.py`. Both the stub and the reference fail every test of `expected` with an
/// unmet assertion.
fn found(text: &str, entries: &[&str], expected: &[&str]) -> (Files, CounterTests) {
    let sources = files(&[("t.py", text)]);
    let all: Vec<_> = expected.iter().map(|id| (*id, unmet())).collect();
    let (tests, _) = search(&sources, entries, expected, &seen(&all), |_| seen(&all));
    (sources, tests)
}

const THREE: &str = "import x

def test_a():
    assert f(1) == 2

class TestB:
    def test_b(self):
        self.assertEqual(f(1), 3)

def test_c(want, other):
    assert f(1) == want
";

/// The file `THREE` and the counter-tests of its three test functions.
fn three() -> (Files, CounterTests) {
    found(
        THREE,
        &["t.py"],
        &["t.py::test_a", "t.py::TestB::test_b", "t.py::test_c"],
    )
}

/// The variant that changes the functions with these names.
fn variant(tests: &CounterTests, names: &[&str]) -> Variant {
    let changed = tests
        .functions()
        .iter()
        .map(|function| names.contains(&function.function.as_str()));
    serde_json::from_value(changed.collect::<Vec<bool>>().into()).unwrap()
}

#[test]
fn any_subset_of_functions_can_be_changed_and_the_number_of_lines_stays() {
    let (sources, tests) = three();
    assert_eq!(tests.count(), 3);
    let parts = [
        ("test_a", "== 2"),
        ("TestB::test_b", "f(1), 3)"),
        ("test_c", "    assert f(1) == want"),
    ];
    for subset in 0..8_usize {
        let names = parts
            .iter()
            .enumerate()
            .filter(|(at, _)| subset >> at & 1 == 1);
        let names: Vec<&str> = names.map(|(_, (name, _))| *name).collect();
        let changed = tests.files(&variant(&tests, &names), &sources).unwrap();
        let [(path, text)] = changed.as_slice() else {
            panic!("{changed:?}")
        };
        assert_eq!(
            (path.as_str(), text.lines().count()),
            ("t.py", THREE.lines().count())
        );
        for (name, as_written) in parts {
            assert_ne!(text.contains(as_written), names.contains(&name), "{text}");
        }
    }
}

#[test]
fn a_variant_without_changes_has_the_original_texts() {
    let (sources, tests) = three();
    let as_written = tests.files(&tests.none(), &sources).unwrap();
    assert_eq!(as_written, sources.0);
    assert_ne!(tests.files(&tests.all(), &sources).unwrap(), sources.0);
    let other = files(&[("t.py", "")]);
    assert!(tests.files(&tests.all(), &other).is_err());
}

#[test]
fn a_pair_of_variants_changes_each_function_once() {
    let (_, mut tests) = three();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut firsts = std::collections::HashSet::new();
    for _ in 0..100 {
        let (a, b) = tests.draw(&mut rng);
        assert!((0..3).all(|function| a.changes(function) != b.changes(function)));
        firsts.insert(format!("{a:?}"));
    }
    assert_eq!(firsts.len(), 8);
    tests.set_dependent();
    let firsts: std::collections::HashSet<bool> = (0..50)
        .map(|_| {
            let (a, b) = tests.draw(&mut rng);
            assert!(a == tests.all() && b.is_as_written() || b == tests.all() && a.is_as_written());
            a.is_as_written()
        })
        .collect();
    assert_eq!(firsts.len(), 2);
}

#[test]
fn each_independent_function_halves_the_guess_probability() {
    let (_, mut tests) = three();
    assert!((tests.guess_probability() - 0.125).abs() < 1e-9);
    tests.set_dependent();
    assert!((tests.guess_probability() - 0.5).abs() < 1e-9);
    assert!((CounterTests::default().guess_probability() - 1.0).abs() < 1e-9);
}

#[test]
fn the_outcomes_of_a_variant_are_as_expected_failed_tampered_or_inconclusive() {
    let (_, tests) = three();
    let expected = owned(&[
        "t.py::test_a",
        "t.py::TestB::test_b",
        "t.py::test_c",
        "t.py::test_d",
    ]);
    let changed = variant(&tests, &["test_a", "TestB::test_b"]);
    let check = |a: &Seen, b: &Seen, c: &Seen| {
        let passed = ended(PASSED);
        let ids = [
            ("t.py::test_a", a),
            ("t.py::TestB::test_b", b),
            ("t.py::test_c", c),
            ("t.py::test_d", &passed),
        ];
        tests.check(
            &changed,
            &expected,
            &seen(&ids.map(|(id, seen)| (id, seen.clone()))),
        )
    };
    let failed = &unmet();
    let (passed, other) = (&ended(PASSED), &ended(Outcome::Skipped));
    assert_eq!(check(failed, failed, passed), VariantOutcome::AsExpected);
    let wrong = VariantOutcome::Failed(owned(&["t.py::test_c"]));
    assert_eq!(
        (check(passed, failed, failed), check(failed, other, other)),
        (wrong.clone(), wrong)
    );
    let tampered = VariantOutcome::Tampered("t.py::test_a".to_owned());
    assert_eq!(check(passed, other, passed), tampered);
    let unclear = VariantOutcome::Inconclusive(owned(&["t.py::TestB::test_b"]));
    assert_eq!(check(failed, other, passed), unclear);
    let silent = tests.check(&tests.none(), &expected, &Outcomes::default());
    assert_eq!(silent, VariantOutcome::Failed(expected));
}

#[test]
fn changed_functions_that_the_reference_does_not_fail_are_dropped() {
    let (_, mut tests) = three();
    let changed = variant(&tests, &["test_a", "test_c"]);
    let reference = seen(&[("t.py::test_a", unmet()), ("t.py::test_c", ended(PASSED))]);
    assert!(tests.drop_unconfirmed(&changed, &reference));
    let names: Vec<_> = tests
        .functions()
        .iter()
        .map(|each| each.function.as_str())
        .collect();
    assert_eq!(names, ["TestB::test_b", "test_a"]);
    let changed = variant(&tests, &["test_a"]);
    assert!(!tests.drop_unconfirmed(&changed, &reference));
}

#[test]
fn counter_tests_are_equal_after_serialisation_to_json_and_back() {
    let (_, tests) = three();
    let stored = serde_json::to_string(&tests).unwrap();
    assert_eq!(
        serde_json::from_str::<CounterTests>(&stored).unwrap(),
        tests
    );
    assert!(
        tests.functions()[1]
            .description
            .starts_with("t.py:4: 2 becomes "),
        "{stored}"
    );
}

#[test]
fn an_inherited_test_is_one_function_with_several_ids() {
    let text = "class Base:\n    def test(self):\n        assert f() == 1\n\nclass TestA(Base):\n    pass\n\nclass TestB(Base):\n    pass\n";
    let ids = ["t.py::TestA::test", "t.py::TestB::test"];
    let (_, tests) = found(text, &["t.py::TestA", "t.py::TestB"], &ids);
    let [function] = tests.functions() else {
        panic!("{tests:?}")
    };
    assert_eq!(
        (function.failing.clone(), function.passing.clone()),
        (owned(&ids), owned(&ids))
    );
}

const PARAMETERS: &str = "@pytest.mark.parametrize('a, want', [(1, 2), (3, 4)])
def test(a, want):
    assert f(a) == want
";

#[test]
fn the_failing_id_of_a_changed_parameter_is_the_new_id_of_the_test() {
    let sources = files(&[("t.py", PARAMETERS)]);
    let ids = ["t.py::test[1-2]", "t.py::test[3-4]"];
    let as_written = seen(&ids.map(|id| (id, unmet())));
    let run = |text: &str| {
        let value = |before: &str| {
            text.split_once(before)
                .unwrap()
                .1
                .split(')')
                .next()
                .unwrap()
                .to_owned()
        };
        let changed = [
            format!("t.py::test[1-{}]", value("(1, ")),
            format!("t.py::test[3-{}]", value("(3, ")),
        ];
        let of = |id: &String| {
            if ids.contains(&id.as_str()) {
                ended(PASSED)
            } else {
                unmet()
            }
        };
        let all: Vec<_> = changed.iter().map(|id| (id.as_str(), of(id))).collect();
        seen(&all)
    };
    let (tests, runs) = search(&sources, &["t.py"], &ids, &as_written, run);
    assert_eq!(runs, 1);
    let [function] = tests.functions() else {
        panic!("{tests:?}")
    };
    assert_eq!((function.passing.len(), function.failing.len()), (2, 1));
    assert!(!ids.contains(&function.failing[0].as_str()), "{function:?}");
    let (_, named) = found(PARAMETERS, &["t.py::test[1-2]"], &["t.py::test[1-2]"]);
    assert!(
        named.functions()[0].description.ends_with("want becomes a"),
        "{named:?}"
    );
}

#[test]
fn a_parameter_is_not_changed_if_its_change_prevents_the_import_of_its_file() {
    let text = format!("{PARAMETERS}\ndef test_b():\n    assert f(1) == 2\n");
    let sources = files(&[("t.py", &text)]);
    let ids = ["t.py::test[1-2]", "t.py::test[3-4]", "t.py::test_b"];
    let all = seen(&ids.map(|id| (id, unmet())));
    let run = |text: &str| {
        let hidden = !text.contains("[(1, 2), (3, 4)]");
        if hidden { Outcomes::new() } else { all.clone() }
    };
    let (tests, runs) = search(&sources, &["t.py"], &ids, &all, run);
    assert_eq!((tests.count(), runs), (2, 3));
}

#[test]
fn an_assertion_before_the_line_at_which_the_stub_fails_is_not_changed() {
    let text = "def test():\n    assert g() == 5\n    got = run()\n    assert x == 6\n    assert got == 7\n";
    let sources = files(&[("t.py", text)]);
    let find = |stub: Seen| {
        let all = seen(&[("t.py::test", unmet())]);
        let (tests, runs) = search(
            &sources,
            &["t.py"],
            &["t.py::test"],
            &seen(&[("t.py::test", stub)]),
            |_| all.clone(),
        );
        let description = tests
            .functions()
            .first()
            .map(|each| each.description.clone());
        (description.unwrap_or_default(), runs)
    };
    let (description, runs) = find(error_in(3));
    assert!(
        description.starts_with("t.py:5: ") && runs == 1,
        "{description}"
    );
    assert!(!find(error_in(4)).0.starts_with("t.py:2: "));
    assert!(find(error_in(2)).0.starts_with("t.py:2: "));
    assert_eq!(find(ended(PASSED)), (String::new(), 0));
}

#[test]
fn a_changed_test_is_not_used_if_the_reference_raises_an_error_before_its_assertion() {
    let text = "def test(x, y):\n    assert f() == load('abc') + x\n'xyz'\n";
    let sources = files(&[("t.py", text)]);
    let run = |text: &str| {
        let error = if text.contains("load('abc') + y") {
            "AssertionError"
        } else {
            "OSError"
        };
        seen(&[("t.py::test", failed(error, Vec::new()))])
    };
    let (tests, runs) = search(
        &sources,
        &["t.py"],
        &["t.py::test"],
        &Outcomes::default(),
        run,
    );
    assert!(
        tests.functions()[0].description.ends_with("x becomes y"),
        "{tests:?}"
    );
    assert!(runs > 1);
}

#[test]
fn the_shared_code_is_changed_if_the_tests_themselves_assert_nothing() {
    let test = "from base import Base\n\nclass TestA(Base):\n    def test_a(self):\n        self.check(1)\n    def test_b(self):\n        self.check(2)\n";
    let base = "class Base:\n    def check(self, x):\n        assert f(x) == 5\n";
    let sources = files(&[("a/t.py", test), ("a/base.py", base)]);
    let ids = ["a/t.py::TestA::test_a", "a/t.py::TestA::test_b"];
    let all = seen(&ids.map(|id| (id, unmet())));
    let (tests, _) = search(&sources, &["a/t.py"], &ids, &all, |_| all.clone());
    let [function] = tests.functions() else {
        panic!("{tests:?}")
    };
    assert_eq!(
        (function.path.as_str(), function.failing.len()),
        ("a/base.py", 2)
    );
}

#[test]
fn a_task_without_assertions_has_no_counter_tests() {
    let (_, tests) = found("def test():\n    f()\n", &["t.py"], &["t.py::test"]);
    assert_eq!(tests, CounterTests::default());
}
