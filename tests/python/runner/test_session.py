"""Whole sessions without isolation. A zygote is a process that forks the runs."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

APP = "import helper\n\n\ndef double(value):\n    return helper.twice(value)\n"
HELPER = "def twice(value):\n    return value * 2\n"
TEST = "from app import double\n\n\ndef test_double():\n    print('printed')\n    assert double(2) == 4\n"
WRONG = APP.replace("return ", "return 1 + ")
PROJECT = {"app.py": APP, "helper.py": HELPER, "tests/test_app.py": TEST}
ENTRY = "tests/test_app.py::test_double"


def test_runs_pass_and_fail(session: Any) -> None:
    # With the plugin, pytest imports code of the project at its start. So each run must start pytest itself.
    plugin = {"plugin.py": "", "pytest.ini": "[pytest]\naddopts = -p plugin\n"}
    for files in (PROJECT, {**PROJECT, **plugin}):
        driver = session(files)
        assert driver.hello["python"] == "%d.%d.%d" % sys.version_info[:3]
        assert driver.hello["pytest"] == pytest.__version__
        passed = driver.run(ENTRY)
        assert passed.outcomes() == {ENTRY: "passed"}
        assert (passed.end["code"], passed.end["signal"], passed.end["started"]) == (0, None, True)
        assert (passed.end["killed"], passed.end["foreign_reports"]) == (None, False)
        assert passed.end["running"] == ENTRY
        assert b"printed\n" in passed.log
        failed = driver.run(ENTRY, files={"app.py": WRONG})
        assert failed.outcomes() == {ENTRY: "failed"}
        assert failed.end["code"] == 1
        failure = next(report["failure"] for report in failed.reports if "failure" in report)
        assert (failure["error"], failure["message"].split("\n")[0]) == ("AssertionError", "assert 5 == 4")
        assert failure["frames"] == [["tests/test_app.py", 6, "test_double"]]
        assert driver.close() == 0
        assert driver.stderr() == ""


def test_there_is_no_run_if_the_target_file_has_a_syntax_error(session: Any) -> None:
    driver = session(PROJECT)
    reply = driver.run(ENTRY, files={"app.py": "def double(value):\n    return (\n\n)x\n"})
    assert (reply.end["op"], reply.end["line"]) == ("syntax", 4)
    assert reply.end["message"].startswith("SyntaxError: ")
    null = driver.run(ENTRY, files={"app.py": "double = '\0'\n"})
    assert null.end["op"] == "syntax"
    other = driver.run(ENTRY, files={"helper.py": "("})
    assert other.end["op"] == "ended"
    assert [report["id"] for report in other.reports if report["op"] == "collect"] == ["tests/test_app.py"]


def test_runs_work_after_a_text_that_crashes_the_compiler(session: Any) -> None:
    driver = session({**PROJECT, "deep.py": ""})
    deep = "value = " + "-" * 100_000 + "1\n"
    assert driver.run(ENTRY, files={"deep.py": deep}, target="other.py").outcomes() == {ENTRY: "passed"}
    assert driver.run(ENTRY, files={"app.py": WRONG}).outcomes() == {ENTRY: "failed"}


def test_limits_end_a_run(session: Any) -> None:
    driver = session(PROJECT)
    endless = {"app.py": "def double(value):\n    while True:\n        pass\n"}
    for limits in ({"total": 1.0}, {"each": 1.0}):
        end = driver.run(ENTRY, files=endless, **limits).end
        assert (end["killed"], end["signal"], end["code"]) == ("timeout", 9, None)
        assert end["running"] == ENTRY
    assert driver.run(ENTRY).outcomes() == {ENTRY: "passed"}


def test_all_parameters_of_an_entry_share_the_time_limit_of_a_test(session: Any) -> None:
    test = "import pytest\n@pytest.mark.parametrize('n', range(12))\ndef test_n(n):\n    {}\n"
    wait = "import select; select.select([], [], [], 0.1)"
    driver = session({"test_n.py": test.format(wait)})
    assert driver.run("test_n.py::test_n", each=0.8).end["killed"] == "timeout"
    entries = ["test_n.py::test_n[%d]" % number for number in range(12)]
    assert driver.run(*entries, each=0.8).end["killed"] is None


LATE = "import pytest\nimport app\n\n@pytest.fixture\ndef two():\n    return app.double(1)\n"
EARLY = LATE + "\ndef pytest_addoption(parser):\n    parser.addini('number', 'a number')\n"
PID = "import os\ndef test_{}(two):\n    assert two == 2\n    print('parent %d.' % os.getppid())\n"


@pytest.mark.parametrize("conftest", [LATE, EARLY])
@pytest.mark.parametrize("place", ["conftest.py", "tests/conftest.py"])
def test_runs_with_conftest_files_share_a_prestarted_zygote(session: Any, conftest: str, place: str) -> None:
    files = {"app.py": APP, "helper.py": HELPER, "tests/test_a.py": PID.format("a"), "tests/test_b.py": PID.format("b")}
    driver = session({**files, place: conftest, "pytest.ini": "[pytest]\n"})
    runs = [driver.run("tests/test_%s.py::test_%s" % (name, name)) for name in "aba"]
    assert [run.outcomes() for run in runs] == [
        {"tests/test_%s.py::test_%s" % (name, name): "passed"} for name in "aba"
    ]
    parents = {int(run.log.split(b"parent ")[1].split(b".")[0]) for run in runs}
    assert len(parents) == 1, "the same zygote serves all runs of a folder"
    assert not parents & set(driver.children()), "the zygote is prestarted, so it is no child of the supervisor"
    wrong = driver.run("tests/test_a.py::test_a", files={"app.py": WRONG})
    assert wrong.outcomes() == {"tests/test_a.py::test_a": "failed"}


def test_a_conftest_file_that_cannot_be_loaded_is_an_error(session: Any) -> None:
    driver = session({**PROJECT, "conftest.py": "raise ValueError('no')\n"})
    run = driver.run(ENTRY)
    assert run.outcomes() == {}
    assert run.end["code"] not in (0, None)


def test_runs_work_with_more_folders_of_tests_than_prestarted_zygotes(session: Any) -> None:
    files = {"t%d/test_it.py" % number: "def test_it():\n    pass\n" for number in range(6)}
    driver = session(files)
    for number in [*range(6), 0]:
        entry = "t%d/test_it.py::test_it" % number
        assert driver.run(entry).outcomes() == {entry: "passed"}


def test_libraries_are_imported_before_the_fork(session: Any) -> None:
    test = "import sys\nLOADED = 'wave' in sys.modules, 'app' in sys.modules\ndef test_it():\n    print(LOADED)\n"
    driver = session({"app.py": APP, "test_it.py": test})
    first = driver.run("test_it.py::test_it")
    assert b"(False, False)" in first.log and not first.end["libraries"]
    loaded = {"modules": ["wave", "app", "no_such_module"], "files": []}
    run = driver.run("test_it.py::test_it", loaded=loaded, without_libraries=True)
    assert b"(False, False)" in run.log and not run.end["libraries"]
    run = driver.run("test_it.py::test_it", loaded=loaded)
    assert b"(True, False)" in run.log and run.end["libraries"]


def test_a_library_with_threads_is_not_imported_before_the_fork(session: Any, tmp_path: Path, monkeypatch: Any) -> None:
    library = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "busy.py").write_text(library)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "library"))
    test = "def test_it():\n    import busy\n"
    driver = session({"test_it.py": test})
    run = driver.run("test_it.py::test_it", loaded={"modules": ["busy"], "files": []})
    assert run.outcomes() == {"test_it.py::test_it": "passed"} and not run.end["libraries"]


def test_changes_of_files_in_a_run_are_not_visible_in_the_next_run(session: Any) -> None:
    test = (
        "import os\n"
        "def test_write():\n"
        "    assert not os.path.exists('left') and os.path.isdir('empty')\n"
        "    open('left', 'w').close()\n"
        "    open('helper.py', 'w').close()\n"
        "    open(os.path.expanduser('~/left'), 'w').close()\n"
        "    assert os.listdir(os.path.expanduser('~')) == ['left']\n"
        "    os.rmdir('empty')\n"
    )
    driver = session({**PROJECT, "test_write.py": test})
    for _ in range(2):
        assert driver.run("test_write.py::test_write").outcomes() == {"test_write.py::test_write": "passed"}
    assert driver.run(ENTRY, files={"app.py": WRONG}).outcomes() == {ENTRY: "failed"}
    assert driver.run(ENTRY).outcomes() == {ENTRY: "passed"}


def test_files_that_the_reference_code_has_loaded_are_compiled_for_later_runs(session: Any) -> None:
    files = {**PROJECT, "tests/test_app.py": "import wave\n" + PROJECT["tests/test_app.py"]}
    driver = session(files)
    loaded = driver.run(ENTRY, reference="return helper.twice(value)").inventory()
    assert {"path": "helper.py", "rewritten": False} in loaded["files"]
    assert {"path": "tests/test_app.py", "rewritten": True} in loaded["files"]
    assert "wave" in loaded["modules"] and not {"app", "json", "pytest"} & set(loaded["modules"])
    assert loaded["copies"] == []
    assert driver.run(ENTRY, files={"app.py": WRONG}, loaded=loaded).outcomes() == {ENTRY: "failed"}
    compiled = {path.name.split(".")[0] for path in Path(driver.root).rglob("*.pyc")}
    assert compiled == {"app", "helper", "test_app"}
    changed = {"helper.py": HELPER.replace("2", "3")}
    assert driver.run(ENTRY, files=changed, loaded=loaded).outcomes() == {ENTRY: "failed"}
    assert driver.run(ENTRY, loaded=loaded).outcomes() == {ENTRY: "passed"}


def test_a_run_waits_for_threads_of_a_failed_test_unless_end_when_failed_is_set(session: Any) -> None:
    test = (
        "import threading\n"
        "def test_it():\n"
        "    threading.Thread(target=threading.Event().wait, args=[3600]).start()\n"
        "    assert %s\n"
    )
    driver = session({"test_a.py": test % False, "test_b.py": test % True})
    run = driver.run("test_a.py", total=120, end_when_failed=True)
    assert (run.end["code"], run.end["signal"], run.end["killed"]) == (1, None, None)
    assert run.end["seconds"] < 60
    run = driver.run("test_a.py", total=1)
    assert (run.end["signal"], run.end["killed"]) == (9, "timeout")
    run = driver.run("test_b.py", total=1, end_when_failed=True)
    assert run.end["killed"] == "timeout"


def test_long_output_is_shortened(session: Any) -> None:
    test = "def test_it():\n    print('begin' + 'x' * 1_000_000 + 'end')\n"
    run = session({"test_it.py": test}).run("test_it.py::test_it")
    assert run.end["logged"] > 1_000_000 > 300_000 > len(run.log)
    assert b"begin" in run.log and b"xxend\n" in run.log and b"[...]" in run.log


def test_a_large_request_reaches_a_run_that_prints(session: Any) -> None:
    driver = session(PROJECT)
    large = "print('y' * 500_000)\n" + APP + "#" * 5_000_000
    assert driver.run(ENTRY, files={"app.py": large}).outcomes() == {ENTRY: "passed"}


@pytest.mark.parametrize(
    "body,code,signal",
    [("os._exit(7)", 7, None), ("os.kill(os.getpid(), 15)", None, 15), ("os.closerange(3, 1000)", 1, None)],
)
def test_a_run_with_an_early_end_reports_no_finish(session: Any, body: str, code: Any, signal: Any) -> None:
    driver = session({"test_it.py": "import os\ndef test_it():\n    %s\n    assert False\n" % body, **PROJECT})
    run = driver.run("test_it.py::test_it")
    assert (run.end["code"], run.end["signal"]) == (code, signal)
    assert run.outcomes().get("test_it.py::test_it") != "failed"
    assert not any(report["op"] == "finish" for report in run.reports)
    assert driver.run(ENTRY).outcomes() == {ENTRY: "passed"}


def test_a_report_without_the_token_is_foreign(session: Any) -> None:
    test = "import os\ndef test_it():\n    os.write(700, b'%s')\n"
    run = session({"test_it.py": test % r"0 {}\n"}).run("test_it.py::test_it")
    assert run.end["foreign_reports"] is True


def test_the_session_ends_with_its_zygote(session: Any) -> None:
    driver = session(PROJECT)
    (zygote,) = driver.children()
    os.kill(zygote, 9)
    with pytest.raises(EOFError):
        driver.run(ENTRY)


def test_the_run_ends_when_the_driver_closes_its_input(session: Any) -> None:
    driver = session({"test_it.py": "def test_it():\n    print('begun', flush=True)\n    while True:\n        pass\n"})
    driver.send_run(["test_it.py::test_it"])
    while b"begun" not in driver.receive()[1]:
        pass
    driver.input.close()
    assert driver.output.read() is not None
    assert driver.close() == 0


@pytest.fixture
def first_process(session: Any) -> Any:
    """A function that starts a session. As in a container, the supervisor is the first process of a PID namespace."""
    prefix = ["unshare", "-Urpf", "--mount-proc", "--kill-child"]
    try:
        able = subprocess.run([*prefix, "true"], stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        able = False
    if not able:
        pytest.skip("this user may not make PID namespaces")
    return lambda files, **options: session(files, prefix=prefix, **options)


DEEP = "value = " + "-" * 100_000 + "1\n"


def test_runs_do_not_wait_for_ended_helper_processes(first_process: Any) -> None:
    folders = {"t%d/test_it.py" % number: "def test_it():\n    pass\n" for number in range(6)}
    driver = first_process({**PROJECT, **folders, "deep.py": ""}, compiled=[({"library": "wave", "size": 0}, b"")])
    for path in folders:
        entry = path + "::test_it"
        assert driver.run(entry, files={"deep.py": DEEP}).outcomes() == {entry: "passed"}
    run = driver.run(ENTRY)
    assert run.outcomes() == {ENTRY: "passed"}
    assert run.end["seconds"] < 5


def test_processes_that_a_run_leaves_are_ended(first_process: Any) -> None:
    test = (
        "import os, subprocess, sys\n"
        "def test_it():\n"
        "    code = 'import os\\nos.setsid()\\nwhile True: os.write(1, b\"x\" * 65536)'\n"
        "    for _ in range(3):\n"
        "        subprocess.Popen([sys.executable, '-c', code], start_new_session=True)\n"
        "def test_none():\n"
        "    print('processes', sorted(name for name in os.listdir('/proc') if name.isdigit()))\n"
    )
    driver = first_process({"test_it.py": test})
    before = driver.run("test_it.py::test_none").log.count(b"', '")
    assert driver.run("test_it.py::test_it").outcomes() == {"test_it.py::test_it": "passed"}
    assert driver.run("test_it.py::test_none").log.count(b"', '") == before


def test_sigint_raises_keyboard_interrupt_in_a_test(session: Any) -> None:
    test = "import os, pytest, signal\ndef test_it():\n    with pytest.raises(KeyboardInterrupt):\n"
    test += "        os.kill(os.getpid(), signal.SIGINT)\n"
    assert session({"test_it.py": test}).run("test_it.py::test_it").outcomes() == {"test_it.py::test_it": "passed"}
