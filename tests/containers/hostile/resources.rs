//! Completions that use up time, processes, memory or disk.

use evoscope::benchmark::Verdict::{Fail, Limit, OutOfMemory, Tampered, Timeout};

use super::Kind;

pub const KINDS: &[Kind] = &[
    // The time limit ends the run.
    Kind("endless_loop", "while True:\n    pass\n", &[Timeout]),
    // The time limit ends the run.
    Kind(
        "endless_loop_in_c",
        "import re\nre.match('(a+)+$', 'a' * 60 + 'b')\n",
        &[Timeout],
    ),
    // The time limit ends the run.
    Kind(
        "endless_sleep_with_signals_ignored",
        "import signal, time\nfor number in range(1, 32):\n    try:\n        signal.signal(number, signal.SIG_IGN)\n    except (OSError, ValueError):\n        pass\nwhile True:\n    time.sleep(1)\n",
        &[Timeout],
    ),
    // The time limit ends the run.
    Kind(
        "thread_that_never_ends",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\nreturn [v * factor for v in values]\n",
        &[Timeout],
    ),
    // The limit on processes and threads is reached.
    Kind(
        "bounded_forker",
        "import os, time\nfor _ in range(120):\n    if os.fork() == 0:\n        time.sleep(600)\n        os._exit(0)\nreturn [v * factor for v in values]\n",
        &[Limit],
    ),
    // The limit on processes and threads is reached.
    Kind(
        "many_threads",
        "import threading, time\nfor _ in range(200):\n    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\nreturn None\n",
        &[Limit],
    ),
    // The limit on memory ends the run.
    Kind(
        "memory_by_one",
        "held = []\nfor _ in range(80):\n    held.append(bytearray(16 << 20))\nreturn None\n",
        &[OutOfMemory],
    ),
    // The limit on memory ends the run.
    Kind(
        "memory_by_many",
        "import os, sys, time\nif hasattr(sys, 'grown'):\n    return None\nsys.grown = True\nfor _ in range(12):\n    if os.fork() == 0:\n        held = bytearray(90 << 20)\n        while True:\n            time.sleep(60)\nos.wait()\nreturn None\n",
        &[OutOfMemory],
    ),
    // The scratch space is limited.
    Kind(
        "disk_fill",
        "with open('/tmp/fill', 'wb') as file:\n    for _ in range(300):\n        file.write(b'x' * (1 << 20))\nreturn None\n",
        &[Limit, OutOfMemory],
    ),
    // The scratch space is limited.
    Kind(
        "disk_fill_in_the_project",
        "with open('fill', 'wb') as file:\n    for _ in range(300):\n        file.write(b'x' * (1 << 20))\nreturn None\n",
        &[Limit, OutOfMemory],
    ),
    // The scratch space is limited.
    Kind(
        "shared_memory_fill",
        "with open('/dev/shm/fill', 'wb') as file:\n    for _ in range(300):\n        file.write(b'x' * (1 << 20))\nreturn None\n",
        &[Limit, OutOfMemory],
    ),
    // The result is wrong. The next run does not have these folders.
    Kind(
        "deep_folders",
        "import os\nfor _ in range(2000):\n    os.mkdir('d')\n    os.chdir('d')\nreturn None\n",
        &[Fail],
    ),
    // The result is wrong, and lower limits do not make the tests pass.
    Kind(
        "own_limits_at_nothing",
        "import resource\nfor name in ('RLIMIT_NOFILE', 'RLIMIT_FSIZE', 'RLIMIT_CORE'):\n    resource.setrlimit(getattr(resource, name), (0, 0))\nreturn None\n",
        &[Fail, Tampered],
    ),
    // The limit on memory ends the run.
    Kind(
        "limits_lifted_then_memory",
        "import resource\nfor name in dir(resource):\n    if name.startswith('RLIMIT_'):\n        try:\n            resource.setrlimit(getattr(resource, name), (-1, -1))\n        except (OSError, ValueError):\n            pass\nheld = [bytearray(16 << 20) for _ in range(80)]\nreturn None\n",
        &[OutOfMemory],
    ),
    // The scratch space is limited.
    Kind(
        "file_for_every_inode",
        "import os\nos.makedirs('/tmp/many', exist_ok=True)\nfor n in range(30000):\n    open('/tmp/many/%d' % n, 'w').close()\nreturn None\n",
        &[Fail, Limit, OutOfMemory, Timeout],
    ),
];
