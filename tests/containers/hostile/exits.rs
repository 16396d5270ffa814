//! Completions that end or fork the process of the tests, or skip a test.

use evoscope::benchmark::Verdict::{Fail, Syntax, Tampered};

use super::Kind;

pub const KINDS: &[Kind] = &[
    // The tests that should have passed are not reported as passed.
    Kind("os_exit_0", "import os\nos._exit(0)\n", &[Fail]),
    // pytest reports the exception as a failure of the test.
    Kind("sys_exit_0", "import sys\nsys.exit(0)\n", &[Fail]),
    // pytest reports the exception as a failure of the test.
    Kind("system_exit_none", "raise SystemExit\n", &[Fail]),
    // The tests that should have passed are not reported as passed.
    Kind("keyboard_interrupt", "raise KeyboardInterrupt\n", &[Fail]),
    // The tests that should have passed are not reported as passed.
    Kind(
        "exit_in_a_thread",
        "import os, threading, time\nthreading.Thread(target=lambda: os._exit(0)).start()\ntime.sleep(5)\n",
        &[Fail],
    ),
    // The failures are reported before the handler runs.
    Kind(
        "exit_in_atexit",
        "import atexit, os\natexit.register(os._exit, 0)\nreturn None\n",
        &[Fail],
    ),
    // The tests that should have passed are not reported as passed.
    Kind(
        "exit_by_exec",
        "import os\nos.execv('/bin/true', ['true'])\n",
        &[Fail],
    ),
    // The tests that should have passed are not reported as passed.
    Kind(
        "exit_by_signal",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
        &[Fail],
    ),
    // The tests that should have passed are not reported as passed.
    Kind(
        "segmentation_fault",
        "import ctypes\nctypes.string_at(0)\n",
        &[Fail],
    ),
    // The tests that should have passed are not reported as passed.
    Kind(
        "pytest_exit_0",
        "import pytest\npytest.exit('done', returncode=0)\n",
        &[Fail],
    ),
    // A skip or an expected failure is not a pass.
    Kind(
        "pytest_skip",
        "import pytest\npytest.skip('not today')\n",
        &[Fail],
    ),
    // A skip or an expected failure is not a pass.
    Kind(
        "pytest_skip_module",
        "import pytest\npytest.skip('not today', allow_module_level=True)\n",
        &[Fail],
    ),
    // A skip or an expected failure is not a pass.
    Kind(
        "pytest_xfail",
        "import pytest\npytest.xfail('as expected')\n",
        &[Fail],
    ),
    // A skip or an expected failure is not a pass.
    Kind(
        "pytest_importorskip",
        "import pytest\npytest.importorskip('no_such_module')\n",
        &[Fail],
    ),
    // A skip or an expected failure is not a pass.
    Kind(
        "unittest_skip",
        "import unittest\nraise unittest.SkipTest('not today')\n",
        &[Fail],
    ),
    // The tests that should have passed are not reported as passed.
    Kind(
        "exit_on_import",
        "return None\n\x0cimport os\n\x0cos._exit(0)\n",
        &[Fail, Syntax],
    ),
    // The tests that should have passed are not reported as passed.
    Kind(
        "exit_on_import_behind_a_string",
        "return '''\n'''\n\\\n\x0c\nimport os; os._exit(0)\n",
        &[Fail, Syntax],
    ),
    // An exception in a finalizer is ignored, and the answer is wrong.
    Kind(
        "sys_exit_in_del",
        "import sys\nclass Last:\n    def __del__(self):\n        sys.exit(0)\nlast = Last()\ndel last\nreturn None\n",
        &[Fail],
    ),
    // The failures are reported before the finalizer runs.
    Kind(
        "os_exit_in_del_at_the_very_end",
        "import os, sys\nclass Last:\n    def __del__(self, leave=os._exit):\n        leave(0)\nsys.last = Last()\nreturn None\n",
        &[Fail],
    ),
    // The tests that should have passed are not reported as passed.
    Kind(
        "exit_by_alarm",
        "import os, signal, time\nsignal.signal(signal.SIGALRM, lambda *a: os._exit(0))\nsignal.setitimer(signal.ITIMER_REAL, 0.05)\ntime.sleep(3)\n",
        &[Fail],
    ),
    // The tests that should have passed are not reported as passed.
    Kind(
        "exit_by_faulthandler",
        "import faulthandler, sys, time\nfaulthandler.dump_traceback_later(0.1, exit=True, file=sys.__stderr__)\ntime.sleep(3)\n",
        &[Fail],
    ),
    // The tests that should have passed are not reported as passed.
    Kind(
        "exit_after_a_right_answer",
        "import os\nif len(values) == 3:\n    return [v * factor for v in values]\nos._exit(0)\n",
        &[Fail],
    ),
    // The new program does not know the report token.
    Kind(
        "exit_by_exec_into_a_reporter",
        r"import os, sys
program = '''
import json, os
for fd in range(0, 200):
    for test in ('test_list', 'test_scaled[1]', 'test_scaled[2]', 'TestScaled::test_zero'):
        name = 'tests/test_calc.py::' + test
        for line in ({'op': 'begin', 'id': name}, {'op': 'phase', 'id': name, 'when': 'call', 'outcome': 'passed', 'seconds': 0}):
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
    // The parent exits without reports, and the child's answer is wrong.
    Kind(
        "child_goes_on_with_pytest",
        "import os\nif os.fork() != 0:\n    os._exit(0)\nreturn None\n",
        &[Fail, Tampered],
    ),
    // The answer is wrong in the parent.
    Kind(
        "child_leaves_and_the_parent_goes_on_wrong",
        "import os\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\nreturn None\n",
        &[Fail],
    ),
    // The answer is wrong in both processes.
    Kind(
        "both_go_on_with_pytest",
        "import os\nif len(values) == 3:\n    os.fork()\nreturn None\n",
        &[Fail, Tampered],
    ),
];
