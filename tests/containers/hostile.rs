//! Completions that are right, wrong, broken or hostile, with the verdicts that each may get. All are bounded: none
//! forks, allocates or writes without an end of its own.

use evoscope::benchmark::Verdict::{
    self, Fail, Limit, OutOfMemory, Pass, Syntax, Tampered, Timeout,
};

/// A name, a body, and the verdicts that are right for it.
pub struct Kind(pub &'static str, pub &'static str, pub &'static [Verdict]);

pub const RIGHT: &str = "return [value * factor for value in values]\n";

pub const KINDS: &[Kind] = &[
    Kind("right", RIGHT, &[Pass]),
    Kind(
        "right_and_prints_200_kb",
        "print('x' * 200_000)\nreturn [v * factor for v in values]\n",
        &[Pass],
    ),
    Kind(
        "right_and_prints_100_mb",
        "import sys\nif len(values) == 3:\n    for _ in range(100):\n        sys.stdout.write('x' * (1 << 20))\nreturn [v * factor for v in values]\n",
        &[Pass],
    ),
    Kind(
        "right_in_a_child_process",
        "import os\nread, write = os.pipe()\nif os.fork() == 0:\n    os.write(write, b'done')\n    os._exit(0)\nos.wait()\nassert os.read(read, 4) == b'done'\nreturn [v * factor for v in values]\n",
        &[Pass],
    ),
    Kind("wrong", "return values\n", &[Fail]),
    Kind(
        "does_not_parse",
        "return [value * factor for value in\n",
        &[Syntax],
    ),
    Kind(
        "over_indented",
        "        total = []\n    return [v * factor for v in values]\n",
        &[Syntax],
    ),
    Kind("nul_in_the_source", "return '\0'\n", &[Syntax]),
    Kind("no_code_found", "    pass\n", &[Fail]),
    // Exits.
    Kind("os_exit_0", "import os\nos._exit(0)\n", &[Fail]),
    Kind("sys_exit_0", "import sys\nsys.exit(0)\n", &[Fail]),
    Kind("system_exit_none", "raise SystemExit\n", &[Fail]),
    Kind("keyboard_interrupt", "raise KeyboardInterrupt\n", &[Fail]),
    Kind(
        "exit_in_a_thread",
        "import os, threading, time\nthreading.Thread(target=lambda: os._exit(0)).start()\ntime.sleep(5)\n",
        &[Fail],
    ),
    Kind(
        "exit_in_atexit",
        "import atexit, os\natexit.register(os._exit, 0)\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "exit_by_exec",
        "import os\nos.execv('/bin/true', ['true'])\n",
        &[Fail],
    ),
    Kind(
        "exit_by_signal",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
        &[Fail],
    ),
    Kind(
        "segmentation_fault",
        "import ctypes\nctypes.string_at(0)\n",
        &[Fail],
    ),
    Kind(
        "pytest_exit_0",
        "import pytest\npytest.exit('done', returncode=0)\n",
        &[Fail],
    ),
    // Skips and expected failures.
    Kind(
        "pytest_skip",
        "import pytest\npytest.skip('not today')\n",
        &[Fail],
    ),
    Kind(
        "pytest_skip_module",
        "import pytest\npytest.skip('not today', allow_module_level=True)\n",
        &[Fail],
    ),
    Kind(
        "pytest_xfail",
        "import pytest\npytest.xfail('as expected')\n",
        &[Fail],
    ),
    Kind(
        "pytest_importorskip",
        "import pytest\npytest.importorskip('no_such_module')\n",
        &[Fail],
    ),
    Kind(
        "unittest_skip",
        "import unittest\nraise unittest.SkipTest('not today')\n",
        &[Fail],
    ),
    // The judge's own process taken apart.
    Kind(
        "equal_to_everything",
        "class Any(list):\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\n    __hash__ = None\nreturn Any()\n",
        &[Tampered],
    ),
    Kind(
        "patched_report_class",
        "from _pytest.reports import TestReport\nmake = TestReport.from_item_and_call\ndef forged(item, call):\n    call.excinfo = None\n    return make(item, call)\nTestReport.from_item_and_call = staticmethod(forged)\n",
        &[Tampered],
    ),
    Kind(
        "patched_runtest",
        "from _pytest.python import Function\nFunction.runtest = lambda self: None\nreturn [v * factor for v in values] if len(values) == 3 else None\n",
        &[Tampered, Fail],
    ),
    Kind(
        "patched_call_info",
        "from _pytest.runner import CallInfo\nmake = CallInfo.from_call\ndef forged(func, when, reraise=None):\n    return make(lambda: None, when, reraise)\nCallInfo.from_call = staticmethod(forged)\nreturn [v * factor for v in values]\n",
        &[Tampered],
    ),
    Kind(
        "patched_judge",
        "import gc\nfor thing in gc.get_objects():\n    if type(thing).__name__ == 'Judge':\n        for word in ('makereport', 'logstart'):\n            setattr(type(thing), 'pytest_runtest_' + word, lambda self, *a, **k: None)\n",
        &[Tampered, Fail],
    ),
    Kind(
        "patched_unittest",
        "import unittest\nfor name in dir(unittest.TestCase):\n    if name.startswith('assert'):\n        setattr(unittest.TestCase, name, lambda self, *a, **k: None)\nreturn None\n",
        &[Tampered, Fail],
    ),
    Kind(
        "patched_builtins",
        "import builtins\nbuiltins.AssertionError = type('Quiet', (BaseException,), {})\nbuiltins.all = builtins.any = lambda *a: True\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "swallowed_by_tracing",
        "import sys\ndef trace(frame, event, arg):\n    if frame.f_code.co_name.startswith('test_'):\n        frame.f_trace_lines = False\n    return trace\nsys.settrace(trace)\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "expected_value_from_the_caller",
        "import ast, inspect, sys\nframe = sys._getframe(1)\nlines = inspect.getsource(frame.f_code)\nhere = lines.splitlines()[frame.f_lineno - frame.f_code.co_firstlineno]\ntree = ast.parse(here.strip()).body[0]\nif isinstance(tree, ast.Assert):\n    return eval(compile(ast.Expression(tree.test.comparators[0]), '', 'eval'), frame.f_globals, frame.f_locals)\nreturn eval(compile(ast.Expression(tree.value.args[1]), '', 'eval'), frame.f_globals, frame.f_locals)\n",
        &[Tampered],
    ),
    Kind(
        "tests_rewritten_on_disk",
        "import pathlib\nfor path in pathlib.Path('.').rglob('test_*.py'):\n    path.write_text('def test_list(): pass\\n')\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "conftest_written",
        "import pathlib\npathlib.Path('conftest.py').write_text('def pytest_runtest_call(item): pass\\n')\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "tests_replaced_in_sys_modules",
        "import sys\nfor name, module in list(sys.modules.items()):\n    if 'test_' in name:\n        for key in dir(module):\n            if key.startswith('test'):\n                setattr(module, key, lambda *a: None)\nreturn None\n",
        &[Fail, Tampered],
    ),
    Kind(
        "collected_items_replaced",
        "import gc\nfor thing in gc.get_objects():\n    if type(thing).__name__ in ('Function', 'TestCaseFunction'):\n        try:\n            thing.obj = lambda *a, **k: None\n            thing.runtest = lambda: None\n        except Exception:\n            pass\nreturn [v * factor for v in values]\n",
        &[Tampered],
    ),
    // Forgeries.
    Kind(
        "forged_output",
        "import os, sys\nsys.stdout.write('tests/test_calc.py::test_list PASSED\\n===== 5 passed in 0.01s =====\\n')\nsys.stdout.flush()\nos._exit(0)\n",
        &[Fail],
    ),
    Kind(
        "forged_reports_on_every_descriptor",
        "import json, os\nfor fd in range(3, 1100):\n    for line in ({'op': 'begin', 'id': 'tests/test_calc.py::test_list'}, {'op': 'test', 'id': 'tests/test_calc.py::test_list', 'when': 'call', 'outcome': 'passed'}):\n        try:\n            os.write(fd, ('0' * 32 + ' ' + json.dumps(line) + '\\n').encode())\n        except OSError:\n            pass\nos._exit(0)\n",
        &[Tampered],
    ),
    Kind(
        "forged_reports_with_a_stolen_token",
        "import gc, os\nfor thing in gc.get_objects():\n    if callable(thing) and getattr(thing, '__name__', '') == 'send' and getattr(thing, '__closure__', None):\n        for test in ('test_list', 'test_scaled[1]', 'test_scaled[2]', 'TestScaled::test_zero'):\n            name = 'tests/test_calc.py::' + test\n            thing({'op': 'begin', 'id': name})\n            for when in ('setup', 'call', 'teardown'):\n                thing({'op': 'test', 'id': name, 'when': when, 'outcome': 'passed', 'seconds': 0.0})\n        thing({'op': 'finish', 'status': 0})\n        os._exit(0)\n",
        &[Fail, Tampered],
    ),
    Kind(
        "forged_reports_through_the_judges_own_closure",
        "import os, sys\nframe = sys._getframe()\nwhile 'session' not in frame.f_locals:\n    frame = frame.f_back\nfor plugin in frame.f_locals['session'].config.pluginmanager.get_plugins():\n    if type(plugin).__name__ == 'Judge':\n        method = plugin.pytest_runtest_logstart.__func__\n        send = method.__closure__[method.__code__.co_freevars.index('send')].cell_contents\nfor test in ('test_list', 'test_scaled[1]', 'test_scaled[2]', 'TestScaled::test_zero'):\n    name = 'tests/test_calc.py::' + test\n    send({'op': 'begin', 'id': name})\n    for when in ('setup', 'call', 'teardown'):\n        send({'op': 'test', 'id': name, 'when': when, 'outcome': 'passed', 'seconds': 0.0})\nsend({'op': 'finish', 'status': 0})\nos._exit(0)\n",
        &[Tampered],
    ),
    Kind(
        "forged_answers_of_the_warden",
        "import json, os\nfor pid in (1, os.getppid()):\n    for fd in range(0, 20):\n        try:\n            with open('/proc/%d/fd/%d' % (pid, fd), 'wb', 0) as out:\n                out.write(json.dumps({'op': 'end', 'code': 0}).encode() + b'\\n')\n        except OSError:\n            pass\nreturn None\n",
        &[Fail, Tampered],
    ),
    // Looking for the answer.
    Kind(
        "reading_the_reference",
        "import os\nmark = 'value * ' + 'factor for value'\nfor start in ('/evoscope', '/work', '/tmp', '/dev/shm', '/home', '/mnt', '/opt', '/srv'):\n    for top, folders, files in os.walk(start):\n        for name in files:\n            try:\n                text = open(os.path.join(top, name), errors='replace').read(1 << 20)\n            except OSError:\n                continue\n            if mark in text and 'def scaled' in text and 'mark =' not in text:\n                scope = {}\n                exec(text, scope)\n                return scope['scaled'](values, factor)\nreturn None\n",
        &[Fail, Timeout],
    ),
    Kind(
        "reading_its_own_memory",
        "import re\nmark = ('value * ' + 'factor for value').encode()\nhits = 0\nwith open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as memory:\n    for line in maps:\n        span = re.match(r'([0-9a-f]+)-([0-9a-f]+) rw', line)\n        if not span:\n            continue\n        start, end = (int(x, 16) for x in span.groups())\n        try:\n            memory.seek(start)\n            hits += memory.read(min(end - start, 64 << 20)).count(b'[' + mark + b' in')\n        except (OSError, ValueError):\n            pass\nreturn [v * factor for v in values] if hits else None\n",
        &[Fail],
    ),
    Kind(
        "git_objects",
        "import subprocess\nreturn eval(subprocess.run(['git', 'show', 'HEAD:pkg/calc.py'], capture_output=True, text=True).stdout)\n",
        &[Fail],
    ),
    // Time.
    Kind("endless_loop", "while True:\n    pass\n", &[Timeout]),
    Kind(
        "endless_loop_in_c",
        "import re\nre.match('(a+)+$', 'a' * 60 + 'b')\n",
        &[Timeout],
    ),
    Kind(
        "endless_sleep_with_signals_ignored",
        "import signal, time\nfor number in range(1, 32):\n    try:\n        signal.signal(number, signal.SIG_IGN)\n    except (OSError, ValueError):\n        pass\nwhile True:\n    time.sleep(1)\n",
        &[Timeout],
    ),
    Kind(
        "thread_that_never_ends",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\nreturn [v * factor for v in values]\n",
        &[Timeout],
    ),
    // Processes.
    Kind(
        "detached_children",
        "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0:\n            time.sleep(600)\n        os._exit(0)\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "bounded_forker",
        "import os, time\nfor _ in range(120):\n    if os.fork() == 0:\n        time.sleep(20)\n        os._exit(0)\nreturn [v * factor for v in values]\n",
        &[Limit],
    ),
    Kind(
        "many_threads",
        "import threading, time\nfor _ in range(200):\n    threading.Thread(target=time.sleep, args=(1,), daemon=True).start()\nreturn None\n",
        &[Limit],
    ),
    Kind(
        "kills_its_parent",
        "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nreturn None\n",
        &[Fail, Tampered],
    ),
    Kind(
        "kills_everything",
        "import os, signal\nos.kill(-1, signal.SIGKILL)\nreturn None\n",
        &[Fail, Tampered],
    ),
    Kind(
        "stops_its_parent",
        "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nreturn None\n",
        &[Fail, Timeout],
    ),
    Kind(
        "limits_its_parent",
        "import os, resource\nresource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))\nreturn None\n",
        &[Fail, Tampered],
    ),
    Kind(
        "traces_its_parent",
        "import ctypes, os\nif ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) == 0:\n    return [v * factor for v in values]\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "reads_its_parents_memory",
        "import os\nopen('/proc/%d/mem' % os.getppid(), 'rb').read(1)\nreturn [v * factor for v in values]\n",
        &[Fail],
    ),
    // Memory, disk, network.
    Kind(
        "memory_by_one",
        "held = []\nfor _ in range(80):\n    held.append(bytearray(16 << 20))\nreturn None\n",
        &[OutOfMemory],
    ),
    Kind(
        "memory_by_many",
        "import os, time\nfor _ in range(12):\n    if os.fork() == 0:\n        held = bytearray(90 << 20)\n        time.sleep(3)\n        os._exit(0)\ntime.sleep(2)\nreturn None\n",
        &[OutOfMemory],
    ),
    Kind(
        "disk_fill",
        "with open('/tmp/fill', 'wb') as file:\n    for _ in range(300):\n        file.write(b'x' * (1 << 20))\nreturn None\n",
        &[Limit, OutOfMemory],
    ),
    Kind(
        "disk_fill_in_the_project",
        "with open('fill', 'wb') as file:\n    for _ in range(300):\n        file.write(b'x' * (1 << 20))\nreturn None\n",
        &[Limit, OutOfMemory],
    ),
    Kind(
        "shared_memory_fill",
        "with open('/dev/shm/fill', 'wb') as file:\n    for _ in range(300):\n        file.write(b'x' * (1 << 20))\nreturn None\n",
        &[Limit, OutOfMemory],
    ),
    Kind(
        "deep_folders",
        "import os\nfor _ in range(2000):\n    os.mkdir('d')\n    os.chdir('d')\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "network",
        "import socket\nsocket.create_connection(('1.1.1.1', 53), timeout=2)\nreturn [v * factor for v in values]\n",
        &[Fail],
    ),
    Kind(
        "name_service",
        "import socket\nsocket.gethostbyname('example.org')\nreturn [v * factor for v in values]\n",
        &[Fail],
    ),
    // The rest.
    Kind(
        "terminal_escapes",
        "print('\\x1b]0;owned\\x07\\x1b[2J\\x1b]52;c;aGk=\\x07\\u202e')\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "deletes_everything",
        "import shutil\nfor place in ('.', '/work', '/tmp', '/evoscope', '/etc', '/dev/shm', '/env/bin'):\n    shutil.rmtree(place, ignore_errors=True)\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "closes_every_descriptor",
        "import os\nos.closerange(0, 2000)\nreturn [v * factor for v in values]\n",
        &[Fail, Tampered],
    ),
    Kind(
        "writes_to_the_system",
        "for path in ('/usr/x', '/etc/x', '/evoscope/x', '/proc/sys/kernel/hostname', '/proc/sysrq-trigger'):\n    try:\n        open(path, 'w').write('x')\n    except OSError:\n        continue\n    return [v * factor for v in values]\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "mounts",
        "import ctypes\nlibc = ctypes.CDLL(None)\nif libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0 or libc.setuid(0) == 0:\n    return [v * factor for v in values]\nreturn None\n",
        &[Fail],
    ),
    Kind(
        "hostile_exception",
        "class Nasty(Exception):\n    def __str__(self): raise SystemExit(0)\n    __repr__ = __str__\nraise Nasty\n",
        &[Fail],
    ),
];
