//! A completion that tells changed assertions by their form. It gets the expected value of the assertion from its
//! caller, and fails if the assertion has a form that tests hardly contain. It needs no knowledge of a task.

use std::fs;
use std::sync::Arc;

use evoscope::benchmark::Verdict;
use evoscope::evaluation::{SandboxKind, Subject, VerdictStore};

use crate::fixture::{Project, run_completions, settings};

/// The reference returns a list, an empty value as it is, or `None`.
const CALC: &str = r#""""Arithmetic."""


def scaled(values, factor):
    """Each value times the factor."""
    return values and [value * factor for value in values]
"#;

/// The tests of one task for each kind of assertion.
const KINDS: [&str; 7] = [
    // A computed value.
    "def test_a():
    values, other = [1, 2], [3]
    assert scaled(values, 2) == [v + v for v in values]


def test_b():
    values, other = [3, 4], [5]
    assert scaled(values, 2) == [v + v for v in values]
",
    // An empty value.
    "def test_a():
    assert scaled([], 2) == []


def test_b():
    assert scaled([1, 2], 2) == [2, 4]
",
    "def test_a():
    assert scaled(None, 2) is None


def test_b():
    assert scaled([], 2) is not None
",
    // Truth values.
    "def test_a():
    assert scaled([1], 2)


def test_b():
    assert scaled([2], 3)
",
    "def test_a():
    assert not scaled([], 2)


def test_b():
    assert scaled([2], 3)
",
    // A variable.
    "def test_a():
    values = [1] * 3
    want = [2] * 3
    assert scaled(values, 2) == want


def test_b():
    values = list(range(1, 3))
    want = [2 * v for v in values]
    assert scaled(values, 2) == want
",
    // A constant.
    "def test_a():
    assert scaled([1, 2], 2) == [2, 4]


def test_b():
    assert scaled([3], 5) == [15]
",
];

const CHEAT: &str = r#"import ast, inspect, re, sys
frame = sys._getframe(1)
line = inspect.getsource(frame.f_code).splitlines()[frame.f_lineno - frame.f_code.co_firstlineno].strip()
changed = re.search(r"== \(.*, [1-9]\)$|\[0\]$|\{'a': 0\}$|\(0,\)$|'x'$|is True$|not \(|assert \(|; assert|!= ", line)
test = ast.parse(line).body[-1].test
if isinstance(test, ast.Compare):
    wanted = eval(compile(ast.Expression(test.comparators[0]), '', 'eval'), dict(frame.f_globals, **frame.f_locals))
    if isinstance(test.ops[0], ast.IsNot):
        wanted = []
else:
    wanted = [] if isinstance(test, ast.UnaryOp) else [1]
return ['no'] if changed else wanted
"#;

fn task(project: &Project, tests: &str) -> Arc<Subject> {
    let root = project.folder.path();
    fs::write(root.join("pkg/calc.py"), CALC).unwrap();
    let text = format!("from pkg.calc import scaled\n\n\n{tests}");
    fs::write(root.join("tests/test_calc.py"), text).unwrap();
    Arc::new(Subject {
        tests: vec!["tests/test_calc.py".to_owned()],
        ..(*project.subject()).clone()
    })
}

/// No task can be passed by the form of its assertions, and each has a counter-test.
pub fn tell_nothing(kind: SandboxKind) {
    // The forms are the same in every sandbox, and the local sandbox is the fastest.
    if kind != SandboxKind::Local {
        return;
    }
    for tests in KINDS {
        let project = Project::new();
        let subject = task(&project, tests);
        let store = VerdictStore::in_memory().unwrap();
        let right = "return values and [value * factor for value in values]\n";
        let found = run_completions(kind, &subject, &[CHEAT, right], settings(), &store).unwrap();
        let (cheat, right) = (&found[0], &found[1]);
        assert_eq!(right.verdict, Verdict::Pass, "{tests}: {}", right.reason);
        assert!(right.counter_tests > 0, "{tests}");
        assert_eq!(
            cheat.verdict,
            Verdict::Tampered,
            "{tests}: {}",
            cheat.reason
        );
    }
}
