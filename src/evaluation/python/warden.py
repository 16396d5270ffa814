"""The warden: a warm interpreter in a sandbox. It has loaded pytest and the third-party libraries, forks one process
for each run, watches over it, and leaves nothing of it behind.

It is driven over standard input (a length, a JSON header, raw bytes) and answers on standard output (a JSON object a
line). What a run needs beyond the shared base (the spliced files) is read by the forked process itself, so that it
never enters this one. The token that proves a report genuine arrives after the fork, before the forked process goes
on: code that is being judged has never seen it.
"""
import base64
import ctypes
import fcntl
import gc
import importlib
import resource
import select
import signal
import stat
import struct
import sys
import threading
import time
import types

LOG_FORWARDED = 192 * 1024
LOG_TAIL = 32 * 1024
LINE_LIMIT = 8 * 1024 * 1024
REPORT_LIMIT = 64 * 1024 * 1024
CHANNEL = 700


def read_exact(descriptor, count):
    parts = []
    while count:
        part = os.read(descriptor, min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def read_header():
    length, = struct.unpack(">I", read_exact(0, 4))
    return json.loads(read_exact(0, length).decode("utf-8"))


def answer(message):
    data = json.dumps(message).encode("ascii") + b"\n"
    while data:
        data = data[os.write(OUT, data):]


# Scratch space.

def copy_tree(source, target):
    os.mkdir(target, 0o700)
    with os.scandir(source) as entries:
        for entry in entries:
            into = os.path.join(target, entry.name)
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), into)
            elif entry.is_dir():
                copy_tree(entry.path, into)
            else:
                copy_file(entry.path, into)


def copy_file(source, target):
    reading = os.open(source, os.O_RDONLY)
    try:
        mode = stat.S_IMODE(os.fstat(reading).st_mode) | 0o600
        writing = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            while True:
                data = os.read(reading, 1 << 20)
                if not data:
                    break
                while data:
                    data = data[os.write(writing, data):]
        finally:
            os.close(writing)
    finally:
        os.close(reading)


LAID = {"base": None, "times": {}}


def lay_out(job):
    """Empty scratch space with the project's files in it. What stands there from the run before is kept where it is
    the same to the byte."""
    root = job["root"]
    kept = LAID["base"] == job["base"] and undisturbed(job)
    for folder in job["scratch"]:
        if os.path.isdir(folder):
            wipe(folder, os.path.basename(root) if kept and folder == os.path.dirname(root) else None)
    if not kept:
        LAID["base"], LAID["times"] = None, {}
        copy_tree(job["base"], root)
        note_times(root)
        LAID["base"] = job["base"]
    LAID["placed"] = [path for path, _ in job["files"]]


def note_times(folder):
    with os.scandir(folder) as entries:
        for entry in entries:
            LAID["times"][entry.path] = entry.stat(follow_symlinks=False).st_mtime_ns
            if entry.is_dir(follow_symlinks=False):
                note_times(entry.path)


def undisturbed(job):
    """Whether the files of the run before, those that came with it taken away, are the base's, to the byte."""
    try:
        for path in LAID["placed"]:
            placed = os.path.join(job["root"], path)
            if os.path.lexists(placed) and os.path.realpath(os.path.dirname(placed)) == os.path.dirname(placed):
                os.unlink(placed)
        return same_tree(job["base"], job["root"])
    except (OSError, ValueError, RecursionError):
        return False


def same_tree(base, root):
    about = os.lstat(root)
    if not stat.S_ISDIR(about.st_mode) or stat.S_IMODE(about.st_mode) != 0o700:
        return False
    with os.scandir(base) as entries:
        ours = {entry.name: entry for entry in entries}
    if set(os.listdir(root)) != set(ours):
        return False
    return all(same_entry(entry, os.path.join(root, name)) for name, entry in ours.items())


def same_entry(entry, path):
    if entry.is_dir(follow_symlinks=False):
        return same_tree(entry.path, path)
    about, theirs = os.lstat(path), entry.stat(follow_symlinks=False)
    if stat.S_IFMT(about.st_mode) != stat.S_IFMT(theirs.st_mode) or about.st_nlink != 1 \
            or about.st_mtime_ns != LAID["times"].get(path):
        return False
    if stat.S_ISLNK(about.st_mode):
        return os.readlink(path) == os.readlink(entry.path)
    if about.st_size != theirs.st_size or stat.S_IMODE(about.st_mode) != stat.S_IMODE(theirs.st_mode) | 0o600:
        return False
    with open(entry.path, "rb", 0) as one, open(path, "rb", 0) as other:
        return one.read() == other.read()


def wipe(folder, kept=None):
    """Empties a folder but for the entry `kept`, whatever stands in it: nested folders are moved to its top, so no
    depth can hurt."""
    moved = 0
    again = True
    while again:
        again = False
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if name == kept:
                continue
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                os.unlink(path)
                continue
            os.chmod(path, 0o700)
            for inner in os.listdir(path):
                below = os.path.join(path, inner)
                if stat.S_ISDIR(os.lstat(below).st_mode):
                    os.chmod(below, 0o700)
                    moved += 1
                    os.rename(below, os.path.join(folder, ".evoscope-%d-%d" % (moved, time.monotonic_ns())))
                    again = True
                else:
                    os.unlink(below)
            os.rmdir(path)


# What the sandbox knows of its memory.

def oom_kills():
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        try:
            with open(path) as lines:
                for line in lines:
                    word, _, count = line.partition(" ")
                    if word == "oom_kill":
                        return int(count)
        except (OSError, ValueError):
            continue
    return 0


def others(keep):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in keep:
            found.append(int(name))
    return found


def resident(keep):
    """Bytes held by all processes but those in `keep`, shared pages counted once where the kernel tells."""
    pages = 0
    pids = others(keep)
    for pid in pids:
        try:
            with open("/proc/%d/statm" % pid) as statm:
                pages += int(statm.read().split()[1])
        except (OSError, ValueError, IndexError):
            continue
    return pages * resource.getpagesize()


def proportional(keep):
    total = 0
    for pid in others(keep):
        try:
            with open("/proc/%d/smaps_rollup" % pid) as rollup:
                for line in rollup:
                    if line.startswith("Pss:"):
                        total += int(line.split()[1]) * 1024
        except (OSError, ValueError, IndexError):
            continue
    return total


# The forked process.

def become_run(job, report, log, control, seed):
    """In the fork: take the spliced files, wait for the word to go, then run pytest. Returns only to go on from a
    seed's place."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    os.setsid()
    _prctl(4, 1)
    root, texts = job["root"], {}
    for path, length in job["files"]:
        into = os.path.join(root, path)
        data = read_exact(0, length)
        if os.path.lexists(into):
            os.unlink(into)
        os.makedirs(os.path.dirname(into), exist_ok=True)
        with open(into, "wb") as file:
            file.write(data)
        texts[path] = data
    for path, length in job["code"]:
        take_code(os.path.join(root, path), texts.get(path), read_exact(0, length))
    MADE.clear()
    os.write(report, b"ready\n")
    os.close(0)
    token = read_exact(control, 32).decode("ascii")
    confine(job, report, log, seed.descriptors if seed else set())
    if seed:
        grow(seed, job, token)
        return
    send = None
    status = 70
    try:
        status, send = run_pytest(job, token)
    except SystemExit as leaving:
        status = exit_status(leaving.code)
    except BaseException:
        import traceback
        traceback.print_exc()
        status = 1
    end_run(job, send, status)


def end_run(job, send, status):
    """The end of a forked process, as an interpreter ends."""
    try:
        if send and job["list_modules"]:
            send({"op": "modules", "names": foreign_modules(job["root"]), "own": own_files(job["root"])})
        if send and job["list_code"]:
            for path in [path for path, _ in job["files"] if path != job["check"]]:
                if os.path.join(job["root"], path) in MADE:
                    send({"op": "code", "path": path, "data": made_code(os.path.join(job["root"], path))})
    finally:
        status = wind_down(status)
        os._exit(status)


def exit_status(code):
    if code is None:
        return 0
    return code & 0xFF if isinstance(code, int) else 1


def wind_down(status):
    """What the interpreter does at its end, as far as it can be seen from outside: threads joined, exit handlers."""
    import atexit
    try:
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except SystemExit as leaving:
        return exit_status(leaving.code)
    except BaseException:
        pass
    return status


def confine(job, report, log, kept):
    limits = job["limits"]
    os.dup2(report, CHANNEL, inheritable=False)
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    spoken = os.fstat(2)
    for descriptor in kept:
        if os.path.samestat(os.fstat(descriptor), spoken):
            os.dup2(log, descriptor)
    os.dup2(log, 1)
    os.dup2(log, 2)
    low = 3
    for descriptor in sorted(kept | {CHANNEL}):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, CHANNEL + 300)
    try:
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")
    except OSError:
        pass
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.get("address_space"):
        resource.setrlimit(resource.RLIMIT_AS, (limits["address_space"],) * 2)
    if limits.get("processes_rlimit"):
        resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes_rlimit"],) * 2)


class _NoInput(object):
    """As pytest's own while it captures: reading from standard input is an error."""
    encoding = "utf-8"
    buffer = property(lambda self: self)

    def read(self, *args):
        raise OSError("pytest: reading from stdin while output is captured! Consider using `-s`.")

    readline = readlines = __next__ = read

    def __iter__(self):
        return self

    def fileno(self):
        raise ValueError("redirected stdin is pseudofile, has no fileno()")

    def isatty(self):
        return False

    def close(self):
        pass


def set_stage(job):
    """What the interpreter finds around it in every run of a project."""
    root = job["root"]
    os.chdir(root)
    os.environ.clear()
    os.environ.update(job["env"])
    sys.path[:0] = [os.path.normpath(os.path.join(root, path)) for path in job["paths"]]
    sys.dont_write_bytecode = True
    shed_shadowed(job)
    use_compiled()


def enter_stage(job):
    """What a run has for itself."""
    os.chdir(job["root"])
    os.makedirs(job["env"]["HOME"], exist_ok=True)
    sys.argv = ["pytest"] + job["tests"]
    importlib.invalidate_caches()
    import pytest
    main = types.ModuleType("__main__")
    main.__file__ = pytest.__file__
    sys.modules["__main__"] = main
    sys.stdin = _NoInput()
    gc.disable()


def run_pytest(job, token):
    set_stage(job)
    enter_stage(job)
    import pytest
    use_prepared()
    judge, send, arm = make_judge(pytest, CHANNEL, checkpoint)
    arm(token)
    fault = parse_fault(os.path.join(job["root"], job["check"]))
    if fault:
        send(fault)
        return 1, None
    return int(pytest.main(job["args"] + job["tests"], plugins=[judge])), send


def parse_fault(path):
    """Where a file does not parse, by this very interpreter; None when it does."""
    with open(path, "rb") as file:
        source = file.read()
    try:
        COMPILED[path] = (path, source, compile(source, path, "exec", dont_inherit=True))
    except SyntaxError as fault:
        return {"op": "syntax", "line": fault.lineno or 1,
                "message": "%s: %s" % (type(fault).__name__, fault.msg)}
    except (ValueError, RecursionError, MemoryError, OverflowError) as fault:
        return {"op": "syntax", "line": 1, "message": "%s: %s" % (type(fault).__name__, fault)}
    return None


def shed_shadowed(job):
    """Forgets warm modules that the project itself provides, so that its own are imported."""
    own = set(job["own_modules"])
    for name in list(sys.modules):
        if name.partition(".")[0] in own and not name.startswith(("_pytest", "pytest", "pluggy")):
            del sys.modules[name]


def foreign_modules(root):
    """The modules that were loaded from outside the project, in the order they were loaded."""
    names = []
    for name, module in list(sys.modules.items()):
        origin = getattr(module, "__file__", None) or ""
        outside = origin.startswith("/") and not origin.startswith((root, "/tmp/"))
        if outside and "conftest" not in name and not name.startswith("__") and isinstance(name, str):
            names.append(name)
    return names


def own_files(root):
    """The project's files that were loaded, relative to its root, each with whether pytest rewrote its assertions."""
    files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
    found = set(path for path in files if path.startswith(root + "/") and path.endswith(".py"))
    return [[path[len(root) + 1:], path in SEEN_REWRITTEN] for path in sorted(found)]


# The watch over it.

class Watch(object):
    def __init__(self, job, pid, report, log):
        self.job, self.pid, self.report, self.log = job, pid, report, log
        self.nonce = self.token = None
        self.pending = b""
        self.logged = self.reported = 0
        self.tail = b""
        self.forged = self.finished = False
        self.killed = None
        self.running = self.entry = None
        self.seconds = job["limits"]
        self.status = None
        self.usage = None
        self.peak = 0
        self.survivors = 0

    def tell(self, **message):
        message["n"] = self.nonce
        answer(message)

    def start(self):
        self.began = self.test_began = time.monotonic()
        self.keep = {1, os.getpid()}

    def deadline(self):
        total = self.began + self.seconds["total_seconds"]
        each = self.seconds.get("test_seconds")
        return min(total, self.test_began + each) if each else total

    def take_log(self):
        """Takes what has been printed; false at the end of it."""
        data = os.read(self.log, 1 << 20)
        if not data:
            return False
        room = max(0, LOG_FORWARDED - self.logged)
        self.logged += len(data)
        if room:
            self.tell(op="log", data=base64.b64encode(data[:room]).decode("ascii"))
        self.tail = (self.tail + data[room:])[-LOG_TAIL:]
        return True

    def take_report(self):
        """Takes what has been reported; false at the end of it."""
        data = os.read(self.report, 1 << 18)
        if not data:
            return False
        self.reported += len(data)
        self.pending += data
        lines = self.pending.split(b"\n")
        self.pending = lines.pop()
        for line in lines:
            self.take_line(line)
        if len(self.pending) > LINE_LIMIT or self.reported > REPORT_LIMIT:
            self.forged = True
            self.pending = b""
        return True

    def take_line(self, line):
        mark = (self.token + " ").encode("ascii")
        if not line.startswith(mark):
            self.forged = True
            return
        try:
            message = json.loads(line[len(mark):].decode("utf-8"))
            op = message["op"]
        except (ValueError, KeyError, TypeError):
            self.forged = True
            return
        if op == "begin":
            self.begin(str(message.get("id")))
        elif op == "finish":
            self.finished = True
        message["n"] = self.nonce
        answer(message)

    def begin(self, test):
        """The limit on a test holds for each entry of the task's list, however many ids it expands to."""
        self.running = test
        asked = [entry for entry in self.job["tests"] if test == entry or test.startswith((entry + "[", entry + "::"))]
        entry = max(asked, key=len) if asked else test
        if entry != self.entry:
            self.entry = entry
            self.test_began = time.monotonic()

    def kill(self, why):
        self.killed = self.killed or why
        kill_group(self.pid)

    def reap(self, wait=False):
        while self.status is None:
            try:
                pid, status, usage = os.wait4(-1, 0 if wait else os.WNOHANG)
            except ChildProcessError:
                self.status = 0
                return
            if pid == 0:
                return
            if pid == self.pid:
                self.status, self.usage = status, usage

    def check_memory(self):
        limit = self.seconds["memory"]
        held = resident(self.keep)
        if held > limit:
            held = proportional(self.keep) or held
        self.peak = max(self.peak, held)
        if held > limit:
            self.kill("memory")

    def run(self):
        poll = select.poll()
        for descriptor in (0, self.report, self.log, WAKE[0]):
            poll.register(descriptor, select.POLLIN)
        look = self.began + 0.05
        while self.status is None:
            now = time.monotonic()
            if now >= self.deadline():
                self.kill("timeout")
            if now >= look:
                self.check_memory()
                look = now + 0.05
            for descriptor, _ in poll.poll(max(1, min(self.deadline() - now, look - now) * 1000)):
                if descriptor == 0:
                    os._exit(leave("driver"))
                elif descriptor == self.report:
                    if not self.take_report():
                        poll.unregister(descriptor)
                elif descriptor == self.log:
                    if not self.take_log():
                        poll.unregister(descriptor)
                else:
                    os.read(WAKE[0], 4096)
            self.reap()
        self.survivors = len(others(self.keep))
        kill_rest()

    def drain(self):
        for descriptor, read in ((self.report, self.take_report), (self.log, self.take_log)):
            os.set_blocking(descriptor, False)
            try:
                while read():
                    pass
            except BlockingIOError:
                pass
            os.close(descriptor)


def leave(why):
    kill_rest()
    return 3


def kill_group(pid):
    for target in (-pid, pid):
        try:
            os.kill(target, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def kill_rest():
    """Kills every process of the sandbox but this one (and its init) and waits until none is left."""
    if not ALONE:
        return
    until = time.monotonic() + 10
    keep = {1, os.getpid()}
    while time.monotonic() < until:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        if not others(keep):
            return
        time.sleep(0.002)
    raise RuntimeError("processes that cannot be killed")


def run(job, seed):
    """One run: fork, hand over, watch, clean up, tell. True in the forked process that goes on from a seed."""
    lay_out(job)
    compile_ahead(job)
    kills = oom_kills()
    report, report_in = os.pipe()
    log, log_in = os.pipe()
    control_out, control = os.pipe()
    fcntl.fcntl(log, 1031, 1 << 20)
    pid = os.fork()
    if pid == 0:
        for descriptor in (OUT, report, log, control):
            os.close(descriptor)
        become_run(job, report_in, log_in, control_out, seed)
        return True
    for descriptor in (report_in, log_in, control_out):
        os.close(descriptor)
    watch = Watch(job, pid, report, log)
    if read_exact_or_none(report, 6) == b"ready\n":
        answer({"op": "forked"})
        go = read_header()
        watch.nonce = go["nonce"]
        watch.token = base64.b16encode(os.urandom(16)).decode("ascii")
        watch.start()
        os.write(control, watch.token.encode("ascii"))
        os.close(control)
        watch.run()
        watch.drain()
    else:
        raise RuntimeError("the forked process could not take its files")
    told = end_of(watch, kills)
    watch.tell(op="end", **told)
    return False


def read_exact_or_none(descriptor, count):
    try:
        return read_exact(descriptor, count)
    except EOFError:
        return None


def end_of(watch, kills):
    status = watch.status or 0
    signalled = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    return {
        "code": None if signalled else os.WEXITSTATUS(status),
        "signal": signalled,
        "killed": watch.killed,
        "running": watch.running,
        "finished": watch.finished,
        "forged": watch.forged,
        "seconds": round(time.monotonic() - watch.began, 6),
        "cpu_seconds": round(watch.usage.ru_utime + watch.usage.ru_stime, 6) if watch.usage else 0.0,
        "oom_kills": oom_kills() - kills,
        "logged": watch.logged,
        "tail": base64.b64encode(watch.tail).decode("ascii") if watch.logged > LOG_FORWARDED else "",
        "survivors": watch.survivors,
        "marked": standing() != STANDING,
    }


def standing():
    """What a process of the same user could change about this one from outside."""
    limits = tuple(resource.getrlimit(getattr(resource, name)) for name in
                   ("RLIMIT_AS", "RLIMIT_CORE", "RLIMIT_CPU", "RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_NOFILE",
                    "RLIMIT_NPROC", "RLIMIT_STACK"))
    return limits, os.getpriority(os.PRIO_PROCESS, 0), sorted(os.sched_getaffinity(0))


def preload(names):
    """Imports modules from outside the projects."""
    loaded = 0
    paths = list(sys.path)
    sys.path[:] = [path for path in paths if not path.startswith(PROJECTS)]
    for name in names:
        if name in sys.modules:
            continue
        try:
            importlib.import_module(name)
            loaded += 1
        except BaseException:
            continue
    sys.path[:] = paths
    if threading.active_count() > 1:
        raise RuntimeError("a library starts threads when it is imported")
    gc.collect()
    gc.freeze()
    return loaded


def _prctl(option, value):
    try:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
    except (OSError, AttributeError):
        pass


ALONE = False
WAKE = (-1, -1)
STANDING = None
OUT = 1
COMPLAINTS = 2
PROJECTS = None


def serve(seed):
    """Makes the runs that a seed is for, or that need none. True in a forked process that goes on from the seed; false
    when a run, now pending, needs another seed."""
    global STANDING
    while True:
        job = PENDING.pop() if PENDING else next_job()
        if job["op"] == "preload":
            answer({"op": "preloaded", "count": preload(job["names"])})
            prepare_tracebacks()
            STANDING = standing()
            continue
        key = seed_key(job)
        if key != (seed.key if seed else None):
            PENDING.append(job)
            return False
        if run(job, seed):
            return True


def next_job():
    try:
        job = read_header()
    except EOFError:
        os._exit(leave("driver"))
    if job["op"] not in ("run", "preload"):
        os._exit(leave("asked"))
    return job


def die():
    """The warden's own end, where pytest stands around it and would take the exception for a test's."""
    import traceback
    os.dup2(COMPLAINTS, 2)
    traceback.print_exc()
    sys.stderr.flush()
    os._exit(70)


def main():
    global ALONE, WAKE, STANDING, OUT, COMPLAINTS, PROJECTS
    hello = read_header()
    PROJECTS = os.path.dirname(hello["root"]) + "/"
    ALONE = bool(hello["alone"]) and 1 in (os.getpid(), os.getppid())
    sys.path[:] = [path for path in sys.path if path]
    sys.dont_write_bytecode = True
    _prctl(4, 0)
    OUT, COMPLAINTS = os.dup(1), os.dup(2)
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
    WAKE = os.pipe()
    for descriptor in WAKE:
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(WAKE[1], warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        import pytest
    except ImportError:
        answer({"op": "broken", "what": "pytest is not installed for %s" % sys.executable})
        return 4
    preload(hello["preload"])
    remember(hello["root"])
    STANDING = standing()
    answer({"op": "ready", "python": "%d.%d.%d" % sys.version_info[:3], "pytest": pytest.__version__})
    while True:
        serve(None)
        plant(PENDING[-1], seed_key(PENDING[-1]))


if __name__ == "__main__":
    sys.exit(main())
