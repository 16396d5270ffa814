//! Hostile completions that work from inside the judge's process, on what is around it, or on what comes after it. Bounded
//! as those of [`hostile`](crate::hostile).

use evoscope::benchmark::Verdict::{Fail, Limit, OutOfMemory, Pass, Syntax, Tampered, Timeout};

use crate::hostile::Kind;

pub const INSIDERS: &[Kind] = &[
    // Exits.
    Kind(
        "exit_on_import",
        "return None\n\x0cimport os\n\x0cos._exit(0)\n",
        &[Fail, Syntax],
    ),
    Kind(
        "exit_on_import_behind_a_string",
        "return '''\n'''\n\\\n\x0c\nimport os; os._exit(0)\n",
        &[Fail, Syntax],
    ),
    Kind(
        "sys_exit_in_del",
        "import sys\nclass Last:\n    def __del__(self):\n        sys.exit(0)\nlast = Last()\ndel last\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "os_exit_in_del_at_the_very_end",
        "import os, sys\nclass Last:\n    def __del__(self, leave=os._exit):\n        leave(0)\nsys.last = Last()\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "exit_by_alarm",
        "import os, signal, time\nsignal.signal(signal.SIGALRM, lambda *a: os._exit(0))\nsignal.setitimer(signal.ITIMER_REAL, 0.05)\ntime.sleep(3)\n",
        &[Fail],
    ),
    Kind(
        "exit_by_faulthandler",
        "import faulthandler, sys, time\nfaulthandler.dump_traceback_later(0.1, exit=True, file=sys.__stderr__)\ntime.sleep(3)\n",
        &[Fail],
    ),
    Kind(
        "exit_after_a_right_answer",
        "import os\nif len(values) == 3:\n    return [v * factor for v in values]\nos._exit(0)\n",
        &[Fail],
    ),
    Kind(
        "exit_by_exec_into_a_reporter",
        r"import os, sys
program = '''
import json, os
for fd in range(0, 200):
    for test in ('test_list', 'test_scaled[1]', 'test_scaled[2]', 'TestScaled::test_zero'):
        name = 'tests/test_calc.py::' + test
        for line in ({'op': 'begin', 'id': name}, {'op': 'test', 'id': name, 'when': 'call', 'outcome': 'passed', 'seconds': 0}):
            try:
                os.write(fd, (json.dumps(line) + chr(10)).encode())
            except OSError:
                pass
'''
for fd in range(3, 200):
    try:
        os.set_inheritable(fd, True)
    except OSError:
        pass
os.execv(sys.executable, [sys.executable, '-c', program])
",
        &[Fail, Tampered],
    ),
    Kind(
        "stack_overflow",
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndef deeper():\n    return deeper()\nreturn deeper()\n",
        &[Fail, OutOfMemory],
    ),
    // Forks of the whole test run.
    Kind(
        "child_goes_on_with_pytest",
        "import os\nif os.fork() != 0:\n    os._exit(0)\nreturn None\n",
        &[Fail, Tampered],
    ),
    Kind(
        "child_leaves_and_the_parent_goes_on_wrong",
        "import os\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "both_go_on_with_pytest",
        "import os\nif len(values) == 3:\n    os.fork()\nreturn None\n",
        &[Fail, Tampered],
    ),
    // The judge's own process taken apart.
    Kind(
        "metaclass_equal_to_everything",
        "class Meta(type):\n    def __eq__(cls, other): return True\n    def __ne__(cls, other): return False\n    __hash__ = type.__hash__\nclass Any(metaclass=Meta):\n    pass\nreturn Any\n",
        &[Tampered],
    ),
    Kind(
        "equal_by_mock",
        "import unittest.mock\nreturn unittest.mock.ANY\n",
        &[Tampered],
    ),
    Kind(
        "lists_compared_by_itself",
        r"import ctypes
proto = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object, ctypes.c_int)
keep = proto(lambda a, b, op: op == 2)
import sys
sys.keep = keep
ctypes.c_void_p.from_address(id(list) + 200).value = ctypes.cast(keep, ctypes.c_void_p).value
return None or []
",
        &[Tampered, Fail],
    ),
    Kind(
        "constants_of_the_tests_overwritten",
        r"import ctypes, sys
frame = sys._getframe(1)
if 'expected' in frame.f_locals:
    return frame.f_locals['expected']
consts = frame.f_code.co_consts
def set_item(items, at, thing):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
    ctypes.c_void_p.from_address(id(items) + 24 + 8 * at).value = id(thing)
for at, const in enumerate(consts):
    if isinstance(const, tuple) and len(const) == 3:
        set_item(consts, at, (None, None, None))
        return [None, None, None]
for at, const in enumerate(consts):
    if type(const) is int:
        set_item(consts, at, None)
return [None for _ in values]
",
        &[Tampered, Fail],
    ),
    Kind(
        "locals_of_the_caller_overwritten",
        r"import ctypes, sys
frame = sys._getframe(1)
if 'expected' in frame.f_locals:
    frame.f_locals['expected'] = None
    ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
return None
",
        &[Fail],
    ),
    Kind(
        "patched_json_and_write",
        r"import json, os
write, dumps, encode = os.write, json.dumps, json.JSONEncoder.encode
os.write = lambda fd, data: write(fd, bytes(data).replace(b'failed', b'passed')) or len(data)
json.dumps = lambda *a, **k: dumps(*a, **k).replace('failed', 'passed')
json.JSONEncoder.encode = lambda self, o: encode(self, o).replace('failed', 'passed')
return None
",
        &[Tampered, Fail],
    ),
    Kind(
        "patched_assertion_rewriting",
        r"import pytest
from _pytest.assertion import rewrite, util
def quiet(*rest):
    pytest.skip('equal enough')
for name in ('_call_reprcompare', '_format_assertmsg', '_format_explanation', '_saferepr', '_should_repr_global_name'):
    if hasattr(rewrite, name):
        setattr(rewrite, name, quiet)
util._reprcompare = quiet
return None
",
        &[Fail, Tampered],
    ),
    Kind(
        "hooks_registered_with_the_plugin_manager",
        r"import gc, pytest
class Plugin:
    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        return True
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        from _pytest.reports import TestReport
        call.excinfo = None
        return TestReport.from_item_and_call(item, call)
for thing in gc.get_objects():
    if type(thing).__name__ == 'PytestPluginManager':
        thing.register(Plugin())
return None
",
        &[Tampered, Fail],
    ),
    Kind(
        "hooks_unregistered_with_the_plugin_manager",
        r"import gc
for thing in gc.get_objects():
    if type(thing).__name__ == 'PytestPluginManager':
        for name, plugin in list(thing.list_name_plugin()):
            if name in ('runner', 'python', 'unittest', 'assertion') or type(plugin).__name__ == 'Judge':
                thing.unregister(plugin)
return None
",
        &[Fail, Tampered],
    ),
    Kind(
        "expected_failure_marked_on_the_items",
        r"import gc, pytest
for thing in gc.get_objects():
    if type(thing).__name__ in ('Function', 'TestCaseFunction') and hasattr(thing, 'add_marker'):
        thing.add_marker(pytest.mark.xfail(reason='so be it'))
return None
",
        &[Fail],
    ),
    Kind(
        "the_rest_of_the_session_dropped",
        r"import sys
frame = sys._getframe()
while frame and 'session' not in frame.f_locals:
    frame = frame.f_back
if frame and len(values) == 3:
    del frame.f_locals['session'].items[1:]
    return [v * factor for v in values]
return None
",
        &[Fail],
    ),
    Kind(
        "ids_of_the_items_changed",
        r"import gc
if len(values) == 3:
    for thing in gc.get_objects():
        if type(thing).__name__ in ('Function', 'TestCaseFunction') and hasattr(thing, '_nodeid'):
            thing._nodeid = 'tests/test_calc.py::test_list'
    return [v * factor for v in values]
return None
",
        &[Fail, Tampered],
    ),
    Kind(
        "profiler_that_turns_reports",
        r"import sys
def watch(frame, event, arg):
    for thing in list(frame.f_locals.values()):
        if type(thing).__name__ == 'TestReport':
            thing.outcome, thing.longrepr = 'passed', None
        elif type(thing).__name__ == 'CallInfo':
            thing.excinfo = None
sys.setprofile(watch)
return None
",
        &[Tampered, Fail],
    ),
    Kind(
        "thread_that_turns_reports",
        r"import gc, threading, time
def turn():
    from _pytest.reports import TestReport
    from _pytest.runner import CallInfo
    end = time.monotonic() + 2
    while time.monotonic() < end:
        for thing in gc.get_objects():
            if isinstance(thing, TestReport):
                thing.outcome, thing.longrepr = 'passed', None
            elif isinstance(thing, CallInfo):
                thing.excinfo = None
threading.Thread(target=turn, daemon=True).start()
time.sleep(0.1)
return None
",
        &[Tampered, Fail],
    ),
    // Looking for what is expected.
    Kind(
        "expected_values_from_the_tests_on_disk",
        r"import ast, sys
frame = sys._getframe(1)
tree = ast.parse(open('tests/test_calc.py').read())
for node in ast.walk(tree):
    if isinstance(node, ast.FunctionDef) and node.name == frame.f_code.co_name:
        last = node.body[-1]
        test = last.test.comparators[0] if isinstance(last, ast.Assert) else last.value.args[1]
        return eval(compile(ast.Expression(test), '', 'eval'), frame.f_globals, frame.f_locals)
",
        &[Tampered, Fail],
    ),
    Kind(
        "expected_values_found_by_gc",
        r"import gc, sys, types
frame = sys._getframe(1)
if 'expected' in frame.f_locals:
    return frame.f_locals['expected']
if len(values) == 2:
    return [0 * v for v in values]
for thing in gc.get_objects():
    if isinstance(thing, types.FunctionType) and thing.__name__ == 'test_list':
        for const in thing.__code__.co_consts:
            if isinstance(const, tuple) and len(const) == 3 and const != (1, 2, 3) and all(type(x) is int for x in const):
                return list(const)
return None
",
        &[Tampered, Fail, Pass],
    ),
    Kind(
        "unmounts_to_find_the_reference",
        r"import ctypes, os
libc = ctypes.CDLL(None)
libc.unshare(0x10000000 | 0x20000)
places = [line.split()[4] for line in open('/proc/self/mountinfo')]
for place in reversed(places):
    libc.umount2(place.encode(), 2)
mark = 'value * ' + 'factor for value'
for start in ('/work', '/evoscope', '/tmp', '/mnt'):
    for top, folders, files in os.walk(start):
        for name in files:
            try:
                text = open(os.path.join(top, name), errors='replace').read(1 << 20)
            except OSError:
                continue
            if mark in text and 'def scaled' in text and 'mark =' not in text:
                scope = {}
                exec(text, scope)
                return scope['scaled'](values, factor)
return None
",
        &[Fail, Timeout],
    ),
    // What is around it.
    Kind(
        "takes_its_parents_descriptors",
        r"import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in (os.getppid(), 1):
    held = libc.syscall(434, pid, 0)
    for fd in range(0, 30):
        if held >= 0 and libc.syscall(438, held, fd, 0) >= 0:
            return [v * factor for v in values]
return None
",
        &[Fail],
    ),
    Kind(
        "opens_the_first_processs_descriptors",
        r"import os
for fd in range(0, 30):
    for mode in (os.O_RDONLY, os.O_WRONLY):
        try:
            os.open('/proc/1/fd/%d' % fd, mode)
            return [v * factor for v in values]
        except OSError:
            pass
return None
",
        &[Fail],
    ),
    Kind(
        "traces_the_first_process",
        "import ctypes\nif ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0:\n    return [v * factor for v in values]\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "writes_its_parents_memory",
        r"import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
class Piece(ctypes.Structure):
    _fields_ = [('base', ctypes.c_void_p), ('length', ctypes.c_size_t)]
own = ctypes.create_string_buffer(8)
here = Piece(ctypes.addressof(own), 8)
for pid in (os.getppid(), 1):
    there = Piece(ctypes.addressof(own), 8)
    if libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0:
        return [v * factor for v in values]
return None
",
        &[Fail],
    ),
    Kind(
        "kills_its_parents_group",
        "import os, signal\nfor pid in (os.getppid(), 1):\n    try:\n        os.killpg(os.getpgid(pid), signal.SIGKILL)\n    except OSError:\n        pass\nreturn None\n",
        &[Fail, Tampered],
    ),
    Kind(
        "container_service",
        "import socket\nfor path in ('/var/run/docker.sock', '/run/docker.sock', '/run/podman/podman.sock', '/run/containerd/containerd.sock'):\n    with socket.socket(socket.AF_UNIX) as way:\n        try:\n            way.connect(path)\n        except OSError:\n            continue\n    return [v * factor for v in values]\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "own_limits_at_nothing",
        "import resource\nfor name in ('RLIMIT_NOFILE', 'RLIMIT_FSIZE', 'RLIMIT_CORE'):\n    resource.setrlimit(getattr(resource, name), (0, 0))\nreturn None\n",
        &[Fail, Tampered],
    ),
    Kind(
        "limits_lifted_then_memory",
        "import resource\nfor name in dir(resource):\n    if name.startswith('RLIMIT_'):\n        try:\n            resource.setrlimit(getattr(resource, name), (-1, -1))\n        except (OSError, ValueError):\n            pass\nheld = [bytearray(16 << 20) for _ in range(80)]\nreturn None\n",
        &[OutOfMemory],
    ),
    Kind(
        "file_for_every_inode",
        "import os\nos.makedirs('/tmp/many', exist_ok=True)\nfor n in range(30000):\n    open('/tmp/many/%d' % n, 'w').close()\nreturn None\n",
        &[Fail, Limit, OutOfMemory, Timeout],
    ),
    Kind(
        "child_that_prints_on",
        "import os\nif len(values) == 3 and os.fork() == 0:\n    for _ in range(64):\n        os.write(1, b'x' * (1 << 20))\n    os._exit(0)\nreturn [v * factor for v in values]\n",
        &[Pass],
    ),
    Kind(
        "message_of_2_mb",
        "raise ValueError('x' * (2 << 20))\n",
        &[Fail],
    ),
    Kind(
        "message_with_escapes",
        "raise AssertionError('\\x00\\x1b[2J\\u202e\\x9b31m')\n",
        &[Fail],
    ),
    Kind(
        "message_with_half_a_character",
        "raise AssertionError('\\ud800')\n",
        &[Fail],
    ),
    // What comes after it.
    Kind(
        "modules_left_for_the_next",
        r"import os
forged = 'import os\nos._exit(0)\n'
for place in ('.', '/tmp', '/work', '/dev/shm', '/var/tmp', 'tests', 'pkg'):
    for name in ('sitecustomize', 'usercustomize', 'json', 'pytest', 'conftest', 'os', 'unittest'):
        try:
            with open(os.path.join(place, name + '.py'), 'x') as file:
                file.write(forged)
        except OSError:
            pass
return None
",
        &[Fail],
    ),
    Kind(
        "wrong_after_modules_were_left",
        "return [values]\n",
        &[Fail],
    ),
    Kind(
        "right_after_modules_were_left",
        "return list(value * factor for value in values)\n",
        &[Pass],
    ),
];
