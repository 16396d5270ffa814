"""A pytest plugin that reports the result of each test on a separate descriptor.

It runs in the same process as the completion. It binds everything that it needs before any code of the project is
imported. Each line that it writes begins with a token that exists only in its closure. Code in the same process can
still manipulate it; the counter-tests detect that.
"""

from __future__ import annotations

import errno
import json
import os
import traceback
from typing import Any, Callable, Dict, List, Optional, Sequence, Set

TEXT_LIMIT = 12000
MESSAGE_LIMIT = 2000


def shorten(text: Any, limit: int = TEXT_LIMIT) -> str:
    """The beginning and the end of a text."""
    text = text if isinstance(text, str) else str(text)
    if len(text) <= limit:
        return text
    half = limit // 2
    return text[:half] + "\n[...]\n" + text[-half:]


def limit_reached(value: Optional[BaseException]) -> Optional[str]:
    """The limit that an exception reports: `memory`, `disk` or `processes`. None if it reports none."""
    for _ in range(10):
        if value is None:
            return None
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
    return None


def is_of_pytest(path: str) -> bool:
    """Whether a file belongs to pytest."""
    return "/_pytest/" in path or "/pluggy/" in path


def requested_names(tests: Sequence[str], node: str) -> Optional[Set[str]]:
    """The names that are requested from a module or class. None if any name may be requested.

    pytest creates all items of a file and then selects some. With these names it creates only the requested ones.
    """
    file, *classes = node.split("::")
    names = set()
    for test in tests:
        requested, *parts = test.split("::")
        if os.path.basename(requested) == os.path.basename(file) and parts[: len(classes)] == classes[: len(parts)]:
            if len(parts) <= len(classes):
                return None
            names.add(parts[len(classes)].split("[")[0])
    return names or None


def disable_distribution(option: Any) -> None:
    """Makes pytest-xdist run the tests in this process."""
    if hasattr(option, "numprocesses"):
        option.numprocesses, option.dist, option.distload, option.tx, option.looponfail = 0, "no", False, [], False


def disable_coverage(option: Any) -> None:
    """Disables pytest-cov, since it slows down tests and reports low coverage as a failure."""
    if hasattr(option, "no_cov"):
        option.no_cov = True


class Sender:
    """Writes messages to the report descriptor, after it has received a token."""

    def __init__(self, descriptor: int) -> None:
        write, dumps = os.write, json.dumps
        token: Optional[str] = None
        pending = b""

        def arm(given: str) -> None:
            nonlocal token
            token = given

        def send(message: Dict[str, Any], flush: bool = True) -> None:
            nonlocal pending
            if token is None:
                return
            data = pending + (token + " " + dumps(message) + "\n").encode("utf-8", "backslashreplace")
            if not flush:
                pending = data
                return
            pending = b""
            while data:
                data = data[write(descriptor, data) :]

        self.arm: Callable[[str], None] = arm
        self.send: Callable[..., None] = send


def describe_failure(excinfo: Any, root: str, format_exception: Callable[..., List[str]]) -> Dict[str, Any]:
    """The exception of a phase, as plain data."""
    found: Dict[str, Any] = {"error": "", "message": "", "limit": None, "frames": [], "text": ""}
    try:
        found["error"] = excinfo.typename
        found["message"] = shorten(excinfo.exconly(tryshort=True), MESSAGE_LIMIT)
        found["limit"] = limit_reached(excinfo.value)
        found["frames"] = _frames(excinfo.tb, root)
        found["text"] = shorten(rendered(excinfo, format_exception))
    except BaseException as why:  # a hostile exception may refuse to be described
        found["error"] = found["error"] or type(why).__name__
    return found


def _frames(entry: Any, root: str) -> List[List[Any]]:
    found = []
    while entry is not None:
        code, line, entry = entry.tb_frame.f_code, entry.tb_lineno, entry.tb_next
        path = code.co_filename
        if is_of_pytest(path):
            continue
        if path.startswith(root + os.sep):
            path = path[len(root) + 1 :]
        found.append([path, line, code.co_name])
    return found[-40:]


def rendered(excinfo: Any, format_exception: Callable[..., List[str]]) -> str:
    """The traceback in Python's format, without pytest's frames at its start."""
    entry = excinfo.tb
    while entry is not None and is_of_pytest(entry.tb_frame.f_code.co_filename):
        entry = entry.tb_next
    return "".join(format_exception(excinfo.type, excinfo.value, entry))


def outcome_of(report: Any, failed: bool) -> str:
    """A phase's outcome in the words of the protocol."""
    if hasattr(report, "wasxfail"):
        return "xpassed" if report.outcome == "passed" else "xfailed"
    if report.outcome == "skipped":
        return "skipped"
    return "passed" if report.outcome == "passed" and not failed else "failed"


def make_plugin(pytest: Any, sender: Sender, root: str, tests: List[str], checkpoint: Callable[..., Any]) -> Any:
    """Creates the plugin. `tests` may be filled later, but before anything is collected. `checkpoint` is called at the
    two points where a run may be forked from a started pytest. At the first, it may return a function to call after the
    hook."""
    send, format_exception = sender.send, traceback.format_exception
    names: Dict[str, Optional[Set[str]]] = {}

    class Reporter:
        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_load_initial_conftests(self, early_config: Any, parser: Any, args: List[str]) -> Any:
            disable_coverage(early_config.known_args_namespace)
            restore = checkpoint("initial", early_config, args)
            yield
            if restore is not None:
                restore()

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_cmdline_main(self, config: Any) -> Any:
            disable_distribution(config.option)
            yield

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_collection(self, session: Any) -> Any:
            checkpoint("collection", session.config, session.config.args)
            yield

        @pytest.hookimpl(tryfirst=True)
        def pytest_pycollect_makeitem(self, collector: Any, name: str) -> Any:
            node = collector.nodeid
            if node not in names:
                names[node] = requested_names(tests, node)
            requested = names[node]
            return [] if requested is not None and name not in requested else None

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
            result = yield
            report = result.get_result()
            outcome = outcome_of(report, call.excinfo is not None)
            seconds = round(call.stop - call.start, 6)
            message = {"op": "phase", "id": item.nodeid, "when": call.when, "outcome": outcome, "seconds": seconds}
            if outcome != "passed" and call.excinfo is not None:
                message["failure"] = describe_failure(call.excinfo, root, format_exception)
            # A message that changes no outcome is sent with the next one.
            send(message, flush=outcome != "passed" or call.when == "call")

        def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
            send({"op": "begin", "id": nodeid})

        def pytest_exception_interact(self, node: Any, call: Any, report: Any) -> None:
            if isinstance(report, pytest.CollectReport) and not isinstance(call.excinfo.value, node.CollectError):
                report.longrepr = rendered(call.excinfo, format_exception)

        def pytest_collectreport(self, report: Any) -> None:
            if report.failed:
                text = shorten(report.longreprtext)
                last = text.strip().splitlines()[-1:] or [""]
                send({"op": "collect", "id": report.nodeid, "message": shorten(last[0], MESSAGE_LIMIT), "text": text})

        @pytest.hookimpl(trylast=True)
        def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
            send({"op": "finish", "status": int(exitstatus)})

        def pytest_internalerror(self, excrepr: Any, excinfo: Any) -> None:
            send({"op": "internal", "text": shorten(str(excrepr)), "limit": limit_reached(excinfo.value)})

    return Reporter()
