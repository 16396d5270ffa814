"""The judge: a pytest plugin that reports what each test did, over a pipe of its own.

It runs in the forked process, beside the completion. What it needs is bound before any code of the project is
imported, and every line it sends carries a token that exists nowhere but in its closure. Code that shares a process
can still take it apart; the counter-test is what catches that.
"""
import errno
import gc
import json
import os
import traceback

TEXT_LIMIT = 12000


def _brief(text, limit=TEXT_LIMIT):
    text = text if isinstance(text, str) else str(text)
    if len(text) <= limit:
        return text
    half = limit // 2
    return text[:half] + "\n[...]\n" + text[-half:]


def _limit_reached(value):
    """Which limit an exception speaks of, if any."""
    seen = 0
    while value is not None and seen < 10:
        if isinstance(value, MemoryError):
            return "memory"
        if isinstance(value, OSError):
            if value.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                return "disk"
            if value.errno == errno.ENOMEM:
                return "memory"
            if value.errno == errno.EAGAIN and not isinstance(value, ConnectionError) and value.filename is None:
                return "processes"
        if isinstance(value, RuntimeError) and "can't start new thread" in str(value):
            return "processes"
        value = value.__cause__ or value.__context__
        seen += 1
    return None


def is_pytests(path):
    return "/_pytest/" in path or "/pluggy/" in path


def names_asked(tests, node):
    """The names of which a module or a class is asked for tests; None where it may be asked for any. pytest would make
    all of them, and then look which were asked for."""
    file, *classes = node.split("::")
    names = set()
    for test in tests:
        asked, *parts = test.split("::")
        if os.path.basename(asked) == os.path.basename(file) and parts[:len(classes)] == classes[:len(parts)]:
            if len(parts) <= len(classes):
                return None
            names.add(parts[len(classes)].split("[")[0])
    return names or None


def stay_in_process(option):
    """Has pytest-xdist leave the tests to this process, where a project asks it to share them out or to go on for ever."""
    if hasattr(option, "numprocesses"):
        option.numprocesses, option.dist, option.distload, option.tx, option.looponfail = 0, "no", False, [], False


def measure_nothing(option):
    """Has pytest-cov stand aside, where a project asks for it: it slows tests, and counts what few of them cover as a
    failure."""
    if hasattr(option, "no_cov"):
        option.no_cov = True


def make_judge(pytest, descriptor, checkpoint, begins):
    """The plugin, its way to report, and what makes it genuine. `descriptor` is the pipe to the warden, `checkpoint`
    is told of the places where a run may begin, `begins` of each test that is called; before it is armed, the plugin reports
    nothing."""
    write, dumps, format_exception = os.write, json.dumps, traceback.format_exception
    root = os.getcwd()
    token = None
    tests, names = (), {}
    held = b""

    def arm(given, asked):
        nonlocal token, tests
        token, tests = given, asked

    def hold(message):
        """Keeps a message that changes no outcome until the next one is sent."""
        nonlocal held
        if token is not None:
            held += (token + " " + dumps(message) + "\n").encode("utf-8", "backslashreplace")

    def send(message):
        nonlocal held
        if token is None:
            return
        line = token + " " + dumps(message) + "\n"
        data, held = held + line.encode("utf-8", "backslashreplace"), b""
        while data:
            data = data[write(descriptor, data):]

    def frames(excinfo):
        found = []
        entry = excinfo.tb
        while entry is not None:
            code, line, entry = entry.tb_frame.f_code, entry.tb_lineno, entry.tb_next
            path = code.co_filename
            if is_pytests(path):
                continue
            if path.startswith(root + os.sep):
                path = path[len(root) + 1:]
            found.append([path, line, code.co_name])
        return found[-40:]

    def rendered(excinfo):
        """The traceback as Python prints it, from where pytest has called the project's code."""
        entry = excinfo.tb
        while entry is not None and is_pytests(entry.tb_frame.f_code.co_filename):
            entry = entry.tb_next
        return "".join(format_exception(excinfo.type, excinfo.value, entry))

    def describe(message, excinfo, report):
        try:
            value = excinfo.value
            message["error"] = excinfo.typename
            message["message"] = _brief(excinfo.exconly(tryshort=True), 2000)
            message["limit"] = _limit_reached(value)
            message["frames"] = frames(excinfo)
            message["text"] = _brief(rendered(excinfo))
        except Exception as why:  # a hostile exception may refuse to be described
            message.setdefault("error", type(why).__name__)

    class Judge(object):
        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_load_initial_conftests(self, early_config, parser, args):
            measure_nothing(early_config.known_args_namespace)
            checkpoint("initial", early_config, args)
            yield

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_cmdline_main(self, config):
            stay_in_process(config.option)
            yield

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_collection(self, session):
            checkpoint("collection", session.config, session.config.args)
            yield

        @pytest.hookimpl(tryfirst=True)
        def pytest_pycollect_makeitem(self, collector, name):
            node = collector.nodeid
            if node not in names:
                names[node] = names_asked(tests, node)
            if names[node] is not None and name not in names[node]:
                return []

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_makereport(self, item, call):
            result = yield
            report = result.get_result()
            excinfo = call.excinfo
            wasxfail = hasattr(report, "wasxfail")
            if excinfo is None and report.outcome == "passed" and not wasxfail:
                outcome = "passed"
            elif wasxfail:
                outcome = "xpassed" if report.outcome == "passed" else "xfailed"
            elif report.outcome == "skipped":
                outcome = "skipped"
            else:
                outcome = "failed"
            message = {"op": "test", "id": item.nodeid, "when": call.when, "outcome": outcome,
                       "seconds": round(call.stop - call.start, 6)}
            if outcome != "passed" and excinfo is not None:
                describe(message, excinfo, report)
            if outcome == "passed" and call.when != "call":
                hold(message)
            else:
                send(message)

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_call(self, item):
            begins()

        def pytest_runtest_logstart(self, nodeid, location):
            send({"op": "begin", "id": nodeid})

        @pytest.hookimpl(trylast=True)
        def pytest_collection_finish(self, session):
            gc.enable()
            send({"op": "collected", "ids": [item.nodeid for item in session.items][:20000]})

        def pytest_exception_interact(self, node, call, report):
            if isinstance(report, pytest.CollectReport) and not isinstance(call.excinfo.value, node.CollectError):
                report.longrepr = rendered(call.excinfo)

        def pytest_collectreport(self, report):
            if report.failed:
                text = _brief(report.longreprtext)
                last = text.strip().splitlines()[-1:] or [""]
                send({"op": "collect", "id": report.nodeid, "text": text, "message": _brief(last[0], 2000)})

        @pytest.hookimpl(trylast=True)
        def pytest_sessionfinish(self, session, exitstatus):
            send({"op": "finish", "status": int(exitstatus)})

        def pytest_internalerror(self, excrepr, excinfo):
            send({"op": "internal", "text": _brief(str(excrepr)), "limit": _limit_reached(excinfo.value)})

    return Judge(), send, arm
