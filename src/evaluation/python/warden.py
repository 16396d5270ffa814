"""The warden: a warm interpreter in a sandbox. It has loaded pytest and the third-party libraries, forks one process
for each run, watches over it, and leaves nothing of it behind.

It is driven over standard input (a length, a JSON header, raw bytes) and answers on standard output (a JSON object a
line). What a run needs beyond the project's own files (the spliced ones) is read by the forked process itself, so that
it never enters this one. The token that proves a report genuine arrives after the fork, before the forked process goes
on: code that is being judged has never seen it.

The first process, the trunk, has loaded pytest and nothing else. For each environment a branch is forked from it, which
takes that environment's packages and serves its runs until one of another environment comes. The driver may name the next
environment before: then a bud takes its packages beside the runs of this one, and is the branch when its turn comes.

The ear, forked from the trunk before all that, is the one that hears a run and takes files: the branch, whose memory
every run inherits, only forks.
"""
import _thread
import base64
import ctypes
import fcntl
import gc
import importlib
import resource
import select
import signal
import site
import stat
import struct
import sys
import threading
import time
import types

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

LIBC = ctypes.CDLL(None)
LOG_FORWARDED = 192 * 1024
LOG_TAIL = 32 * 1024
LINE_LIMIT = 8 * 1024 * 1024
REPORT_LIMIT = 64 * 1024 * 1024
CHANNEL = 700


def read_told():
    """A header as it came."""
    return read_exact(0, read_number())


def read_header():
    return json.loads(read_told())


def answer(message):
    data = json.dumps(message).encode("ascii") + b"\n"
    while data:
        data = data[os.write(OUT, data):]


def run(job, told, seed):
    """One run: forked here, watched by the ear. True in the forked process that goes on from a seed."""
    compile_ahead(job)
    report, report_in = os.pipe()
    log, log_in = os.pipe()
    control_out, control = os.pipe()
    fcntl.fcntl(log, 1031, 1 << 20)
    pid = os.fork()
    if pid == 0:
        for descriptor in (OUT, BACK, SAID, TO_EAR, EAR_LIVES, report, log, control):
            os.close(descriptor)
        become_run(job, report_in, log_in, control_out, seed)
        return True
    for descriptor in (report_in, log_in, control_out):
        os.close(descriptor)
    tell_ear("run", told, pid, descriptors=(report, log, control))
    tell_end(pid)
    LAID["intact"] = ear_is_done()
    return False


def preload(names, patterns):
    """Imports modules from outside the projects, as if in the folder that a run is in: some remember it; and compiles
    regular expressions. Gives how many there were, and what is to be carried in another time."""
    loaded, carrying = 0, Carrying()
    paths, getcwd = list(sys.path), os.getcwd
    sys.path[:] = [path for path in paths if not path.startswith(PROJECTS)]
    os.getcwd = lambda: ROOT
    gc.disable()
    for name in names:
        if name in sys.modules:
            continue
        try:
            importlib.import_module(name)
            loaded += 1
        except BaseException:
            continue
    count = know_patterns(patterns)
    told = carrying.end()
    know_folders()
    sys.path[:], os.getcwd = paths, getcwd
    if threading.active_count() > 1:
        raise RuntimeError("a library starts threads when it is imported")
    settle_memory()
    return loaded + count, told


def settle_memory():
    """Of what is there now, nothing is ever looked at again for what could be freed."""
    gc.freeze()
    gc.enable()


def _prctl(option, value):
    try:
        LIBC.prctl(option, value, 0, 0, 0)
    except (OSError, AttributeError):
        pass


ALONE = False
OUT = 1
COMPLAINTS = 2
BACK = SAID = -1
TRUNK = None
HERE = None
ROOT = None
PROJECTS = None
# Those that a run may use. The processes that stay keep to one of them where each job has no more than one.
PROCESSORS = os.sched_getaffinity(0)
# mallopt(3): what is freed is overwritten, where it is not kept for the next use, as glibc does with less than the other.
M_PERTURB, LEAST_WIPED = -6, 2048


def keep_to(processor):
    if processor is not None:
        order = sorted(PROCESSORS)
        os.sched_setaffinity(0, {order[processor % len(order)]})


def serve(seed):
    """Does what is asked for in this environment. True in a forked process that goes on from the seed; false when a
    run, now pending, needs another seed."""
    wipe_freed(True)
    while True:
        # Freed before the next is read, which lies in their place then.
        job = told = None
        told = PENDING.pop() if PENDING else read_told_job()
        job = json.loads(told)
        if job["op"] in TAKES or job["python"] != HERE:
            do_without_run(job)
            continue
        if not is_laid(job):
            refuse(told)
            continue
        key = seed_key(job)
        if key != (seed.key if seed else None):
            PENDING.append(told)
            wipe_freed(False)
            return False
        if run(job, told, seed):
            return True


def do_without_run(job):
    """What is asked for beside the runs; an order for another environment is handed back."""
    wipe_freed(False)
    if job["python"] != HERE:
        hand_back(job)
    TAKES[job["op"]](job)
    wipe_freed(True)


def wipe_freed(wiped):
    """Has the C library overwrite what is freed, where it can: every run reads what was freed here, and is not to find what
    was told of the run before."""
    try:
        LIBC.mallopt(M_PERTURB, 0x55 if wiped else 0)
    except AttributeError:
        pass


def take_preload(job):
    carry(job["carried"])
    count, told = make_ready(job)
    answer({"op": "preloaded", "count": count, "modules": told})


def make_ready(job):
    made = preload(job["names"], job["patterns"])
    prepare_tracebacks()
    return made


def take_ahead(job):
    """Has the trunk grow the branch of the next environment beside this one."""
    send_on(BACK, job)
    pid, = struct.unpack(">I", read_exact(SAID, 4))
    tell_ear("bud", pid)


def refuse(told):
    """A run whose project does not lie here: the ear reads what came with it, and drops it."""
    ear_has_laid("refused", json.loads(told))
    answer({"op": "unlaid"})


def read_told_job():
    try:
        return read_told()
    except EOFError:
        os._exit(3)


def hand_back(job):
    """The end of a branch: the trunk grows another one for the job."""
    send_on(BACK, job)
    os._exit(0)


def send_on(descriptor, job):
    data = json.dumps(job).encode("ascii")
    data = struct.pack(">I", len(data)) + data
    while data:
        data = data[os.write(descriptor, data):]


def receive(descriptor):
    length, = struct.unpack(">I", read_exact(descriptor, 4))
    return json.loads(read_exact(descriptor, length).decode("ascii"))


def die():
    """The warden's own end, where pytest stands around it and would take the exception for a test's."""
    import traceback
    os.dup2(COMPLAINTS, 2)
    traceback.print_exc()
    sys.stderr.flush()
    os._exit(70)


def branch(python, first, ahead):
    """Takes an environment's packages and serves. A bud makes ready what it is told `ahead`, and has no first job."""
    global HERE
    HERE = python
    settle_in(HERE)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    know_distributions()
    settle_memory()
    PENDING.append(json.dumps(first or await_turn(ahead)).ljust(LEAST_WIPED))
    tell_ear("branch", os.getpid())
    while True:
        serve(None)
        # Of the first run's own order nothing stays: the seed has one that is read of its own.
        plant(json.loads(PENDING[-1]))


def await_turn(ahead):
    """In a bud, the first job. Runs of another environment go on before it comes."""
    make_ready(ahead)
    return receive(SAID)


# Where Python looks: an interpreter that was started without its site packages takes those of an environment.

BARE = ()


def set_prefix(python):
    """What an interpreter of a virtual environment knows of it; its folder of packages depends on that."""
    home = os.path.dirname(os.path.dirname(python))
    if os.path.isfile(os.path.join(home, "pyvenv.cfg")):
        sys.prefix = sys.exec_prefix = home


def packages():
    """The folders of packages of an environment, without what they do when they are looked at."""
    found = site.getsitepackages([sys.prefix])
    try:
        with open(os.path.join(sys.prefix, "pyvenv.cfg")) as file:
            own = "include-system-site-packages = true" not in file.read()
    except OSError:
        own = True
    if not own:
        prefix, sys.prefix = sys.prefix, sys.base_prefix
        found += site.getsitepackages([sys.base_prefix])
        sys.prefix = prefix
    return found


def settle_in(python):
    """Makes this interpreter the environment's, as its own start would."""
    sys.path[:] = BARE
    sys.executable = python if os.path.isabs(python) else sys.executable
    set_prefix(sys.executable)
    site.main()


def main():
    global ALONE, OUT, COMPLAINTS, ROOT, PROJECTS, TRUNK, BARE
    hello = read_header()
    ROOT = hello["root"]
    ARGUMENTS[:] = hello["args"]
    PROJECTS = os.path.dirname(ROOT) + "/"
    TRUNK = os.getpid()
    keep_to(hello["processor"])
    refuse_calls()
    os.chdir("/")
    ALONE = bool(hello["alone"]) and 1 in (os.getpid(), os.getppid())
    sys.path[:] = BARE = [path for path in sys.path if path]
    sys.dont_write_bytecode = True
    _prctl(4, 0)
    OUT, COMPLAINTS = os.dup(1), os.dup(2)
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_prefix(sys.executable)
    for folder in (os.path.dirname(ROOT), "/tmp", "/dev", "/proc"):
        held(folder)
    grow_ear()
    remember_files()
    know_root()
    sys.path += packages()
    try:
        import pytest
    except ImportError as why:
        answer({"op": "broken", "what": "pytest cannot be loaded by %s: %s" % (sys.executable, why)})
        return 4
    remember(ROOT)
    know_distributions()
    told = CARRYING.end()
    if not KEPT:
        told[NAME] = carriable(NAME, marshal.dumps(PROGRAM))
    settle_memory()
    answer({"op": "ready", "python": "%d.%d.%d" % sys.version_info[:3], "pytest": pytest.__version__, "modules": told})
    grow_branches(json.loads(read_told_job()))


TAKES = {"preload": take_preload, "project": take_project, "files": take_back, "compiled": take_compiled,
         "compile": take_compile, "ahead": take_ahead}

if __name__ == "__main__":
    sys.exit(main())
