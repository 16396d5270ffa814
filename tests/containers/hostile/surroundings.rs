//! Completions that attack other processes, files and services, or later runs.

use evoscope::benchmark::Verdict::{Fail, Pass, Tampered, Timeout};

use super::Kind;

pub const KINDS: &[Kind] = &[
    // The completion is wrong, and its children end with the run.
    Kind(
        "detached_children",
        "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0:\n            time.sleep(600)\n        os._exit(0)\nreturn None\n",
        &[Fail],
    ),
    // A run that kills its supervisor has no reports.
    Kind(
        "kills_its_parent",
        "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nreturn None\n",
        &[Fail, Tampered],
    ),
    // A run that kills itself or its supervisor has no reports.
    Kind(
        "kills_everything",
        "import os, signal\nos.kill(-1, signal.SIGKILL)\nreturn None\n",
        &[Fail, Tampered],
    ),
    // The completion is wrong. If its supervisor is stopped, the verdict is a timeout.
    Kind(
        "stops_its_parent",
        "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nreturn None\n",
        &[Fail, Timeout],
    ),
    // A run cannot change its supervisor's limits, or its reports are lost.
    Kind(
        "limits_its_parent",
        "import os, resource\nresource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))\nreturn None\n",
        &[Fail, Tampered],
    ),
    // A run cannot trace its parent.
    Kind(
        "traces_its_parent",
        "import ctypes, os\nif ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) == 0:\n    return [v * factor for v in values]\nreturn None\n",
        &[Fail],
    ),
    // A run cannot read its parent's memory.
    Kind(
        "reads_its_parents_memory",
        "import os\nopen('/proc/%d/mem' % os.getppid(), 'rb').read(1)\nreturn [v * factor for v in values]\n",
        &[Fail],
    ),
    // There is no network.
    Kind(
        "network",
        "import socket\nsocket.create_connection(('1.1.1.1', 53), timeout=2)\nreturn [v * factor for v in values]\n",
        &[Fail],
    ),
    // There is no network.
    Kind(
        "name_service",
        "import socket\nsocket.gethostbyname('example.org')\nreturn [v * factor for v in values]\n",
        &[Fail],
    ),
    // The completion is wrong, and the next run gets all files again.
    Kind(
        "deletes_everything",
        "import shutil\nfor place in ('.', '/work', '/tmp', '/evoscope', '/etc', '/dev/shm', '/env/bin'):\n    shutil.rmtree(place, ignore_errors=True)\nreturn None\n",
        &[Fail],
    ),
    // Without the report channel, no test counts as passed.
    Kind(
        "closes_every_descriptor",
        "import os\nos.closerange(0, 2000)\nreturn [v * factor for v in values]\n",
        &[Fail, Tampered],
    ),
    // The root is read-only.
    Kind(
        "writes_to_the_system",
        "for path in ('/usr/x', '/etc/x', '/evoscope/x', '/proc/sys/kernel/hostname', '/proc/sysrq-trigger'):\n    try:\n        open(path, 'w').write('x')\n    except OSError:\n        continue\n    return [v * factor for v in values]\nreturn None\n",
        &[Fail],
    ),
    // A run has no capability to mount.
    Kind(
        "mounts",
        "import ctypes\nlibc = ctypes.CDLL(None)\nif libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0 or libc.setuid(0) == 0:\n    return [v * factor for v in values]\nreturn None\n",
        &[Fail],
    ),
    // A run cannot open descriptors of other processes.
    Kind(
        "takes_its_parents_descriptors",
        r"import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in {os.getppid(), 1} - {0, os.getpid()}:
    held = libc.syscall(434, pid, 0)
    for fd in range(0, 30):
        if held >= 0 and libc.syscall(438, held, fd, 0) >= 0:
            return [v * factor for v in values]
return None
",
        &[Fail],
    ),
    // A run cannot open descriptors of other processes.
    Kind(
        "opens_the_first_processs_descriptors",
        r"import os
for fd in range(0, 30 if os.getpid() != 1 else 0):
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
    // A run either is process 1 itself, or cannot trace process 1.
    Kind(
        "traces_the_first_process",
        "import ctypes\nif ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0:\n    return [v * factor for v in values]\nreturn None\n",
        &[Fail],
    ),
    // A run cannot read the memory of other processes.
    Kind(
        "reads_memory_of_other_processes",
        r"import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
class Piece(ctypes.Structure):
    _fields_ = [('base', ctypes.c_void_p), ('length', ctypes.c_size_t)]
own = ctypes.create_string_buffer(8)
here = Piece(ctypes.addressof(own), 8)
for pid in {os.getppid(), 1} - {0, os.getpid()}:
    there = Piece(ctypes.addressof(own), 8)
    if libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0:
        return [v * factor for v in values]
return None
",
        &[Fail],
    ),
    // A run that kills itself or its supervisor has no reports.
    Kind(
        "kills_its_parents_group",
        "import os, signal\nfor pid in {os.getppid(), 1} - {0, os.getpid()}:\n    try:\n        os.killpg(os.getpgid(pid), signal.SIGKILL)\n    except OSError:\n        pass\nreturn None\n",
        &[Fail, Tampered],
    ),
    // The container engine's socket is not in the sandbox.
    Kind(
        "container_service",
        "import socket\nfor path in ('/var/run/docker.sock', '/run/docker.sock', '/run/podman/podman.sock', '/run/containerd/containerd.sock'):\n    with socket.socket(socket.AF_UNIX) as way:\n        try:\n            way.connect(path)\n        except OSError:\n            continue\n    return [v * factor for v in values]\nreturn None\n",
        &[Fail],
    ),
    // The completion is wrong.
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
    // The completion is wrong, whatever files the previous run left.
    Kind(
        "wrong_after_modules_were_left",
        "return [values]\n",
        &[Fail],
    ),
    // The completion is right, and the module files of the earlier run are gone.
    Kind(
        "right_after_modules_were_left",
        "return list(value * factor for value in values)\n",
        &[Pass],
    ),
];
