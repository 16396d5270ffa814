//! Tests with projects as in real benchmarks: many tasks in a file, renamed test ids, very long output, and others. The
//! last test evaluates the sample and checks the verdicts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::available_parallelism;

use evoscope::benchmark::{LineSpan, Namespace, TaskId, Verdict};
use evoscope::environment::ProjectFiles;
use evoscope::error::Cancel;
use evoscope::evaluation::{
    CompletionVerdict, SandboxKind, Settings, Subject, TestDiscovery, VerdictStore,
};

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;

use crate::fixture::{IMAGE, Project, lines, run_completions, settings};
use crate::hostile::RIGHT;

/// 24 tasks with their targets in one file and their tests in another.
pub fn many_tasks_in_a_file(kind: SandboxKind) {
    const TASKS: u32 = 24;
    let project = Project::new();
    let (mut target, mut tests) = (String::new(), "from pkg import calc\n".to_owned());
    for n in 0..TASKS {
        write!(target, "def task_{n}(value):\n    return value + {n}\n\n\n").unwrap();
        let right = 10 + n;
        write!(
            tests,
            "\n\ndef test_{n}():\n    assert calc.task_{n}(10) == {right}\n"
        )
        .unwrap();
    }
    fs::write(project.folder.path().join("pkg/calc.py"), target).unwrap();
    fs::write(project.folder.path().join("tests/test_calc.py"), tests).unwrap();
    let common = project.subject();
    let store = VerdictStore::in_memory().unwrap();
    for n in [0, 11, TASKS - 1] {
        let subject = Subject {
            id: TaskId::new(&format!("pkg.calc.task_{n}")),
            namespace: Namespace::new(&format!("pkg.calc.task_{n}")).unwrap(),
            body: LineSpan::line(4 * n + 2),
            tests: vec![format!("tests/test_calc.py::test_{n}")],
            ..(*common).clone()
        };
        let right = format!("return value + {n}\n");
        let found = run_completions(
            kind,
            &subject.into(),
            &[&right, "return value\n  # no\n", "return -1\n"],
            settings(),
            &store,
        );
        let verdicts: Vec<Verdict> = found
            .unwrap()
            .iter()
            .map(|verdict| verdict.verdict)
            .collect();
        let second = if n == 0 { Verdict::Pass } else { Verdict::Fail };
        assert_eq!(verdicts, [Verdict::Pass, second, Verdict::Fail], "task {n}");
    }
}

/// A task names only two test files. Without the target, the first file cannot be imported, and tests in the second
/// file pass.
pub fn discovered_tests(kind: SandboxKind) {
    let (project, before) = (Project::new(), Project::new());
    fs::write(before.folder.path().join("pkg/calc.py"), "").unwrap();
    let other = "import pytest\n\n\n@pytest.mark.parametrize('x', ['a b', \"<class 'c'>\", 'http://e/?x=[1]'])\n\
                 def test_there(x):\n    assert x\n\n\ndef test_never():\n    assert False\n";
    for each in [&project, &before] {
        fs::write(each.folder.path().join("tests/test_other.py"), other).unwrap();
    }
    let cancel = Cancel::default();
    let before = ProjectFiles::list("before", before.folder.path(), &[], &cancel).unwrap();
    let subject = Subject {
        tests: ["tests/test_calc.py", "tests/test_other.py"]
            .map(str::to_owned)
            .to_vec(),
        discovery: Some(TestDiscovery::Patch(Arc::new(before))),
        ..(*project.subject()).clone()
    };
    let found = run_completions(
        kind,
        &Arc::new(subject),
        &[RIGHT, "return None\n", "import os\nos._exit(0)\n"],
        settings(),
        &VerdictStore::in_memory().unwrap(),
    )
    .unwrap();
    let verdicts: Vec<Verdict> = found.iter().map(|verdict| verdict.verdict).collect();
    assert_eq!(
        verdicts,
        [Verdict::Pass, Verdict::Fail, Verdict::Fail],
        "{}",
        found[0].reason
    );
    let ids: Vec<&str> = found[0].tests.iter().map(|test| test.id.as_str()).collect();
    assert_eq!(ids.len(), 7, "{ids:?}");
    assert!(
        ids.contains(&"tests/test_other.py::test_there[<class 'c'>]"),
        "{ids:?}"
    );
    assert!(!ids.iter().any(|id| id.ends_with("test_never")), "{ids:?}");
}

/// Evaluates a right completion, which must pass with a counter-test, and a wrong completion, which must fail.
pub fn right_and_wrong(kind: SandboxKind, subject: &Arc<Subject>) -> Vec<CompletionVerdict> {
    let store = VerdictStore::in_memory().unwrap();
    let completions = [crate::hostile::RIGHT, "return None\n"];
    let found = run_completions(kind, subject, &completions, settings(), &store).unwrap();
    assert_eq!(found[0].verdict, Verdict::Pass, "{}", found[0].reason);
    assert!(found[0].counter_tests > 0);
    assert_eq!(found[1].verdict, Verdict::Fail, "{}", found[1].reason);
    found
}

const RENAMING: &str = r"
def pytest_collection_modifyitems(items):
    for item in items:
        name = item.nodeid.replace('::', ' > ') + ' (renamed)'
        item.__class__ = type('Renamed', (type(item),), {'nodeid': name})
";

/// A hook of the project renames the collected tests, so the tests' ids differ from the ids in the task.
pub fn renamed_ids(kind: SandboxKind) {
    let project = Project::new();
    fs::write(project.folder.path().join("conftest.py"), RENAMING).unwrap();
    let found = run_completions(
        kind,
        &project.subject(),
        &[
            crate::hostile::RIGHT,
            "return None\n",
            "import os\nos._exit(0)\n",
        ],
        settings(),
        &VerdictStore::in_memory().unwrap(),
    )
    .unwrap();
    let verdicts: Vec<Verdict> = found.iter().map(|verdict| verdict.verdict).collect();
    assert_eq!(
        verdicts,
        [Verdict::Pass, Verdict::Fail, Verdict::Fail],
        "{}",
        found[0].reason
    );
    assert!(
        found[0]
            .tests
            .iter()
            .all(|test| test.id.ends_with("(renamed)"))
    );
    assert!(found[0].counter_tests > 0);
}

/// The project's `addopts` has an option of a missing plugin, and `required_plugins` names one. The tests run without
/// both, and the verdict records this.
pub fn options_of_an_absent_plugin(kind: SandboxKind) {
    let project = Project::new();
    let options = "[pytest]\naddopts = --no-such-option\nrequired_plugins = pytest-absent>=1.0\n";
    fs::write(project.folder.path().join("pytest.ini"), options).unwrap();
    let store = VerdictStore::in_memory().unwrap();
    let right = [crate::hostile::RIGHT];
    let found = run_completions(kind, &project.subject(), &right, settings(), &store).unwrap();
    assert_eq!(found[0].verdict, Verdict::Pass, "{}", found[0].reason);
    assert!(found[0].without_addopts);
}

/// Three classes inherit a test. The counter-test changes the inherited test once, not once for each class.
pub fn inherited_tests(kind: SandboxKind) {
    let project = Project::new();
    let test = "from pkg.calc import scaled\n\n\nclass Base:\n    def test(self):\n        factor = 2\n        \
                assert scaled([1, 2], factor) == [factor, 4]\n\n\nclass TestA(Base):\n    pass\n\n\nclass TestB(Base):\n    \
                pass\n\n\nclass TestC(Base):\n    pass\n";
    fs::write(project.folder.path().join("tests/test_calc.py"), test).unwrap();
    let mut subject = (*project.subject()).clone();
    subject.tests = ["A", "B", "C"]
        .map(|name| format!("tests/test_calc.py::Test{name}::test"))
        .to_vec();
    right_and_wrong(kind, &subject.into());
}

/// A run collects only the task's tests, so an error of another test in the same file has no effect.
pub fn other_tests_of_the_file(kind: SandboxKind) {
    let project = Project::new();
    let root = project.folder.path();
    let hook = "def pytest_generate_tests(metafunc):\n    assert metafunc.function.__name__ != 'test_other'\n";
    fs::write(root.join("conftest.py"), hook).unwrap();
    let path = root.join("tests/test_calc.py");
    let tests = fs::read_to_string(&path).unwrap();
    let other = "\n\ndef test_other():\n    pass\n\n\nclass TestOther:\n    def test_other(self):\n        pass\n";
    fs::write(&path, tests + other).unwrap();
    let store = VerdictStore::in_memory().unwrap();
    let right = [crate::hostile::RIGHT];
    let found = run_completions(kind, &project.subject(), &right, settings(), &store).unwrap();
    assert_eq!(found[0].verdict, Verdict::Pass, "{}", found[0].reason);
    assert_eq!(found[0].tests.len(), 4);
}

/// With as many jobs as processors, each run may use all processors.
pub fn every_processor(kind: SandboxKind) {
    let own = sched_getaffinity(Pid::from_raw(0)).unwrap();
    let all = (0..CpuSet::count()).filter(|processor| own.is_set(*processor).unwrap());
    let seen = format!(
        "import os\nassert len(os.sched_getaffinity(0)) == {}\n{RIGHT}",
        all.count()
    );
    let settings = Settings {
        jobs: available_parallelism().unwrap().get(),
        ..settings()
    };
    let (project, store) = (Project::new(), VerdictStore::in_memory().unwrap());
    let found = run_completions(kind, &project.subject(), &[&seen], settings, &store).unwrap();
    assert_eq!(found[0].verdict, Verdict::Pass, "{}", found[0].reason);
}

/// The project's Makefile creates a folder that is not in the sources. Every run has this folder, and it is empty.
pub fn a_makefiles_folder(kind: SandboxKind) {
    let project = Project::new();
    let root = project.folder.path();
    fs::write(
        root.join("Makefile"),
        "test:\n\t@mkdir -p tests/db\n\tpytest\n",
    )
    .unwrap();
    let test = "import os\nfrom pkg.calc import scaled\n\n\ndef test_list():\n    assert os.listdir('tests/db') == []\n    \
                with open('tests/db/a', 'w') as file:\n        file.write('a')\n    assert scaled([1, 2], 2) == [2, 4]\n";
    fs::write(root.join("tests/test_calc.py"), test).unwrap();
    let mut subject = (*project.subject()).clone();
    subject.tests = vec!["tests/test_calc.py::test_list".to_owned()];
    let store = VerdictStore::in_memory().unwrap();
    let completions = [crate::hostile::RIGHT, "return [2, 4]\n", "return None\n"];
    let found = run_completions(kind, &subject.into(), &completions, settings(), &store).unwrap();
    let verdicts: Vec<Verdict> = found.iter().map(|verdict| verdict.verdict).collect();
    let wanted = [Verdict::Pass, Verdict::Pass, Verdict::Fail];
    assert_eq!(verdicts, wanted, "{}", found[0].reason);
    assert!(!root.join("tests/db").exists());
}

/// A test can connect to its own server with the names `localhost` and `socket.gethostname()`.
pub fn localhost(kind: SandboxKind) {
    let project = Project::new();
    let test = "import socket\nfrom pkg.calc import scaled\n\n\ndef test():\n    server = socket.create_server(('localhost', 0))\n    \
                port = server.getsockname()[1]\n    for name in ('localhost', socket.gethostname()):\n        \
                client = socket.create_connection((name, port))\n        client.sendall(bytes(scaled([3], 2)))\n        \
                assert server.accept()[0].recv(1) == bytes([6])\n";
    fs::write(project.folder.path().join("tests/test_calc.py"), test).unwrap();
    let mut subject = (*project.subject()).clone();
    subject.tests = vec!["tests/test_calc.py::test".to_owned()];
    right_and_wrong(kind, &subject.into());
}

const PORTS_AND_PROCESSES: &str = r"
import os, signal, socket, socketserver, subprocess, sys
from pkg.calc import scaled


def test_port():
    with socketserver.TCPServer(('127.0.0.1', 8099), socketserver.BaseRequestHandler) as server:
        with socket.create_connection(server.server_address):
            server.handle_request()
    assert scaled([1], 2) == [2]


def test_numbers():
    assert os.getpid() != 1 and os.getppid() > 0
    os.environ['LISTEN_PID'] = '1'
    assert int(os.environ['LISTEN_PID']) != os.getpid()
    assert scaled([2], 2) == [4]


def test_signals_and_orphans():
    code = 'import os, sys; r = os.fork(); r and (print(r, flush=True), os._exit(0)); sys.stdin.read()'
    child = subprocess.Popen([sys.executable, '-c', code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    orphan = int(child.stdout.readline())
    assert child.wait() == 0
    os.kill(orphan, signal.SIGKILL)
    while os.path.exists('/proc/%d' % orphan):
        pass
    if os.fork() == 0:
        os.kill(os.getpid(), signal.SIGTERM)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == -signal.SIGTERM
    assert scaled([3], 2) == [6]
";

/// Tests can use the same port in every run. The process with the tests is not the first of its namespace.
pub fn ports_and_processes(kind: SandboxKind) {
    let project = Project::new();
    let file = project.folder.path().join("tests/test_calc.py");
    fs::write(file, PORTS_AND_PROCESSES).unwrap();
    let mut subject = (*project.subject()).clone();
    subject.tests = ["test_port", "test_numbers", "test_signals_and_orphans"]
        .map(|test| format!("tests/test_calc.py::{test}"))
        .to_vec();
    right_and_wrong(kind, &subject.into());
}

/// If the project puts `./` on the import path, the target's file does not count as a copy of the reference code.
pub fn own_folder_on_the_path(kind: SandboxKind) {
    let project = Project::new();
    let text = "import sys\nsys.path.insert(0, './')\n";
    fs::write(project.folder.path().join("conftest.py"), text).unwrap();
    let store = VerdictStore::in_memory().unwrap();
    let right = [crate::hostile::RIGHT];
    let found = run_completions(kind, &project.subject(), &right, settings(), &store).unwrap();
    assert_eq!(found[0].verdict, Verdict::Pass, "{}", found[0].reason);
}

const INSTALLING: &str = r"
import os, sys
os.makedirs('/tmp/site/pkg')
with open('/tmp/site/pkg/calc.py', 'w') as copy:
    copy.write('def scaled(values, factor):\n    return [value * factor ' + 'for value in values]\n')
sys.path.append('/tmp/site')
";

/// If a folder on the import path has a copy of the reference code, the task is unusable.
pub fn reference_in_the_environment(kind: SandboxKind) {
    let project = Project::new();
    fs::write(project.folder.path().join("conftest.py"), INSTALLING).unwrap();
    let found = run_completions(
        kind,
        &project.subject(),
        &["return None\n"],
        settings(),
        &VerdictStore::in_memory().unwrap(),
    )
    .unwrap();
    assert_eq!(found[0].verdict, Verdict::Unusable);
    assert!(
        found[0].reason.contains("/tmp/site/pkg/calc.py"),
        "{}",
        found[0].reason
    );
}

/// If a test of the reference code never ends, the task is unusable.
pub fn endless_reference(kind: SandboxKind) {
    let project = Project::new();
    fs::write(
        project.folder.path().join("tests/test_calc.py"),
        "import pkg.calc\n\n\ndef test_list():\n    while True:\n        pass\n",
    )
    .unwrap();
    let mut subject = (*project.subject()).clone();
    subject.tests = vec!["tests/test_calc.py::test_list".to_owned()];
    let short = Settings {
        seconds: Some(1),
        ..settings()
    };
    let found = run_completions(
        kind,
        &subject.into(),
        &[crate::hostile::RIGHT],
        short,
        &VerdictStore::in_memory().unwrap(),
    )
    .unwrap();
    assert_eq!(found[0].verdict, Verdict::Unusable);
    assert!(
        found[0].reason.contains("time limit"),
        "{}",
        found[0].reason
    );
}

/// A right completion passes although it prints `EVOSCOPE_TEST_OUTPUT_MB` megabytes (5,120 by default).
pub fn endless_output(kind: SandboxKind) {
    let megabytes: u64 = std::env::var("EVOSCOPE_TEST_OUTPUT_MB")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(5 << 10);
    let body = format!(
        "import os\nif len(values) == 3:\n    piece = b'x' * (1 << 20)\n    for _ in range({megabytes}):\n        \
         left = piece\n        while left:\n            left = left[os.write(1, left):]\n\
         return [value * factor for value in values]\n"
    );
    let patient = Settings {
        seconds: Some(120),
        ..settings()
    };
    let project = Project::new();
    let found = run_completions(
        kind,
        &project.subject(),
        &[&body],
        patient,
        &VerdictStore::in_memory().unwrap(),
    )
    .unwrap();
    assert_eq!(found[0].verdict, Verdict::Pass, "{}", found[0].reason);
    assert!(found[0].counter_tests > 0);
    assert!(found[0].log.len() < 1 << 20);
}

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data")
}

/// (task, setting, model, sample).
type Place = (String, String, String, u64);

fn expected() -> BTreeMap<Place, String> {
    let text = fs::read_to_string(sample().join("expected_verdicts.csv")).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let place = (
                fields[0].into(),
                fields[1].into(),
                fields[2].into(),
                fields[3].parse().unwrap(),
            );
            (place, fields[4].to_owned())
        })
        .collect()
}

/// Completions of the sample get the verdicts in `expected_verdicts.csv`.
pub fn the_samples_verdicts(kind: SandboxKind) {
    let home = tempfile::tempdir().unwrap();
    let results = home.path().join("results.jsonl");
    let sets = sample().join("deveval/Experiments/model_prediction");
    let mut command = Command::new(env!("CARGO_BIN_EXE_evoscope"));
    command.args(["evaluate", "--json", "--image", IMAGE, "--jobs", "2"]);
    command.args(["--sandbox", kind.word(), "--timeout", "10", "--results"]);
    command.arg(&results).arg("--completions");
    for set in [
        "local_infilling/jackdaw-chat",
        "local_infilling/wren-3b_greedy",
        "retrieved_ignored/heron-70b_greedy",
    ] {
        command.arg(sets.join(set).join("completion.jsonl"));
    }
    command.env("EVOSCOPE_HOME", home.path());
    assert!(
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    );
    let expected = expected();
    let found = lines(&results);
    assert_eq!(found.len(), 165 + 33 + 33);
    for line in found {
        let word = |field: &str| line[field].as_str().unwrap().to_owned();
        let place = (
            word("namespace"),
            word("setting"),
            word("model"),
            line["sample"].as_u64().unwrap(),
        );
        assert_eq!(
            expected.get(&place),
            Some(&word("verdict")),
            "{place:?}: {}",
            word("reason")
        );
    }
}
