use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::*;

/// Files in memory.
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

fn seen(outcomes: &[(&str, Observed)]) -> Observations {
    let outcomes = outcomes
        .iter()
        .map(|(id, outcome)| ((*id).to_owned(), *outcome));
    Observations {
        outcomes: outcomes.collect(),
        ended: false,
    }
}

const FAILED: Observed = Observed::Failed(Cause::Assertion);

/// Searches with a run that `run` makes of a body and the text of the first changed file; gives the bodies that ran too.
fn search(
    sources: &Files,
    entries: &[&str],
    expected: &[&str],
    mut run: impl FnMut(Body, Option<&str>) -> Observations,
) -> (CounterTests, Vec<Body>) {
    let (entries, expected) = (owned(entries), owned(expected));
    let task = Task {
        entries: &entries,
        expected: &expected,
        flaky: &[],
        target: "f",
    };
    let mut search = Search::new(sources, task, run(Body::Stub, None));
    let mut bodies = Vec::new();
    while let Some(request) = search.request() {
        bodies.push(request.body);
        let text = request.files.first().map(|(_, text)| text.as_str());
        search.observe(run(request.body, text));
    }
    (search.finish(), bodies)
}

/// Counter-tests of a file whose every changed test fails with the reference.
fn found(text: &str, entries: &[&str], expected: &[&str]) -> (Files, CounterTests) {
    let sources = files(&[("t.py", text)]);
    let all: Vec<_> = expected.iter().map(|id| (*id, FAILED)).collect();
    let (tests, _) = search(&sources, entries, expected, |_, _| seen(&all));
    (sources, tests)
}

const THREE: &str = "import x

def test_a():
    assert f(1) == 2

class TestB:
    def test_b(self):
        self.assertEqual(f(1), 3)

def test_c(want):
    assert f(1) == want
";

fn three() -> (Files, CounterTests) {
    found(
        THREE,
        &["t.py"],
        &["t.py::test_a", "t.py::TestB::test_b", "t.py::test_c"],
    )
}

/// The variant that changes the functions of these names.
fn variant(tests: &CounterTests, names: &[&str]) -> Variant {
    let changed = tests
        .functions()
        .iter()
        .map(|function| names.contains(&function.function.as_str()));
    serde_json::from_value(changed.collect::<Vec<bool>>().into()).unwrap()
}

#[test]
fn each_function_changes_on_its_own_and_the_lines_stay() {
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
        let texts = tests.files(&variant(&tests, &names), &sources).unwrap();
        let [(path, text)] = texts.as_slice() else {
            panic!("{texts:?}")
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
fn a_variant_without_changes_has_the_files_as_written() {
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
fn the_probability_of_a_guess_halves_with_each_function() {
    let (_, mut tests) = three();
    assert!((tests.guess_probability() - 0.125).abs() < 1e-9);
    tests.set_dependent();
    assert!((tests.guess_probability() - 0.5).abs() < 1e-9);
    assert!((CounterTests::default().guess_probability() - 1.0).abs() < 1e-9);
}

#[test]
fn an_outcome_is_as_expected_failed_tampered_or_inconclusive() {
    let (_, tests) = three();
    let expected = owned(&[
        "t.py::test_a",
        "t.py::TestB::test_b",
        "t.py::test_c",
        "t.py::test_d",
    ]);
    let changed = variant(&tests, &["test_a", "TestB::test_b"]);
    let check = |a, b, c| {
        let mut shown = seen(&[("t.py::test_c", c), ("t.py::test_d", Observed::Passed)]);
        shown.outcomes.extend([("t.py::test_a".to_owned(), a)]);
        shown
            .outcomes
            .extend([("t.py::TestB::test_b".to_owned(), b)]);
        tests.check(&changed, &expected, &shown.outcomes)
    };
    let (passed, other) = (Observed::Passed, Observed::Other);
    assert_eq!(check(FAILED, FAILED, passed), VariantOutcome::AsExpected);
    let failed = VariantOutcome::Failed(owned(&["t.py::test_c"]));
    assert_eq!(
        (check(passed, FAILED, FAILED), check(FAILED, other, other)),
        (failed.clone(), failed)
    );
    let tampered = VariantOutcome::Tampered("t.py::test_a".to_owned());
    assert_eq!(check(passed, other, passed), tampered);
    let unclear = VariantOutcome::Inconclusive(owned(&["t.py::TestB::test_b"]));
    assert_eq!(check(FAILED, other, passed), unclear);
    let silent = tests.check(&tests.none(), &expected, &HashMap::new());
    assert_eq!(silent, VariantOutcome::Failed(expected));
}

#[test]
fn functions_that_do_not_fail_beside_others_are_dropped() {
    let (_, mut tests) = three();
    let changed = variant(&tests, &["test_a", "test_c"]);
    let reference = seen(&[("t.py::test_a", FAILED), ("t.py::test_c", Observed::Passed)]);
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
fn counter_tests_are_stored_and_read_back() {
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
fn an_assertion_about_the_target_needs_one_run() {
    let sources = files(&[("t.py", "def test():\n    assert f(1) == 2\n")]);
    let all = seen(&[("t.py::test", FAILED)]);
    let (tests, bodies) = search(&sources, &["t.py"], &["t.py::test"], |_, _| all.clone());
    assert_eq!((tests.count(), bodies), (1, vec![Body::Reference]));
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
fn a_changed_parameter_fails_by_the_id_that_it_gives_the_test() {
    let sources = files(&[("t.py", PARAMETERS)]);
    let ids = ["t.py::test[1-2]", "t.py::test[3-4]"];
    let run = |body, text: Option<&str>| {
        let reference = if body == Body::Reference {
            Observed::Passed
        } else {
            FAILED
        };
        let Some(text) = text else {
            return seen(&ids.map(|id| (id, reference)));
        };
        let set = |before: &str| {
            let value = text
                .split_once(before)
                .unwrap()
                .1
                .split(')')
                .next()
                .unwrap();
            format!("t.py::test[{before}-{value}]").replace(", ", "")
        };
        let changed = ["1, ", "3, "].map(set).map(|id| id.replace("--", "-"));
        let of = |id: &String| {
            if ids.contains(&id.as_str()) {
                reference
            } else {
                FAILED
            }
        };
        let outcomes: Vec<_> = changed.iter().map(|id| (id.as_str(), of(id))).collect();
        seen(&outcomes)
    };
    let (tests, _) = search(&sources, &["t.py"], &ids, run);
    let [function] = tests.functions() else {
        panic!("{tests:?}")
    };
    assert_eq!((function.passing.len(), function.failing.len()), (2, 1));
    assert!(!ids.contains(&function.failing[0].as_str()), "{function:?}");
    let (_, named) = found(PARAMETERS, &["t.py::test[1-2]"], &["t.py::test[1-2]"]);
    assert!(
        named.functions()[0].description.contains("want = (want, "),
        "{named:?}"
    );
}

#[test]
fn a_parameter_that_hides_its_file_is_left_alone() {
    let text = format!("{PARAMETERS}\ndef test_b():\n    assert f(1) == 2\n");
    let sources = files(&[("t.py", &text)]);
    let ids = ["t.py::test[1-2]", "t.py::test[3-4]", "t.py::test_b"];
    let run = |_, text: Option<&str>| match text {
        Some(text) if !text.contains("[(1, 2), (3, 4)]") => Observations::default(),
        _ => seen(&ids.map(|id| (id, FAILED))),
    };
    let (tests, bodies) = search(&sources, &["t.py"], &ids, run);
    assert_eq!(tests.count(), 2);
    assert!(bodies.len() <= 3, "{bodies:?}");
}

const INDIRECT: &str = "def test():
    assert g() == 5
    run()
    assert h() == 6
";

#[test]
fn a_form_that_fails_before_the_target_is_called_gives_way_to_another() {
    let sources = files(&[("t.py", INDIRECT)]);
    let stub = Observed::Failed(Cause::Stub);
    let run = |body, text: Option<&str>| {
        let first_changed = text.is_some_and(|text| !text.contains("assert g() == 5"));
        let outcome = match body {
            Body::Stub if !first_changed => stub,
            _ => FAILED,
        };
        seen(&[("t.py::test", outcome)])
    };
    let (tests, _) = search(&sources, &["t.py"], &["t.py::test"], run);
    assert!(
        tests.functions()[0].description.starts_with("t.py:4: "),
        "{tests:?}"
    );
}

#[test]
fn a_form_that_the_probe_fails_gives_way_to_another() {
    let sources = files(&[("t.py", INDIRECT)]);
    let run = |body, text: Option<&str>| {
        let first_changed = text.is_some_and(|text| !text.contains("assert g() == 5"));
        let outcome = match (body, text) {
            (Body::Probe, None) => Observed::Passed,
            (Body::Probe, _) if !first_changed => Observed::Passed,
            _ => FAILED,
        };
        seen(&[("t.py::test", outcome)])
    };
    let (tests, bodies) = search(&sources, &["t.py"], &["t.py::test"], run);
    assert!(
        tests.functions()[0].description.starts_with("t.py:4: "),
        "{tests:?}"
    );
    assert!(bodies.contains(&Body::Probe));
}

#[test]
fn an_error_on_the_way_to_an_assertion_is_not_its_failure() {
    let sources = files(&[("t.py", "def test():\n    assert f() == load('a')\n")]);
    let run = |_, text: Option<&str>| {
        let is_path = text.is_some_and(|text| !text.contains("load('a')"));
        let cause = if is_path {
            Cause::Error
        } else {
            Cause::Assertion
        };
        seen(&[("t.py::test", Observed::Failed(cause))])
    };
    let (tests, _) = search(&sources, &["t.py"], &["t.py::test"], run);
    assert!(
        tests.functions()[0].description.contains("(load('a'), "),
        "{tests:?}"
    );
}

#[test]
fn tests_that_assert_nothing_are_changed_in_the_code_that_they_share() {
    let test = "from base import Base\n\nclass TestA(Base):\n    def test_a(self):\n        self.check(1)\n    def test_b(self):\n        self.check(2)\n";
    let base = "class Base:\n    def check(self, x):\n        assert f(x) == 5\n";
    let sources = files(&[("a/t.py", test), ("a/base.py", base)]);
    let ids = ["a/t.py::TestA::test_a", "a/t.py::TestA::test_b"];
    let run = |_, _: Option<&str>| seen(&ids.map(|id| (id, FAILED)));
    let (tests, _) = search(&sources, &["a/t.py"], &ids, run);
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
